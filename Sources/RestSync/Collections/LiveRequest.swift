// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestDocument
import RestMapping
import RestNetworking
import RestPersistence
import RestTransport
import Synchronization

/// A GET request whose collection is shown from the store and refreshed from the server.
struct LiveRequest<Object: ManagedEntity>: Sendable {
    let manager: ObjectManager
    /// The path of the list, or the error of its route.
    let path: Result<RoutedPath, NetworkingError>
    let parameters: RequestParameters
    let keyPath: DocumentPath?
    let store: ManagedObjectStore
    let maximumAge: Duration?
    /// The order of the objects; empty for that of the server.
    let orderings: [FetchOrdering<Object>]
    let configure: @Sendable (inout ManagedRequest) -> Void

    /// Creates the request of a list.
    ///
    /// - Throws: ``SyncError`` with code ``SyncError/Code/noStore``.
    init(
        _ manager: ObjectManager, at target: some RequestTargetConvertible,
        _ parameters: RequestParameters, _ keyPath: DocumentPath?, in store: ManagedObjectStore?,
        orderBy orderings: [FetchOrdering<Object>], maximumAge: Duration?,
        _ configure: @escaping @Sendable (inout ManagedRequest) -> Void
    ) throws(SyncError) {
        self.manager = manager
        path = Result { () throws(NetworkingError) in try manager.routedPath(of: target) }
        self.parameters = parameters
        self.keyPath = keyPath
        self.store = try manager.destination(store)
        self.maximumAge = maximumAge
        self.orderings = orderings
        self.configure = configure
    }

    // MARK: States

    /// A sequence of the states of the list, for one iteration; the first request begins at once.
    var states: AsyncStream<LiveState> {
        AsyncStream(bufferingPolicy: .bufferingNewest(16)) { continuation in
            let task = Task {
                await run { continuation.yield($0) }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// Delivers the states of the list until the task is cancelled or the store is closed; without a
    /// maximum age, until the first request has ended or the store is reset.
    @concurrent
    private func run(_ deliver: @escaping @Sendable (LiveState) async -> Void) async {
        var content = store.content
        let last = Mutex(LiveState(.loading, moment: content.moment))
        var isFirst = true
        while true {
            let (current, requests) = (content, isFirst)
            let isClosed = await current.whileOpen {
                await run(in: current, requestsFirst: requests) { state in
                    last.withLock { $0 = state }
                    await deliver(state)
                }
            }
            guard isClosed, !Task.isCancelled else { return }
            guard let next = await store.openContent(), next != current else {
                let error = PersistenceError(.storeClosed)
                return await deliver(last.withLock(\.self).with(.failed(error)))
            }
            (content, isFirst) = (next, false)
        }
    }

    /// Delivers the states of the list and the commits of a content of the store until it is replaced, the
    /// store is closed or the task is cancelled.
    @concurrent
    func run(
        in content: StoreContent, requestsFirst: Bool, following commits: AsyncStream<StoreCommit>,
        _ deliver: @escaping @Sendable (LiveState) async -> Void,
        _ follow: @Sendable (StoreCommit) async -> Void
    ) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await run(in: content, requestsFirst: requestsFirst, deliver) }
            for await commit in commits { await follow(commit) }
            group.cancelAll()
        }
    }

    /// Delivers the states of the list in a content of the store until the task is cancelled; without a
    /// maximum age, until the first request has ended.
    ///
    /// After an error of the store, the objects are those of the state before. After a reset the list is not
    /// requested before its maximum age: the program may not have the credentials of the next user yet.
    @concurrent
    private func run(
        in content: StoreContent, requestsFirst: Bool,
        _ deliver: @Sendable (LiveState) async -> Void
    ) async {
        let clock = manager.client.clock
        var last = LiveState(.loading, moment: content.moment)
        var isFirst = true
        var wait: Duration?
        // The last request tells which collection is that of the user.
        var request: CollectionRequest?
        while !Task.isCancelled {
            do {
                if isFirst {
                    isFirst = false
                    let moment = content.moment
                    let first = try await content.read { context in
                        try stored(in: context, at: moment, requestsFirst: requestsFirst)
                    }
                    (last, wait) = (first.state, first.wait)
                    await deliver(last)
                    if !requestsFirst, wait == nil { return }
                }
                if let wait {
                    try await clock.sleep(until: clock.now + wait)
                    last = try await state(.loading, after: request, in: content)
                    await deliver(last)
                }
                var phase = LiveState.Phase.fresh
                do {
                    request = try await refresh(in: content)
                } catch {
                    phase = .failed(error)
                }
                if Task.isCancelled { return }
                last = try await state(phase, after: request, in: content)
                await deliver(last)
            } catch is CancellationError {
                return
            } catch {
                if Task.isCancelled { return }
                await deliver(last.with(.failed(error)))
                if Self.isClosed(error) { return }
            }
            guard let maximumAge else { return }
            // The age begins with the answer, although not each confirmation is written.
            wait = max(maximumAge, Self.minimumWait)
        }
    }

    private static func isClosed(_ error: any Error) -> Bool {
        let underlying = (error as? SyncError)?.underlying ?? error
        return (underlying as? PersistenceError)?.code == .storeClosed
    }

    /// The least time between two requests.
    private static var minimumWait: Duration { .seconds(1) }

    // MARK: Reading

    /// Reads the stored list.
    ///
    /// - Parameters:
    ///   - context: The context.
    ///   - moment: A moment before.
    ///   - requestsFirst: A Boolean value that indicates whether a list that is too old is requested at once.
    /// - Returns: The state, and the time until the list is requested; `nil` for at once or never.
    /// - Throws: The errors of the path, and of reading the collection and its order.
    func stored(
        in context: ManagedObjectContext, at moment: CommitPosition, requestsFirst: Bool
    ) throws -> (state: LiveState, wait: Duration?) {
        let request = try collectionRequest()
        let collection = try request.flatMap { try context.collection(of: $0) }
        var wait = remainingAge(of: collection)
        var phase = LiveState.Phase.stored
        if requestsFirst {
            if wait == nil { phase = .loading }
        } else if wait == nil, let maximumAge {
            wait = max(maximumAge, Self.minimumWait)
        }
        return (try state(phase, of: collection, in: context, at: moment), wait)
    }

    /// Reads the list from the store.
    ///
    /// - Parameters:
    ///   - phase: The progress.
    ///   - request: The collection that the last request has stored or confirmed; `nil` if there was none.
    ///   - content: The content of the store.
    /// - Returns: The state.
    /// - Throws: The errors of reading the collection and its order.
    func state(
        _ phase: LiveState.Phase, after request: CollectionRequest?, in content: StoreContent
    ) async throws -> LiveState {
        let moment = content.moment
        let other = try collectionRequest()
        return try await content.read { context in
            var collection = try request.flatMap { try context.collection(of: $0) }
            if collection == nil {
                collection = try other.flatMap { try context.collection(of: $0) }
            }
            return try state(phase, of: collection, in: context, at: moment)
        }
    }

    private func state(
        _ phase: LiveState.Phase, of collection: StoredCollection?,
        in context: ManagedObjectContext,
        at moment: CommitPosition
    ) throws -> LiveState {
        LiveState(
            phase: phase, objectIDs: try ordered(collection?.objectIDs ?? [], in: context),
            fetchedAt: collection?.fetchedAt, confirmedAt: collection?.confirmedAt, moment: moment)
    }

    /// Returns the rows that the store does not have any more.
    func missing(_ keys: [Int64], in content: StoreContent) async throws -> Set<Int64> {
        let request = order
        return try await content.read { context in
            Set(keys).subtracting(try RowOrder(of: request, in: context).existing(keys))
        }
    }

    /// Returns the move of rows to where their saved values belong, which the store searches for beside the
    /// main actor; `nil` if the others do not have the order of the store.
    func move(
        of changed: Set<Int64>, in keys: [Int64], of content: StoreContent
    ) async throws -> ListMove? {
        let request = order
        return try await content.read { context in
            try RowOrder(of: request, in: context).move(of: changed, in: keys)
        }
    }

    /// Returns the offsets of rows in the order of their saved values, which the store reads beside the main
    /// actor; `nil` if a row does not exist any more.
    func order(of keys: [Int64], in content: StoreContent) async throws -> [Int]? {
        let request = order
        return try await content.read { try RowOrder(of: request, in: $0).offsets(of: keys) }
    }

    /// Returns the rows whose places a transaction may have changed; `nil` for any.
    func movedKeys(by commit: StoreCommit, in content: StoreContent) -> Set<Int64>? {
        orderings.isEmpty ? [] : content.movedKeys(in: order, by: commit)
    }

    /// A request with the order of the list.
    private var order: FetchRequest {
        var request = FetchRequest(Object.self, where: { _ in .all }, orderBy: orderings)
        request.includesPendingChanges = false
        return request
    }

    /// Returns objects in the order of the list, by their saved values.
    ///
    /// Objects that do not exist any more are left out, unless the order is that of the server.
    private func ordered(
        _ ids: [ManagedObjectID], in context: ManagedObjectContext
    ) throws(PersistenceError) -> [ManagedObjectID] {
        if orderings.isEmpty || ids.isEmpty { return ids }
        var request = FetchRequest(Object.self, where: { $0.isIn(ids) }, orderBy: orderings)
        request.includesPendingChanges = false
        return try context.fetchIDs(request)
    }

    // MARK: Unsent objects

    /// The fetch requests of the rules for the URL, which tell what belongs to the list.
    func fetchRequests() throws -> [FetchRequest] {
        let request = try request()
        let rules = request.options.fetchRequestRules ?? manager.fetchRequestRules
        if rules.isEmpty { return [] }
        let url = try manager.assemble(request.request).transportRequest.url
        return manager.fetchRequests(for: url, by: rules)
    }

    /// Returns the objects of a list with new ones that are not in it: behind the object that precedes them in
    /// the order of the list, or at its end if that is the order of the server.
    func list(
        _ listed: [Object], with unsent: [Object], in context: ManagedObjectContext
    ) throws(PersistenceError) -> [Object] {
        if unsent.isEmpty || orderings.isEmpty { return listed + unsent }
        let ids = (listed + unsent).map(\.objectID)
        let ordered = try context.fetchIDs(
            FetchRequest(Object.self, where: { $0.isIn(ids) }, orderBy: orderings))
        let new = Dictionary(unsent.map { ($0.objectID, $0) }) { first, _ in first }
        var followers: [ManagedObjectID?: [Object]] = [:]
        var previous: ManagedObjectID?
        for id in ordered {
            if let object = new[id] {
                followers[previous, default: []].append(object)
            } else {
                previous = id
            }
        }
        return listed.reduce(into: followers[nil] ?? []) { all, object in
            all.append(object)
            all += followers[object.objectID] ?? []
        }
    }

    // MARK: Requests

    /// Returns the request as the manager would send it now.
    private func request() throws -> ManagedRequest {
        ManagedRequest(
            for: Object.self, at: RequestTarget(try path.get()), parameters, keyPath, configure)
    }

    /// Returns the collection of the list; `nil` if the request has none.
    private func collectionRequest() throws -> CollectionRequest? {
        let request = try request()
        return try manager.collectionRequest(
            of: manager.assemble(request.request).transportRequest, request.options,
            isPaged: false)
    }

    /// Sends the request, or joins an identical one that is in progress.
    ///
    /// - Returns: The collection that was stored or confirmed.
    /// - Throws: The errors of the request; ``/RestNetworking/NetworkingError`` with code `emptyResponse`
    ///   for a response that does not have the list, such as one with status 204 or 206.
    func refresh(in content: StoreContent) async throws -> CollectionRequest {
        let key = RefreshTable.Key(
            request: try collectionRequest(), store: content.token,
            entity: ObjectIdentifier(Object.self))
        let result = try await manager.managedConfiguration.refreshes.join(key) {
            var request = try request()
            request.options.storesCollection = true
            return try await manager.send(request, into: content)
        }
        guard let request = result.collectionRequest else {
            throw NetworkingError(
                .emptyResponse, stage: .response, method: "GET", url: result.url.redacted,
                causes: ["the response has no list: its body is empty, or its status is not 200"])
        }
        return request
    }

    /// Returns the time until the collection is too old; `nil` if it is, or there is none.
    private func remainingAge(of collection: StoredCollection?) -> Duration? {
        guard let maximumAge, let collection, !collection.facts.version.isEmpty else { return nil }
        let age = manager.client.clock.date.timeIntervalSince(collection.confirmedAt)
        let rest = maximumAge - .seconds(age)
        return age >= 0 && rest > .zero ? rest : nil
    }
}

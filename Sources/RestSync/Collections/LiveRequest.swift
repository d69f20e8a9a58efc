// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
public import RestNetworking
public import RestPersistence
import RestTransport
import Synchronization

/// A GET request whose collection is shown from the store and refreshed from the server.
struct LiveRequest<Object: ManagedEntity>: Sendable {
    let manager: ObjectManager
    let path: String
    let parameters: RequestParameters
    let store: ManagedObjectStore
    let maximumAge: Duration?
    /// The order of the objects; empty for that of the server.
    let orderings: [FetchOrdering<Object>]
    let options: ManagedRequestOptions

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
    /// maximum age, until the first request has ended.
    ///
    /// After an error of the store, the objects are those of the state before.
    @concurrent
    func run(_ deliver: @Sendable (LiveState) async -> Void) async {
        let clock = manager.client.clock
        var last = LiveState(
            phase: .loading, objectIDs: [], fetchedAt: nil, confirmedAt: nil,
            moment: store.moment)
        var isFirst = true
        var wait: Duration?
        // The last request tells which collection is that of the user.
        var request: CollectionRequest?
        while !Task.isCancelled {
            do {
                if isFirst {
                    isFirst = false
                    let moment = store.moment
                    let stored = try await collection()
                    wait = remainingAge(of: stored)
                    last = try await state(wait == nil ? .loading : .stored, of: stored, at: moment)
                    await deliver(last)
                }
                if let wait {
                    try await clock.sleep(until: clock.now + wait)
                    last = try await state(.loading, after: request)
                    await deliver(last)
                }
                var phase = LiveState.Phase.fresh
                do {
                    request = try await refresh()
                } catch {
                    phase = .failed(error)
                }
                if Task.isCancelled { return }
                last = try await state(phase, after: request)
                await deliver(last)
            } catch is CancellationError {
                return
            } catch {
                await deliver(
                    LiveState(
                        phase: .failed(error), objectIDs: last.objectIDs,
                        fetchedAt: last.fetchedAt, confirmedAt: last.confirmedAt,
                        moment: last.moment))
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

    private func collection() async throws -> FetchedCollection? {
        try await manager.collection(
            at: path, parameters: parameters, in: store, options: options)
    }

    /// Reads the list from the store.
    ///
    /// - Parameters:
    ///   - phase: The progress.
    ///   - request: The collection that the last request has stored or confirmed; `nil` if there was none.
    /// - Returns: The state.
    /// - Throws: The errors of reading the collection and its order.
    func state(
        _ phase: LiveState.Phase, after request: CollectionRequest?
    ) async throws -> LiveState {
        let moment = store.moment
        var stored: FetchedCollection?
        if let request { stored = try await store.collectionReader.collection(of: request) }
        if stored == nil { stored = try await collection() }
        return try await state(phase, of: stored, at: moment)
    }

    private func state(
        _ phase: LiveState.Phase, of collection: FetchedCollection?, at moment: StoreMoment
    ) async throws -> LiveState {
        LiveState(
            phase: phase, objectIDs: try await ordered(collection?.objectIDs ?? []),
            fetchedAt: collection?.fetchedAt, confirmedAt: collection?.confirmedAt, moment: moment)
    }

    /// Returns those of the objects that the store has.
    func existing(_ ids: [ManagedObjectID]) async throws -> Set<ManagedObjectID> {
        let request = FetchRequest(Object.self, where: { $0.isIn(ids) })
        return Set(try await store.read { try $0.fetchIDs(request) })
    }

    /// Returns objects in the order of the list, which the store reads beside the main actor.
    ///
    /// Objects that do not exist any more are left out, unless the order is that of the server.
    func ordered(_ ids: [ManagedObjectID]) async throws -> [ManagedObjectID] {
        if orderings.isEmpty || ids.isEmpty { return ids }
        let request = FetchRequest(Object.self, where: { $0.isIn(ids) }, orderBy: orderings)
        return try await store.read { try $0.fetchIDs(request) }
    }

    /// Sends the request, or joins an identical one that is in progress.
    ///
    /// - Returns: The collection that was stored or confirmed.
    /// - Throws: The errors of the request; ``/RestNetworking/NetworkingError`` with code `emptyResponse`
    ///   for a response that does not have the list, such as one with status 204 or 206.
    func refresh() async throws -> CollectionRequest {
        let assembled = try manager.assemble(
            ObjectRequest<ObjectResponse>(.get, to: .path(path), parameters: parameters))
        let key = RefreshTable.Key(
            request: try manager.collectionRequest(
                of: assembled.transportRequest, options, isPaged: false),
            store: ObjectIdentifier(store), entity: ObjectIdentifier(Object.self))
        let result = try await manager.managedConfiguration.refreshes.join(key) {
            try await manager.getObjects(
                Object.self, at: path, parameters: parameters, into: store
            ) {
                $0.options = options
                $0.options.storesCollection = true
            }
        }
        guard let request = result.collectionRequest else {
            throw NetworkingError(
                .emptyResponse, stage: .response, method: "GET", url: result.url.redacted,
                causes: ["the response has no list: its body is empty, or its status is not 200"])
        }
        return request
    }

    /// Returns the time until the collection is too old; `nil` if it is, or there is none.
    private func remainingAge(of collection: FetchedCollection?) -> Duration? {
        guard let maximumAge, let collection, !collection.facts.version.isEmpty else { return nil }
        let age = manager.client.clock.date.timeIntervalSince(collection.confirmedAt)
        let rest = maximumAge - .seconds(age)
        return age >= 0 && rest > .zero ? rest : nil
    }
}

/// The refreshes in progress, which identical ones join.
final class RefreshTable: Sendable {
    struct Key: Hashable {
        let request: CollectionRequest?
        let store: ObjectIdentifier
        let entity: ObjectIdentifier
    }

    private let tasks = Mutex<[Key: Task<ManagedResult, any Error>]>([:])

    /// Returns the result of a refresh in progress, or of a new one.
    ///
    /// The request continues if a caller is cancelled, because others may wait for it.
    func join(
        _ key: Key, _ send: @escaping @Sendable () async throws -> ManagedResult
    ) async throws -> ManagedResult {
        let task = tasks.withLock { tasks in
            if let task = tasks[key] { return task }
            let task = Task {
                defer { self.tasks.withLock { $0[key] = nil } }
                return try await send()
            }
            tasks[key] = task
            return task
        }
        return try await task.value
    }
}

extension ObjectManager {
    /// Returns the states of a list: the stored objects at once, then those of the server.
    ///
    /// ```swift
    /// for await state in api.live(Airport.self, at: "airports", maximumAge: .seconds(60)) {
    ///     print(state.phase.isLoading, state.objectIDs.count)
    /// }
    /// ```
    ///
    /// Identical requests that are in progress at the same time are one request. The sequence ends when
    /// the store is closed, when its task is cancelled, or without a maximum age, after the first
    /// request.
    ///
    /// - Parameters:
    ///   - type: The class of the entity.
    ///   - path: A path relative to the base URL.
    ///   - parameters: An object whose members are added to the query, form-encoded.
    ///   - store: The store; `nil` for the ``store`` of the manager.
    ///   - orderings: The orderings of the objects by their saved values, in descending significance;
    ///     empty for the order of the server.
    ///   - maximumAge: The age from which on the objects are requested again; `nil` to request them
    ///     once, whatever their age.
    ///   - options: The treatment of the responses. Identical requests that are one have the options of
    ///     the first.
    /// - Returns: A sequence for one iteration. The list is read, and requested if needed, at once.
    /// - Throws: ``SyncError`` with code ``SyncError/Code/noStore``.
    public func live<Object: ManagedEntity>(
        _ type: Object.Type, at path: String, parameters: RequestParameters = [:],
        in store: ManagedObjectStore? = nil, orderBy orderings: [FetchOrdering<Object>] = [],
        maximumAge: Duration? = nil, options: ManagedRequestOptions = ManagedRequestOptions()
    ) throws(SyncError) -> AsyncStream<LiveState> {
        LiveRequest<Object>(
            manager: self, path: path, parameters: parameters, store: try destination(store),
            maximumAge: maximumAge, orderings: orderings, options: options
        ).states
    }
}

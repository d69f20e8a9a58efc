// SPDX-License-Identifier: Apache-2.0

public import Observation
public import RestDocument
public import RestNetworking
public import RestPersistence

/// The objects that a GET request lists, in the main context of a store, for views.
///
/// ```swift
/// let airports = try RemoteList(Airport.self, at: "airports", by: api, maximumAge: .seconds(300))
///
/// List(airports.objects) { Text($0.name) }
///     .refreshable { try? await airports.refresh() }
/// ```
///
/// The objects of the stored collection appear at once, in the order of the server or in that of the
/// list, which follows later saves of their values. Their values are read when a view needs them, 256
/// objects at a time. They are requested when they are older than the maximum age, and by ``refresh()``. A
/// view is updated when objects are added, removed or moved, and when the phase changes; the objects are
/// observable themselves.
///
/// The list follows the unsaved changes of the main context. It lacks the objects that they delete. New objects
/// that one of the ``ManagedRequestOptions/fetchRequestRules`` finds for the URL of the list belong to it: behind
/// the object that precedes them in the order of the list, or at its end if that is the order of the server. When
/// they have been sent, they stay until the next response.
///
/// After ``/RestPersistence/ManagedObjectStore/reset(discardsUnsentEdits:)`` the list has the stored collection
/// of the new content, which is requested at the maximum age or by ``refresh()``, not at once: the program may
/// not have the credentials of the next user yet. If the store is closed, the objects are the last ones.
@MainActor @Observable
public final class RemoteList<Object: ManagedEntity> {
    /// The objects, in the order of the list: that of the server, unless it has its own.
    public var objects: [Object] {
        access(keyPath: \.objects)
        return shown
    }

    /// The progress; ``LiveState/Phase/stored`` before the store was read.
    public private(set) var phase = LiveState.Phase.stored

    @ObservationIgnored private let request: LiveRequest<Object>
    /// The content of the store that the list shows.
    @ObservationIgnored private var content: StoreContent
    /// The objects of the collection, including those that unsaved changes delete.
    @ObservationIgnored private var listed = ListedObjects<Object>()
    @ObservationIgnored private var shown: [Object] = []
    /// A Boolean value that indicates whether the list shows the objects of the collection and no others.
    @ObservationIgnored private var showsListed = true
    /// The rows that have moved since all objects were put into their order.
    ///
    /// The store may have been ahead of the commit that was followed then, so that rows have been compared with
    /// others whose places are those of before.
    @ObservationIgnored private var moved: Set<Int64> = []
    /// A Boolean value that indicates whether the next commit of the rows puts all objects into their order.
    @ObservationIgnored private var isOutOfOrder = false
    /// The number of times that the store has put all objects of the list into their order.
    @ObservationIgnored package private(set) var orderCount = 0
    /// The number of times that the store has put some objects of the list into their order.
    @ObservationIgnored package private(set) var moveCount = 0
    /// The new objects that belong to the list, and those that have been sent since the last response.
    @ObservationIgnored private var added: [Object] = []
    /// The version of the unsaved changes that the list shows.
    @ObservationIgnored private var unsavedVersion = 0
    @ObservationIgnored private var isUpdateScheduled = false
    @ObservationIgnored private var task: Task<Void, Never>?

    /// Creates a list, which reads the stored objects, and requests them in the background if they are too old.
    ///
    /// - Parameters:
    ///   - type: The class of the entity.
    ///   - target: The resource: a path or another ``/RestNetworking/RequestTarget``.
    ///   - parameters: An object whose members are added to the query, form-encoded.
    ///   - keyPath: The location of the objects in a response, in place of that of a descriptor.
    ///   - manager: The object manager.
    ///   - store: The store; `nil` for the `store` of the manager.
    ///   - orderings: The orderings of the objects by their saved values, in descending significance;
    ///     empty for the order of the server.
    ///   - maximumAge: The age from which on the objects are requested again; `nil` to request them
    ///     once, whatever their age.
    ///   - configure: Sets further properties of each request and the treatment of its response.
    /// - Throws: ``SyncError`` with code ``SyncError/Code/noStore``.
    public convenience init(
        _ type: Object.Type = Object.self, at target: some RequestTargetConvertible,
        parameters: RequestParameters = [:], keyPath: DocumentPath? = nil,
        by manager: ObjectManager, in store: ManagedObjectStore? = nil,
        orderBy orderings: [FetchOrdering<Object>] = [], maximumAge: Duration? = nil,
        configure: @escaping @Sendable (inout ManagedRequest) -> Void = { _ in }
    ) throws(SyncError) {
        self.init(
            try LiveRequest(
                manager, at: target, parameters, keyPath, in: store, orderBy: orderings,
                maximumAge: maximumAge, configure))
    }

    /// Creates a list in ascending order of an attribute.
    ///
    /// - Throws: ``SyncError`` with code ``SyncError/Code/noStore``.
    public convenience init(
        _ type: Object.Type = Object.self, at target: some RequestTargetConvertible,
        parameters: RequestParameters = [:], keyPath: DocumentPath? = nil,
        by manager: ObjectManager, in store: ManagedObjectStore? = nil,
        orderBy path: any KeyPath<Object, some AttributeValue> & Sendable,
        maximumAge: Duration? = nil,
        configure: @escaping @Sendable (inout ManagedRequest) -> Void = { _ in }
    ) throws(SyncError) {
        try self.init(
            type, at: target, parameters: parameters, keyPath: keyPath, by: manager, in: store,
            orderBy: [.ascending(path)], maximumAge: maximumAge, configure: configure)
    }

    /// Creates the list of a request.
    init(_ request: LiveRequest<Object>) {
        self.request = request
        let first = request.store.content
        content = first
        let firstCommits = begin(first, requestsFirst: true)
        task = Task { [weak self, request] in
            var (content, commits, isFirst) = (first, firstCommits, true)
            while true {
                let current = content
                await request.run(in: current, requestsFirst: isFirst, following: commits) {
                    await self?.show($0, of: current)
                } _: {
                    await self?.follow($0, in: current)
                }
                guard let next = await request.store.openContent(), next != current else {
                    if !Task.isCancelled { self?.phase = .failed(PersistenceError(.storeClosed)) }
                    return
                }
                guard let stream = self?.begin(next, requestsFirst: false) else { return }
                (content, commits, isFirst) = (next, stream, false)
            }
        }
    }

    deinit { task?.cancel() }

    /// Requests the objects, whatever their age; joins an identical request in progress.
    ///
    /// - Throws: The error of the request, which is also that of the ``phase``.
    public func refresh() async throws {
        phase = .loading
        let content = request.store.content
        // A view can cancel the task of a refresh. The request continues, and its result is shown.
        let refreshed = Task { [request] in
            let stored = try await request.refresh(in: content)
            return try await request.state(.fresh, after: stored, in: content)
        }
        do {
            show(try await refreshed.value, of: content)
        } catch {
            if content == request.store.content { phase = .failed(error) }
            throw error
        }
    }

    // MARK: Showing

    /// The main context of the content; `nil` if another content has replaced it.
    private var context: ManagedObjectContext? {
        let context = request.store.mainContext
        return context.content == content ? context : nil
    }

    /// Shows the stored objects of a content of the store.
    ///
    /// - Returns: The commits since then.
    private func begin(
        _ content: StoreContent, requestsFirst: Bool
    ) -> AsyncStream<StoreCommit> {
        let commits = content.commits
        let moment = content.moment
        self.content = content
        (listed, added) = (ListedObjects(), [])
        (moved, isOutOfOrder) = ([], false)
        guard let context else { return commits }
        context.onUnsavedChange { [weak self] in
            guard let self else { return false }
            return MainActor.assumeIsolated {
                guard self.content == content else { return false }
                self.scheduleUpdate()
                return true
            }
        }
        do {
            let stored = try request.stored(in: context, at: moment, requestsFirst: requestsFirst)
            show(stored.state, of: content)
        } catch {
            phase = .failed(error)
        }
        update()
        return commits
    }

    private func show(_ state: LiveState, of content: StoreContent) {
        guard content == self.content, let context else { return }
        do throws(PersistenceError) {
            try listed.replace(by: state.objectIDs) { ids throws(PersistenceError) in
                try context.objects(Object.self, with: ids, existingAt: state.moment)
            }
            if state.phase.isFresh { added.removeAll { $0.objectState != .inserted } }
            phase = state.phase
            update()
        } catch {
            phase = .failed(error)
        }
    }

    /// Updates the objects once for all changes of this turn of the main actor.
    private func scheduleUpdate() {
        if isUpdateScheduled { return }
        isUpdateScheduled = true
        Task { [weak self] in self?.updateUnsaved() }
    }

    private func updateUnsaved() {
        isUpdateScheduled = false
        guard let context,
            context.hasUnsavedMembers(of: Object.self, since: &unsavedVersion) || !added.isEmpty
        else { return }
        update()
    }

    /// Updates the objects by the collection and the unsaved changes.
    private func update() {
        guard let context else { return }
        var objects = context.withoutDeleted(listed.objects)
        showsListed = objects.count == listed.objects.count
        do {
            let new = try context.insertedObjects(
                of: Object.self, matching: try request.fetchRequests())
            // Those that are sent by now.
            added.removeAll { ![.saved, .updated].contains($0.objectState) }
            added += new
            if !added.isEmpty {
                let known = listed.keys.offsets(of: Set(added.map(\.objectID.key)))
                added.removeAll { object in known.contains { listed.objects[$0] == object } }
                showsListed = showsListed && added.isEmpty
                objects = try request.list(objects, with: added, in: context)
            }
        } catch {
            phase = .failed(error)
        }
        if objects != shown { withMutation(keyPath: \.objects) { shown = objects } }
    }

    // MARK: Commits

    /// Changes the objects of the collection, and those that the list shows.
    private func change(_ body: (inout ListedObjects<Object>) -> Void) {
        guard showsListed else {
            body(&listed)
            return update()
        }
        withMutation(keyPath: \.objects) {
            // One array is changed in place, and none is copied.
            shown = []
            body(&listed)
            shown = listed.objects
        }
    }

    private func remove(_ keys: Set<Int64>) {
        let offsets = listed.keys.offsets(of: keys)
        if !offsets.isEmpty { change { $0.remove(at: offsets) } }
    }

    /// Removes the objects that a transaction has deleted, and puts the others into their order.
    private func follow(_ commit: StoreCommit, in content: StoreContent) async {
        guard content == self.content,
            let table = try? content.model.layout(of: Object.self).table.index
        else { return }
        if !commit.replacements.isEmpty {
            listed.replaceKeys { content.database.currentKey(of: $0) }
        }
        let rows = commit.tables[table]
        if !rows.deleted.isEmpty { remove(Set(rows.deleted.lazy.map(\.key))) }
        // Another process does not tell which rows it has deleted.
        if rows.isUnnamed, !listed.keys.isEmpty,
            let missing = try? await request.missing(listed.keys, in: content),
            content == self.content
        {
            remove(missing)
        }
        guard content == self.content else { return }
        let isAnyMoved = isOutOfOrder && !rows.isEmpty
        await move(isAnyMoved ? nil : request.movedKeys(by: commit, in: content), in: content)
    }

    /// The number of rows that are compared with others, in place of putting all objects into their order.
    private static var maximumMoveCount: Int { 32 }

    /// Moves objects to where their saved values belong.
    ///
    /// - Parameters:
    ///   - keys: The rows that may have another place; `nil` for any.
    ///   - content: The content of the store.
    private func move(_ keys: Set<Int64>?, in content: StoreContent) async {
        if keys?.isEmpty == true { return }
        // A list that changes meanwhile is compared again.
        while content == self.content, !listed.keys.isEmpty {
            let (list, version) = (listed.keys, listed.version)
            let changed = keys.map { keys in Set(list.offsets(of: keys).map { list[$0] }) }
            if changed?.isEmpty == true { return }
            let all = changed?.union(moved)
            if let all, all.count <= Self.maximumMoveCount {
                moveCount += 1
                let move = try? await request.move(of: all, in: list, of: content)
                guard content == self.content else { return }
                if listed.version != version { continue }
                if let move {
                    moved = all
                    if !move.isEmpty { change { $0.apply(move) } }
                    return
                }
            }
            orderCount += 1
            let order = try? await request.order(of: list, in: content)
            guard content == self.content else { return }
            if listed.version != version { continue }
            moved = []
            // An order that cannot be read stays as it is until the next commit of the rows.
            isOutOfOrder = order == nil
            if let order, order != Array(order.indices) { change { $0.reorder(by: order) } }
            return
        }
    }
}

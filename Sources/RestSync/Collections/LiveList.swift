// SPDX-License-Identifier: Apache-2.0

public import Observation
public import RestNetworking
public import RestPersistence

/// The objects that a GET request lists, in the main context of a store, for views.
///
/// ```swift
/// let airports = try LiveList(Airport.self, at: "airports", by: api, maximumAge: .seconds(300))
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
@MainActor @Observable
public final class LiveList<Object: ManagedEntity> {
    /// The objects, in the order of the list: that of the server, unless it has its own.
    public private(set) var objects: [Object] = []

    /// The progress; ``LiveState/Phase/stored`` before the store was read.
    public private(set) var phase = LiveState.Phase.stored

    @ObservationIgnored private let request: LiveRequest<Object>
    @ObservationIgnored private var tasks: [Task<Void, Never>] = []

    /// Creates a list, which reads the store and requests the objects in the background.
    ///
    /// - Parameters:
    ///   - type: The class of the entity.
    ///   - path: A path relative to the base URL.
    ///   - parameters: An object whose members are added to the query, form-encoded.
    ///   - manager: The object manager.
    ///   - store: The store; `nil` for the `store` of the manager.
    ///   - orderings: The orderings of the objects by their saved values, in descending significance;
    ///     empty for the order of the server.
    ///   - maximumAge: The age from which on the objects are requested again; `nil` to request them
    ///     once, whatever their age.
    ///   - options: The treatment of the responses.
    /// - Throws: ``SyncError`` with code ``SyncError/Code/noStore``.
    public convenience init(
        _ type: Object.Type = Object.self, at path: String, parameters: RequestParameters = [:],
        by manager: ObjectManager, in store: ManagedObjectStore? = nil,
        orderBy orderings: [FetchOrdering<Object>] = [], maximumAge: Duration? = nil,
        options: ManagedRequestOptions = ManagedRequestOptions()
    ) throws(SyncError) {
        self.init(
            LiveRequest(
                manager: manager, path: path, parameters: parameters,
                store: try manager.destination(store), maximumAge: maximumAge,
                orderings: orderings, options: options))
    }

    /// Creates the list of a request.
    init(_ request: LiveRequest<Object>) {
        self.request = request
        let states = request.states
        let commits = request.store.commits
        tasks = [
            Task { [weak self] in
                for await state in states { self?.show(state) }
            },
            Task { [weak self] in
                for await commit in commits { await self?.follow(commit) }
            },
        ]
    }

    isolated deinit {
        for task in tasks { task.cancel() }
    }

    /// Requests the objects, whatever their age; joins an identical request in progress.
    ///
    /// - Throws: The error of the request, which is also that of the ``phase``.
    public func refresh() async throws {
        phase = .loading
        // A view can cancel the task of a refresh. The request continues, and its result is shown.
        let refreshed = Task { [request] in
            let stored = try await request.refresh()
            return try await request.state(.fresh, after: stored)
        }
        do {
            show(try await refreshed.value)
        } catch {
            phase = .failed(error)
            throw error
        }
    }

    private func show(_ state: LiveState) {
        do throws(PersistenceError) {
            if state.objectIDs != objects.map(\.objectID) {
                objects = try request.store.mainContext.objects(
                    Object.self, with: state.objectIDs, existingAt: state.moment)
            }
            phase = state.phase
        } catch {
            phase = .failed(error)
        }
    }

    private func keep(_ isKept: (ManagedObjectID) -> Bool) {
        let kept = objects.filter { isKept($0.objectID) }
        if kept.count != objects.count { objects = kept }
    }

    /// Removes the objects that a transaction has deleted, and puts the others into their order.
    private func follow(_ commit: StoreCommit) async {
        let deleted = Set(commit.deletedIDs)
        if !deleted.isEmpty { keep { !deleted.contains($0) } }
        // Another process does not tell which rows it has deleted.
        if commit.hasUnnamedChanges {
            let listed = objects.map(\.objectID)
            if let existing = try? await request.existing(listed), existing.count != listed.count {
                let missing = Set(listed).subtracting(existing)
                keep { !missing.contains($0) }
            }
        }
        if request.orderings.isEmpty || objects.isEmpty { return }
        let ids = objects.map(\.objectID)
        // An order that cannot be read stays as it is; the next request reports the error.
        guard let ordered = try? await request.ordered(ids), ordered != ids else { return }
        // A list with other objects by now has been ordered after this transaction.
        let known = Dictionary(objects.map { ($0.objectID, $0) }) { first, _ in first }
        let moved = ordered.compactMap { known[$0] }
        if moved.count == objects.count { objects = moved }
    }
}

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
/// The objects of the stored collection appear at once, in the order of the server. They are requested
/// when they are older than the maximum age, and by ``refresh()``. A view is updated when objects are
/// added, removed or moved, and when the phase changes; the objects are observable themselves.
@MainActor @Observable
public final class LiveList<Object: ManagedEntity> {
    /// The objects, in the order of the server.
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
    ///   - maximumAge: The age from which on the objects are requested again; `nil` to request them
    ///     once, whatever their age.
    /// - Throws: ``SyncError`` with code ``SyncError/Code/noStore``.
    public init(
        _ type: Object.Type = Object.self, at path: String, parameters: RequestParameters = [:],
        by manager: ObjectManager, in store: ManagedObjectStore? = nil,
        maximumAge: Duration? = nil
    ) throws(SyncError) {
        request = LiveRequest(
            manager: manager, path: path, parameters: parameters,
            store: try manager.destination(store), maximumAge: maximumAge)
        let states = try manager.live(
            type, at: path, parameters: parameters, in: store, maximumAge: maximumAge)
        let commits = request.store.commits
        tasks = [
            Task { [weak self] in
                for await state in states { self?.show(state) }
            },
            Task { [weak self] in
                for await commit in commits { self?.remove(commit) }
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
        do {
            _ = try await request.refresh()
            show(request.state(.fresh, try await request.collection()))
        } catch {
            phase = .failed(error)
            throw error
        }
    }

    private func show(_ state: LiveState) {
        do throws(PersistenceError) {
            let new = try request.store.mainContext.objects(Object.self, with: state.objectIDs)
            if new != objects { objects = new }
            phase = state.phase
        } catch {
            phase = .failed(error)
        }
    }

    /// Removes the objects that a transaction has deleted.
    private func remove(_ commit: StoreCommit) {
        let deleted = Set(commit.deletedIDs)
        if deleted.isEmpty { return }
        let kept = objects.filter { !deleted.contains($0.objectID) }
        if kept.count != objects.count { objects = kept }
    }
}

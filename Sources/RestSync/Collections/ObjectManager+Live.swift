// SPDX-License-Identifier: Apache-2.0

public import RestNetworking
public import RestPersistence

extension ObjectManager {
    /// Returns the states of a list: the stored objects at once, then those of the server.
    ///
    /// ```swift
    /// for await state in api.live(Airport.self, at: "airports", maximumAge: .seconds(60)) {
    ///     print(state.phase.isLoading, state.objectIDs.count)
    /// }
    /// ```
    ///
    /// Identical requests that are in progress at the same time are one request. After
    /// ``/RestPersistence/ManagedObjectStore/reset()`` the next state has the list of the new content, which is
    /// requested at the maximum age. The sequence ends when the store is closed, when its task is cancelled, or
    /// without a maximum age, after the first request or a reset.
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

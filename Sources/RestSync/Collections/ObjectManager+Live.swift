// SPDX-License-Identifier: Apache-2.0

public import RestDocument
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
    /// ``/RestPersistence/ManagedObjectStore/reset(discardsUnsentEdits:)`` the next state has the list of the
    /// new content, which is requested at the maximum age. The sequence ends when the store is closed, when its
    /// task is cancelled, or without a maximum age, after the first request or a reset.
    ///
    /// - Parameters:
    ///   - type: The class of the entity.
    ///   - target: The resource: a path or another ``/RestNetworking/RequestTarget``.
    ///   - parameters: An object whose members are added to the query, form-encoded.
    ///   - keyPath: The location of the objects in a response, in place of that of a descriptor.
    ///   - store: The store; `nil` for the ``store`` of the manager.
    ///   - orderings: The orderings of the objects by their saved values, in descending significance;
    ///     empty for the order of the server.
    ///   - maximumAge: The age from which on the objects are requested again; `nil` to request them
    ///     once, whatever their age.
    ///   - configure: Sets further properties of each request and the treatment of its response. Identical
    ///     requests that are one have the options of the first.
    /// - Returns: A sequence for one iteration. The list is read, and requested if needed, at once.
    /// - Throws: ``SyncError`` with code ``SyncError/Code/noStore``.
    public func live<Object: ManagedEntity>(
        _ type: Object.Type, at target: some RequestTargetConvertible,
        parameters: RequestParameters = [:], keyPath: DocumentPath? = nil,
        in store: ManagedObjectStore? = nil, orderBy orderings: [FetchOrdering<Object>] = [],
        maximumAge: Duration? = nil,
        configure: @escaping @Sendable (inout ManagedRequest) -> Void = { _ in }
    ) throws(SyncError) -> AsyncStream<LiveState> {
        try LiveRequest<Object>(
            self, at: target, parameters, keyPath, in: store, orderBy: orderings,
            maximumAge: maximumAge, configure
        ).states
    }
}

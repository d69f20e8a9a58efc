// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import RestNetworking
public import RestPersistence
public import RestTransport

extension ObjectManager {
    /// A text that is part of the version of all mappings; see
    /// ``RestNetworking/ObjectManagerConfiguration/mappingVersion``.
    public var mappingVersion: String { managedConfiguration.mappingVersion }

    /// Returns the collection that the GET requests for a path have fetched into a store.
    ///
    /// ```swift
    /// let list = try await api.collection(at: "airports")
    /// let airports = try context.objects(Airport.self, with: list?.objectIDs ?? [])
    /// ```
    ///
    /// - Parameters:
    ///   - target: The resource: a path or another ``/RestNetworking/RequestTarget``.
    ///   - parameters: An object whose members are added to the query, form-encoded.
    ///   - store: The store; `nil` for the ``store`` of the manager.
    ///   - isPaged: A Boolean value that indicates whether to return the collection of the pages of
    ///     the list.
    ///   - options: The options of the requests, whose
    ///     ``ManagedRequestOptions/collectionParameters`` are part of the collection's identity.
    /// - Returns: The collection; `nil` if the store has none.
    /// - Throws: ``/RestNetworking/NetworkingError`` for the path, ``SyncError`` with code
    ///   ``SyncError/Code/noStore``, ``/RestPersistence/PersistenceError`` of the database.
    public func collection(
        at target: some RequestTargetConvertible, parameters: RequestParameters = [:],
        in store: ManagedObjectStore? = nil, isPaged: Bool = false,
        options: ManagedRequestOptions = ManagedRequestOptions()
    ) async throws -> StoredCollection? {
        let request = ObjectRequest<ObjectResponse>(
            .get, at: target, parameters: parameters)
        let store = try destination(store)
        let key = try collectionRequest(
            of: assemble(request).transportRequest, options, isPaged: isPaged)
        guard let key else { return nil }
        return try await store.collectionReader.collection(of: key)
    }

    /// Returns the identity of the collection of an assembled request, which has neither the header
    /// fields nor the principal and the credentials of the client yet.
    func collectionRequest(
        of request: TransportRequest, _ options: ManagedRequestOptions, isPaged: Bool
    ) throws -> CollectionRequest? {
        CollectionRequest(
            try client.authorized(request), options.collectionParameters, isPaged: isPaged)
    }
}

extension ManagedObjectStore {
    /// Removes the collections of a principal, with the objects that no other collection has.
    ///
    /// Objects that are related to members, but not members themselves, stay, and so do members to which
    /// objects that stay refer. To separate accounts completely, use one store for each of them.
    ///
    /// - Parameter principal: The principal of the requests.
    /// - Returns: The number of deleted objects, without those that delete rules delete.
    /// - Throws: ``/RestPersistence/PersistenceError`` with code `unsentEdits` if an outbox has edits of the
    ///   principal that were not sent yet, refused ones included, which `Outbox.forget(_:discardsUnsentEdits:)`
    ///   discards; that of saving. The store is then unchanged.
    @discardableResult
    public func removeCollections(of principal: Principal) async throws -> Int {
        try await content.database.readSnapshot {
            try UnsentEdits.check(UnsentEdits(database: $0).entryCount(ofPrincipal: principal.id))
        }
        let user = CachePartition.of(principal)
        return try await removeCollections(ofUser: user)
    }
}

// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestMapping
public import RestNetworking
public import RestPersistence

extension ObjectManager {
    /// Sends a GET request and imports objects of one entity into a store.
    ///
    /// Objects that exist in the store are found by their identification attributes and updated;
    /// others are inserted. Relationships are connected, and all changes are saved in one
    /// transaction. A row whose values do not change is not written.
    ///
    /// A response descriptor for the entity and the path gives the key path of the objects. Without
    /// one, the whole document is mapped. It may be a list or a single object.
    ///
    /// - Parameters:
    ///   - type: The class of the entity.
    ///   - path: A path relative to the base URL.
    ///   - parameters: An object whose members are added to the query, form-encoded.
    ///   - store: The store to import into.
    /// - Returns: The IDs of the objects in document order, and the saved changes.
    /// - Throws: ``/RestNetworking/NetworkingError`` for the request, the response and the mapping,
    ///   ``SyncError`` for the store, or `CancellationError`. The store is then unchanged.
    /// - Isolation: Parsing, mapping and saving run outside of the caller's isolation.
    public func getObjects<Object: ManagedEntity>(
        _ type: Object.Type, at path: String, parameters: RequestParameters = [:],
        into store: ManagedObjectStore
    ) async throws -> ManagedResult {
        let response = try await managedResponse(type, at: path, parameters: parameters)
        return try await importResponse(response, into: store)
    }

    /// Sends a GET request, imports objects of one entity, and fetches them in a context.
    ///
    /// The objects are imported into the context's store, as by
    /// ``getObjects(_:at:parameters:into:)``. The context is then refreshed: its objects show the
    /// saved values, except for properties with unsaved changes.
    ///
    /// - Parameters:
    ///   - type: The class of the entity.
    ///   - path: A path relative to the base URL.
    ///   - parameters: An object whose members are added to the query, form-encoded.
    ///   - context: A context of the caller, such as the store's `mainContext`.
    /// - Returns: The context's objects in document order.
    /// - Throws: The errors of ``getObjects(_:at:parameters:into:)``, and
    ///   ``/RestPersistence/PersistenceError`` if the objects cannot be fetched afterwards.
    public func getObjects<Object: ManagedEntity>(
        _ type: Object.Type, at path: String, parameters: RequestParameters = [:],
        in context: ManagedObjectContext
    ) async throws -> [Object] {
        let response = try await managedResponse(type, at: path, parameters: parameters)
        let result = try await map(response) { response, report in
            let responseImport = try ResponseImport(response, into: context.model)
            let result = try await context.performInBackground { context in
                try responseImport.run(in: context)
            }
            report.add(result.report)
            return result
        }
        context.refreshAllObjects()
        return try context.objects(type, with: result.objectIDs)
    }

    private func managedResponse<Object: ManagedEntity>(
        _ type: Object.Type, at path: String, parameters: RequestParameters
    ) async throws -> ObjectResponse {
        let request = try assemble(
            ObjectRequest<ObjectResponse>(
                .get, to: .path(path), parameters: parameters,
                expecting: Self.defaultDescriptor(for: type)))
        return try await response(to: request)
    }

    /// Imports a response into a store, in one transaction.
    func importResponse(
        _ response: ObjectResponse, into store: ManagedObjectStore
    ) async throws -> ManagedResult {
        try await map(response) { response, report in
            try await ResponseImport.run(response, into: store, &report)
        }
    }

    /// Returns a descriptor that applies an entity's default mapping to every response.
    static func defaultDescriptor<Object: ManagedEntity>(
        for type: Object.Type
    ) -> ResponseDescriptor {
        ResponseDescriptor(ObjectMapping(for: type), statusCodes: nil)
    }
}

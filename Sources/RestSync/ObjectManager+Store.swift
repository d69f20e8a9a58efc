// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import RestDocument
import RestMapping
public import RestNetworking
public import RestPersistence

extension ObjectManager {
    /// Gets a list of objects, or a single one, into a store.
    ///
    /// Objects are found by their identity or inserted, changed where the response says something
    /// else, connected, and saved in one transaction; rows that already say what the response says
    /// are not touched. A descriptor that was added for the entity and the path says where in the
    /// document the objects are; without one they are the whole document.
    ///
    /// - Parameters:
    ///   - type: The entity's class.
    ///   - path: A path under the base URL.
    ///   - parameters: An object whose members go into the query, as a form.
    ///   - store: Where the objects go.
    /// - Returns: The objects' IDs in document order and what was written.
    /// - Throws: ``RestNetworking/NetworkingError`` up to and including the mapping, ``SyncError``
    ///   for the store, `CancellationError`. The store is then as it was.
    /// - Isolation: Nothing is parsed, mapped or saved in the caller's isolation.
    public func getObjects<Object: ManagedEntity>(
        _ type: Object.Type, at path: String, parameters: Document = [:],
        into store: ManagedObjectStore
    ) async throws -> ManagedResult {
        let response = try await managedResponse(type, at: path, parameters: parameters)
        let step = try ResponseImport(response, into: store.model)
        let result = try await store.perform { context in try step.run(in: context) }
        await markMapped(response)
        return result
    }

    /// Gets a list of objects, or a single one, into the store of a context.
    ///
    /// As ``getObjects(_:at:parameters:into:)``; then the context reads the objects, and those it
    /// had before show what was saved, but for values changed here and not saved yet.
    ///
    /// - Parameters:
    ///   - type: The entity's class.
    ///   - path: A path under the base URL.
    ///   - parameters: An object whose members go into the query, as a form.
    ///   - context: The caller's context, such as the store's `mainContext`.
    /// - Returns: The context's objects in document order.
    /// - Throws: As ``getObjects(_:at:parameters:into:)``; ``RestPersistence/PersistenceError`` if
    ///   the objects cannot be read afterwards.
    public func getObjects<Object: ManagedEntity>(
        _ type: Object.Type, at path: String, parameters: Document = [:],
        in context: ManagedObjectContext
    ) async throws -> [Object] {
        let response = try await managedResponse(type, at: path, parameters: parameters)
        let step = try ResponseImport(response, into: context.model)
        let result = try await context.performInBackground { context in
            try step.run(in: context)
        }
        await markMapped(response)
        context.refreshAll()
        return try context.objects(type, with: result.objectIDs)
    }

    private func managedResponse<Object: ManagedEntity>(
        _ type: Object.Type, at path: String, parameters: Document
    ) async throws -> ObjectResponse {
        let request = try request(.get, at: path, parameters: parameters)
        return try await response(to: request, expecting: Self.descriptor(of: type))
    }

    /// What a response holds if no added descriptor says so: the entity's own mapping.
    static func descriptor<Object: ManagedEntity>(of type: Object.Type) -> ResponseDescriptor {
        ResponseDescriptor(ObjectMapping(for: type), statusCodes: nil)
    }
}

// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import RestDocument
import RestMapping
public import RestNetworking
public import RestPersistence
import Synchronization

// The destination of a response is a store, by `into:`, or a context, by `in:`.

extension ObjectManager {
    /// Sends a GET request and imports objects of one entity into a store.
    ///
    /// Objects that exist in the store are found by their identification attributes and updated;
    /// others are inserted. Relationships are connected, orphans are deleted, and all changes are
    /// saved in one transaction. A row whose values do not change is not written.
    ///
    /// A response descriptor for the entity and the path gives the key path of the objects. Without
    /// one, the whole document is mapped. It may be a list or a single object.
    ///
    /// - Parameters:
    ///   - type: The class of the entity.
    ///   - target: The resource: a path or another ``/RestNetworking/RequestTarget``.
    ///   - parameters: An object whose members are added to the query, form-encoded.
    ///   - keyPath: The location of the objects in the response, in place of that of a descriptor.
    ///   - store: The store to import into; `nil` for the ``store`` of the manager.
    ///   - configure: Sets further properties of the request and the treatment of the response.
    /// - Returns: The IDs of the objects in document order, and the saved changes.
    /// - Throws: ``/RestNetworking/NetworkingError`` for the request, the response and the mapping,
    ///   ``SyncError`` for the store, or `CancellationError`; the errors of `configure`. The store is
    ///   then unchanged.
    /// - Isolation: Parsing, mapping and saving run outside of the caller's isolation.
    @discardableResult
    public func getObjects<Object: ManagedEntity>(
        _ type: Object.Type, at target: some RequestTargetConvertible,
        parameters: RequestParameters = [:], keyPath: DocumentPath? = nil,
        into store: ManagedObjectStore? = nil,
        configure: (inout ManagedRequest) throws -> Void = { _ in }
    ) async throws -> ManagedResult {
        let request = try ManagedRequest(for: type, at: target, parameters, keyPath, configure)
        return try await send(request, into: destination(store).content)
    }

    // A call that names no destination is ambiguous without this function, because managed objects are
    // values as well, which the manager can return.

    /// Sends a GET request and imports objects of one entity into the ``store`` of the manager.
    ///
    /// - Parameters:
    ///   - type: The class of the entity.
    ///   - target: The resource: a path or another ``/RestNetworking/RequestTarget``.
    ///   - parameters: An object whose members are added to the query, form-encoded.
    ///   - keyPath: The location of the objects in the response, in place of that of a descriptor.
    /// - Returns: The IDs of the objects in document order, and the saved changes.
    /// - Throws: The errors of ``getObjects(_:at:parameters:keyPath:into:configure:)``.
    @discardableResult
    public func getObjects<Object: ManagedEntity>(
        _ type: Object.Type, at target: some RequestTargetConvertible,
        parameters: RequestParameters = [:], keyPath: DocumentPath? = nil
    ) async throws -> ManagedResult {
        try await getObjects(
            type, at: target, parameters: parameters, keyPath: keyPath, into: nil)
    }

    /// Sends a GET request, imports objects of one entity, and returns them as objects of a context.
    ///
    /// The objects are imported into a private child of the context, as by
    /// ``getObjects(_:at:parameters:keyPath:into:configure:)``, and saved to the store. Edits of the context
    /// stay unsaved; a value in the response that the store does not have conflicts with one at the next
    /// save. If ``ManagedRequestOptions/savesToPersistentStore`` is `false`, the values in the response
    /// are unsaved changes instead, which replace those of the context.
    ///
    /// Objects of a relationship are connected by the rules of their mapping, which can read the parameters
    /// of the route as `@metadata.routing.parameters`.
    ///
    /// - Parameters:
    ///   - type: The class of the entity.
    ///   - target: The resource: a path or another ``/RestNetworking/RequestTarget``.
    ///   - parameters: An object whose members are added to the query, form-encoded.
    ///   - keyPath: The location of the objects in the response, in place of that of a descriptor.
    ///   - context: A context of the caller, such as the store's `mainContext`.
    ///   - configure: Sets further properties of the request and the treatment of the response.
    /// - Returns: The context's objects in document order.
    /// - Throws: The errors of ``getObjects(_:at:parameters:keyPath:into:configure:)``. The context, its
    ///   parents and the store are then unchanged.
    public func getObjects<Object: ManagedEntity>(
        _ type: Object.Type, at target: some RequestTargetConvertible,
        parameters: RequestParameters = [:], keyPath: DocumentPath? = nil,
        in context: ManagedObjectContext,
        configure: (inout ManagedRequest) throws -> Void = { _ in }
    ) async throws -> [Object] {
        let request = try ManagedRequest(for: type, at: target, parameters, keyPath, configure)
        let result: ManagedResult = try await send(request, in: context)
        return try context.objects(with: result.objectIDs).compactMap { $0 as? Object }
    }

    /// Sends a GET request and imports the objects of all response descriptors that match.
    ///
    /// - Parameters:
    ///   - target: The resource: a path or another ``/RestNetworking/RequestTarget``.
    ///   - parameters: An object whose members are added to the query, form-encoded.
    ///   - store: The store to import into.
    ///   - configure: Sets further properties of the request and the treatment of the response.
    /// - Returns: The IDs of the objects in document order, by the newest descriptor first.
    /// - Throws: The errors of ``getObjects(_:at:parameters:keyPath:into:configure:)``.
    @discardableResult
    public func getObjects(
        at target: some RequestTargetConvertible, parameters: RequestParameters = [:],
        into store: ManagedObjectStore,
        configure: (inout ManagedRequest) throws -> Void = { _ in }
    ) async throws -> ManagedResult {
        var request = ManagedRequest(.get, at: target, parameters: parameters)
        try configure(&request)
        return try await send(request, into: store.content)
    }

    /// Sends a request and imports the objects of its response into a store.
    ///
    /// ```swift
    /// let search = ManagedRequest(Airport.self, .post, at: "search", parameters: ["near": "OSL"])
    /// let found = try await api.send(search, into: store)
    /// ```
    ///
    /// - Parameters:
    ///   - request: The request and the treatment of its response.
    ///   - store: The store to import into; `nil` for the ``store`` of the manager.
    /// - Returns: The IDs of the objects in document order, and the saved changes.
    /// - Throws: The errors of ``getObjects(_:at:parameters:keyPath:into:configure:)``.
    @discardableResult
    public func send(
        _ request: ManagedRequest, into store: ManagedObjectStore? = nil
    ) async throws -> ManagedResult {
        try await send(request, into: destination(store).content)
    }

    /// Sends a GET request and imports the objects of all response descriptors that match into a
    /// context, as ``getObjects(_:at:parameters:keyPath:in:configure:)`` does.
    ///
    /// - Returns: The IDs of the objects, which `objects(with:)` of the context returns.
    @discardableResult
    public func getObjects(
        at target: some RequestTargetConvertible, parameters: RequestParameters = [:],
        in context: ManagedObjectContext,
        configure: (inout ManagedRequest) throws -> Void = { _ in }
    ) async throws -> ManagedResult {
        var request = ManagedRequest(.get, at: target, parameters: parameters)
        try configure(&request)
        return try await send(request, in: context)
    }

    /// Returns a descriptor that applies an entity's default mapping to every response.
    ///
    /// A type's mapping is compiled once.
    static func defaultDescriptor<Object: ManagedEntity>(
        for type: Object.Type
    ) -> ResponseDescriptor {
        let key = ObjectIdentifier(type)
        if let known = defaultDescriptors.withLock({ $0[key] }) { return known }
        let descriptor = ResponseDescriptor(ObjectMapping(for: type), statusCodes: nil)
        defaultDescriptors.withLock { $0[key] = descriptor }
        return descriptor
    }
}

private let defaultDescriptors = Mutex<[ObjectIdentifier: ResponseDescriptor]>([:])

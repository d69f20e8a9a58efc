// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestMapping
public import RestNetworking
public import RestPersistence
import Synchronization

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
    ///   - path: A path relative to the base URL.
    ///   - parameters: An object whose members are added to the query, form-encoded.
    ///   - store: The store to import into; `nil` for the ``store`` of the manager.
    ///   - configure: Sets further properties of the request and the treatment of the response.
    /// - Returns: The IDs of the objects in document order, and the saved changes.
    /// - Throws: ``/RestNetworking/NetworkingError`` for the request, the response and the mapping,
    ///   ``SyncError`` for the store, or `CancellationError`; the errors of `configure`. The store is
    ///   then unchanged.
    /// - Isolation: Parsing, mapping and saving run outside of the caller's isolation.
    @discardableResult
    public func getObjects<Object: ManagedEntity>(
        _ type: Object.Type, at path: String, parameters: RequestParameters = [:],
        into store: ManagedObjectStore? = nil,
        configure: (inout ManagedRequest) throws -> Void = { _ in }
    ) async throws -> ManagedResult {
        let request = try ManagedRequest(
            .path(path), parameters, expecting: Self.defaultDescriptor(for: type), configure)
        return try await send(request, into: destination(store).content)
    }

    // A call that names no destination is ambiguous without this function, because managed objects are
    // values as well, which the manager can return.

    /// Sends a GET request and imports objects of one entity into the ``store`` of the manager.
    ///
    /// - Parameters:
    ///   - type: The class of the entity.
    ///   - path: A path relative to the base URL.
    ///   - parameters: An object whose members are added to the query, form-encoded.
    /// - Returns: The IDs of the objects in document order, and the saved changes.
    /// - Throws: The errors of ``getObjects(_:at:parameters:into:configure:)``.
    @discardableResult
    public func getObjects<Object: ManagedEntity>(
        _ type: Object.Type, at path: String, parameters: RequestParameters = [:]
    ) async throws -> ManagedResult {
        try await getObjects(type, at: path, parameters: parameters, into: nil)
    }

    /// Sends a GET request, imports objects of one entity, and returns them as objects of a context.
    ///
    /// The objects are imported into a private child of the context, as by
    /// ``getObjects(_:at:parameters:into:configure:)``, and saved to the store. Edits of the context stay
    /// unsaved; a value in the response that the store does not have conflicts with one at the next
    /// save. If ``ManagedRequestOptions/savesToPersistentStore`` is `false`, the values in the response
    /// are unsaved changes instead, which replace those of the context.
    ///
    /// - Parameters:
    ///   - type: The class of the entity.
    ///   - path: A path relative to the base URL.
    ///   - parameters: An object whose members are added to the query, form-encoded.
    ///   - context: A context of the caller, such as the store's `mainContext`.
    ///   - configure: Sets further properties of the request and the treatment of the response.
    /// - Returns: The context's objects in document order.
    /// - Throws: The errors of ``getObjects(_:at:parameters:into:configure:)``. The context, its
    ///   parents and the store are then unchanged.
    public func getObjects<Object: ManagedEntity>(
        _ type: Object.Type, at path: String, parameters: RequestParameters = [:],
        in context: ManagedObjectContext,
        configure: (inout ManagedRequest) throws -> Void = { _ in }
    ) async throws -> [Object] {
        let request = try ManagedRequest(
            .path(path), parameters, expecting: Self.defaultDescriptor(for: type), configure)
        return try await objects(of: type, request, in: context)
    }

    /// Sends a GET request and imports the objects of all response descriptors that match.
    ///
    /// - Parameters:
    ///   - path: A path relative to the base URL.
    ///   - parameters: An object whose members are added to the query, form-encoded.
    ///   - store: The store to import into.
    ///   - configure: Sets further properties of the request and the treatment of the response.
    /// - Returns: The IDs of the objects in document order, by the newest descriptor first.
    /// - Throws: The errors of ``getObjects(_:at:parameters:into:configure:)``.
    @discardableResult
    public func getObjects(
        at path: String, parameters: RequestParameters = [:], into store: ManagedObjectStore,
        configure: (inout ManagedRequest) throws -> Void = { _ in }
    ) async throws -> ManagedResult {
        try await send(ManagedRequest(.path(path), parameters, configure), into: store.content)
    }

    /// Sends a GET request and imports the objects of all response descriptors that match into a
    /// context, as ``getObjects(_:at:parameters:in:configure:)`` does.
    ///
    /// - Returns: The IDs of the objects, which `objects(with:)` of the context returns.
    @discardableResult
    public func getObjects(
        at path: String, parameters: RequestParameters = [:], in context: ManagedObjectContext,
        configure: (inout ManagedRequest) throws -> Void = { _ in }
    ) async throws -> ManagedResult {
        try await send(ManagedRequest(.path(path), parameters, configure), in: context)
    }

    // MARK: Routes

    /// Sends a GET request to a relationship of an object, imports objects of one entity, and returns
    /// them as objects of a context.
    ///
    /// The objects are connected by the rules of their mapping, which can read the parameters of the
    /// route as `@metadata.routing.parameters`.
    ///
    /// - Parameters:
    ///   - type: The class of the entity.
    ///   - relationship: The name of the relationship.
    ///   - object: The object that the relationship belongs to.
    ///   - parameters: An object whose members are added to the query, form-encoded.
    ///   - context: A context of the caller; `nil` for that of the object.
    ///   - configure: Sets further properties of the request and the treatment of the response.
    /// - Returns: The context's objects in document order.
    /// - Throws: The errors of ``getObjects(_:at:parameters:in:configure:)``.
    public func getObjects<Object: ManagedEntity>(
        _ type: Object.Type, relationship: String, of object: ManagedObject,
        parameters: RequestParameters = [:], in context: ManagedObjectContext? = nil,
        configure: (inout ManagedRequest) throws -> Void = { _ in }
    ) async throws -> [Object] {
        let request = try ManagedRequest(
            .relationship(relationship, of: object), parameters,
            expecting: Self.defaultDescriptor(for: type), configure)
        return try await objects(
            of: type, request, in: context ?? object.managedObjectContext)
    }

    /// Sends a GET request to a named route, imports objects of one entity, and returns them as
    /// objects of a context.
    ///
    /// - Parameters:
    ///   - type: The class of the entity.
    ///   - name: The name of the route, which must be for GET.
    ///   - object: The object whose values fill the parameters of the route; `nil` if it has none.
    ///   - parameters: An object whose members are added to the query, form-encoded.
    ///   - context: A context of the caller.
    ///   - configure: Sets further properties of the request and the treatment of the response.
    /// - Returns: The context's objects in document order.
    /// - Throws: The errors of ``getObjects(_:at:parameters:in:configure:)``.
    public func getObjects<Object: ManagedEntity>(
        _ type: Object.Type, routeNamed name: String, object: ManagedObject? = nil,
        parameters: RequestParameters = [:], in context: ManagedObjectContext,
        configure: (inout ManagedRequest) throws -> Void = { _ in }
    ) async throws -> [Object] {
        let request = try ManagedRequest(
            .route(named: name), object: object?.requestObject, parameters,
            expecting: Self.defaultDescriptor(for: type), configure)
        return try await objects(of: type, request, in: context)
    }

    /// Sends a GET request to a relationship of an object, and imports objects of one entity into a store.
    ///
    /// - Parameters:
    ///   - type: The class of the entity.
    ///   - relationship: The name of the relationship.
    ///   - object: The object that the relationship belongs to.
    ///   - parameters: An object whose members are added to the query, form-encoded.
    ///   - store: The store to import into.
    ///   - configure: Sets further properties of the request and the treatment of the response.
    /// - Returns: The IDs of the objects in document order, and the saved changes.
    /// - Throws: The errors of ``getObjects(_:at:parameters:into:configure:)``.
    @discardableResult
    public func getObjects<Object: ManagedEntity>(
        _ type: Object.Type, relationship: String, of object: ManagedObject,
        parameters: RequestParameters = [:], into store: ManagedObjectStore,
        configure: (inout ManagedRequest) throws -> Void = { _ in }
    ) async throws -> ManagedResult {
        let request = try ManagedRequest(
            .relationship(relationship, of: object), parameters,
            expecting: Self.defaultDescriptor(for: type), configure)
        return try await send(request, into: store.content)
    }

    /// Sends a GET request to a named route, and imports objects of one entity into a store.
    ///
    /// - Parameters:
    ///   - type: The class of the entity.
    ///   - name: The name of the route, which must be for GET.
    ///   - object: The object whose values fill the parameters of the route; `nil` if it has none.
    ///   - parameters: An object whose members are added to the query, form-encoded.
    ///   - store: The store to import into.
    ///   - configure: Sets further properties of the request and the treatment of the response.
    /// - Returns: The IDs of the objects in document order, and the saved changes.
    /// - Throws: The errors of ``getObjects(_:at:parameters:into:configure:)``.
    @discardableResult
    public func getObjects<Object: ManagedEntity>(
        _ type: Object.Type, routeNamed name: String, object: ManagedObject? = nil,
        parameters: RequestParameters = [:], into store: ManagedObjectStore,
        configure: (inout ManagedRequest) throws -> Void = { _ in }
    ) async throws -> ManagedResult {
        let request = try ManagedRequest(
            .route(named: name), object: object?.requestObject, parameters,
            expecting: Self.defaultDescriptor(for: type), configure)
        return try await send(request, into: store.content)
    }

    private func objects<Object: ManagedEntity>(
        of type: Object.Type, _ request: ManagedRequest, in context: ManagedObjectContext
    ) async throws -> [Object] {
        let result: ManagedResult = try await send(request, in: context)
        return try context.objects(with: result.objectIDs).compactMap { $0 as? Object }
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

extension ManagedRequest {
    /// Creates a GET request that the caller configures.
    fileprivate init(
        _ target: RequestTarget, object: RequestObject? = nil, _ parameters: RequestParameters,
        expecting expected: ResponseDescriptor? = nil,
        _ configure: (inout ManagedRequest) throws -> Void
    ) throws {
        self.init(
            ObjectRequest<ObjectResponse>(
                .get, to: target, object: object, parameters: parameters, expecting: expected))
        try configure(&self)
    }
}

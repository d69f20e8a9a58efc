// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import RestDocument
public import RestMapping
public import RestNetworking
public import RestPersistence
public import RestTransport

// Plain objects that hold managed ones. The managed objects are imported first, outside of the caller's
// isolation. The plain objects are then mapped in it, because they refer to objects of its context.

extension ObjectManager {
    /// Sends a GET request and returns one value that holds managed objects of a context.
    ///
    /// ```swift
    /// @Mapped struct Team {
    ///     let name: String
    ///     var members: [Human] = []       // managed objects
    /// }
    /// let team: Team = try await api.get("teams/1", in: store.mainContext)
    /// ```
    ///
    /// The managed objects in the response are imported into a private child of the context, as by
    /// ``getObjects(_:at:parameters:keyPath:in:configure:)``, and saved. A managed object that could not be
    /// imported, or that was deleted before the save, is left out of collections and is `nil` in a
    /// single property.
    ///
    /// - Parameters:
    ///   - target: The resource: a path or another ``/RestNetworking/RequestTarget``.
    ///   - parameters: An object whose members are added to the query, form-encoded.
    ///   - keyPath: The location of the value in the response, in place of that of a descriptor.
    ///   - type: The type of the value.
    ///   - context: A context of the caller.
    ///   - configure: Sets further properties of the request and the treatment of the response.
    /// - Returns: A new value.
    /// - Throws: The errors of ``getObjects(_:at:parameters:keyPath:in:configure:)``; `NetworkingError` if a
    ///   plain object cannot be mapped. The context, its parents and the store are then unchanged.
    /// - Isolation: The plain objects are mapped in the caller's isolation. Receiving, parsing, and
    ///   importing the managed objects run outside of it.
    public func get<Value: MappableValue>(
        _ target: some RequestTargetConvertible, parameters: RequestParameters = [:],
        keyPath: DocumentPath? = nil, as type: Value.Type = Value.self,
        in context: ManagedObjectContext,
        configure: (inout ManagedRequest) throws -> Void = { _ in }
    ) async throws -> Value {
        try await value(
            type, .get, target, nil, parameters, keyPath, in: context, configure)
    }

    /// Sends a GET request and returns plain objects of one type that hold managed objects of a
    /// context.
    ///
    /// - Parameters:
    ///   - type: The type of the objects.
    ///   - target: The resource: a path or another ``/RestNetworking/RequestTarget``.
    ///   - parameters: An object whose members are added to the query, form-encoded.
    ///   - keyPath: The location of the objects in the response, in place of that of a descriptor.
    ///   - context: A context of the caller.
    ///   - configure: Sets further properties of the request and the treatment of the response.
    /// - Returns: New objects in document order.
    /// - Throws: The errors of ``get(_:parameters:keyPath:as:in:configure:)``.
    public func getObjects<Object: Mapped>(
        _ type: Object.Type, at target: some RequestTargetConvertible,
        parameters: RequestParameters = [:], keyPath: DocumentPath? = nil,
        in context: ManagedObjectContext,
        configure: (inout ManagedRequest) throws -> Void = { _ in }
    ) async throws -> [Object] {
        let request = try valueRequest(
            type, .get, target, nil, parameters, keyPath, configure)
        return try await read(request, in: context) { response, entities, report in
            try response.objects(of: type, holding: entities, &report)
        }
    }

    /// Sends a request and returns the objects of all response descriptors that match: managed objects of a
    /// context, plain objects, and plain objects that hold managed ones.
    ///
    /// - Parameters:
    ///   - request: The request and the treatment of its response.
    ///   - context: A context of the caller.
    /// - Returns: The objects by key path. If the response was not modified and all objects are managed
    ///   ones, those with which the store answers are at the empty key path.
    /// - Throws: The errors of ``get(_:parameters:keyPath:as:in:configure:)``.
    public func send(
        _ request: ManagedRequest, in context: ManagedObjectContext
    ) async throws -> MappingResult {
        try await read(
            request, in: context, answersFromStore: true,
            validation: { response, entities, report in
                _ = try response.result(holding: entities, &report)
            },
            { response, imported, entities, report in
                guard imported.isNotModified else {
                    return try response.result(holding: entities, &report)
                }
                let objects = try context.objects(with: imported.objectIDs)
                return MappingResult(
                    [MappingResult.Section(keyPath: "", objects: objects)], report: report)
            })
    }

    /// Sends a request and updates a plain object, which holds managed objects of a context.
    ///
    /// The response is mapped as by `ObjectResponse.result(updating:)`. If the manager has no
    /// descriptors for responses of success, the whole document is mapped by the type's own mapping.
    ///
    /// - Parameters:
    ///   - request: The request and the treatment of its response.
    ///   - target: The object to update. An instance of a class is changed in place; for a value, the
    ///     result contains an updated copy.
    ///   - context: A context of the caller.
    /// - Returns: The objects by key path, including the target.
    /// - Throws: The errors of ``get(_:parameters:keyPath:as:in:configure:)``. The target is then
    ///   unchanged.
    public func send<Target: Mapped>(
        _ request: ManagedRequest, updating target: Target, in context: ManagedObjectContext
    ) async throws -> MappingResult {
        try await read(
            request, expecting: defaultDescriptorOfSuccess(Target.self), in: context,
            validation: { response, entities, report in
                // The target belongs to the caller, so that its representation fills a new object.
                _ = try response.result(holding: entities, &report)
            },
            { response, _, entities, report in
                try response.result(updating: target, holding: entities, &report)
            })
    }
}

extension RequestSender {
    /// Sends a request with parameters, and returns a value that holds managed objects of a context.
    ///
    /// - Parameters:
    ///   - target: The resource: a path or another ``/RestNetworking/RequestTarget``.
    ///   - parameters: The parameters of the body; for DELETE, of the query.
    ///   - keyPath: The location of the value in the response; `nil` for that of a response descriptor
    ///     for the type, or else the whole document.
    ///   - type: The type of the value.
    ///   - context: A context of the caller.
    ///   - configure: Sets further properties of the request and the treatment of the response.
    ///   - form: Adds parts to a multipart form, whose first fields are the object and the parameters.
    /// - Returns: A new value.
    /// - Throws: The errors of `ObjectManager.get(_:parameters:keyPath:as:in:configure:)`.
    public func callAsFunction<Value: MappableValue>(
        _ target: some RequestTargetConvertible, parameters: RequestParameters = [:],
        keyPath: DocumentPath? = nil, as type: Value.Type = Value.self,
        in context: ManagedObjectContext,
        configure: (inout ManagedRequest) throws -> Void = { _ in },
        form: ((inout MultipartForm) throws -> Void)? = nil
    ) async throws -> Value {
        try await manager.value(
            type, method, target, nil, parameters, keyPath, in: context, form: form, configure)
    }

    /// Sends a request with a plain object, and returns a value that holds managed objects of a
    /// context.
    ///
    /// - Parameters:
    ///   - object: A mapped object, or an array of them.
    ///   - target: The resource; by default the route of the object's type.
    ///   - parameters: Parameters that are merged into the representation of the object; for DELETE,
    ///     those of the query.
    ///   - keyPath: The location of the value in the response; `nil` for that of a response descriptor
    ///     for the type, or else the whole document.
    ///   - type: The type of the value.
    ///   - context: A context of the caller.
    ///   - configure: Sets further properties of the request and the treatment of the response.
    ///   - form: Adds parts to a multipart form, whose first fields are the object and the parameters.
    /// - Returns: A new value.
    /// - Throws: The errors of `ObjectManager.get(_:parameters:keyPath:as:in:configure:)`.
    public func callAsFunction<Value: MappableValue>(
        _ object: some RequestContent, at target: some RequestTargetConvertible = .object,
        parameters: RequestParameters = [:],
        keyPath: DocumentPath? = nil, as type: Value.Type = Value.self,
        in context: ManagedObjectContext,
        configure: (inout ManagedRequest) throws -> Void = { _ in },
        form: ((inout MultipartForm) throws -> Void)? = nil
    ) async throws -> Value {
        try await manager.value(
            type, method, target, object.requestObject, parameters, keyPath, in: context,
            form: form, configure)
    }
}

extension ObjectManager {
    /// Sends a request and returns a value that holds managed objects of a context.
    fileprivate func value<Value: MappableValue>(
        _ type: Value.Type, _ method: HTTPRequest.Method,
        _ target: some RequestTargetConvertible, _ object: RequestObject?,
        _ parameters: RequestParameters, _ keyPath: DocumentPath?,
        in context: ManagedObjectContext, form: ((inout MultipartForm) throws -> Void)? = nil,
        _ configure: (inout ManagedRequest) throws -> Void
    ) async throws -> Value {
        let request = try valueRequest(type, method, target, object, parameters, keyPath) {
            $0.request.form = form
            try configure(&$0)
        }
        return try await read(
            request, isKeyed: Property.isKeyed(type), in: context
        ) { response, entities, report in
            try response.value(of: type, holding: entities, &report)
        }
    }

    private func valueRequest<Value: MappableValue>(
        _ type: Value.Type, _ method: HTTPRequest.Method,
        _ target: some RequestTargetConvertible, _ object: RequestObject?,
        _ parameters: RequestParameters, _ keyPath: DocumentPath?,
        _ configure: (inout ManagedRequest) throws -> Void
    ) throws -> ManagedRequest {
        var request = ManagedRequest(
            ObjectRequest<ObjectResponse>(
                method, at: target, object: object, parameters: parameters, keyPath: keyPath,
                expecting: try defaultDescriptor(ofValue: type)))
        try configure(&request)
        return request
    }

    /// Sends a request, imports its entities into a context, and maps its plain objects.
    private func read<Value>(
        _ request: ManagedRequest, isKeyed: Bool = false, in context: ManagedObjectContext,
        _ map:
            @escaping @Sendable (ObjectResponse, ResponseEntities, inout MappingReport) throws ->
            Value
    ) async throws -> Value {
        try await read(
            request, isKeyed: isKeyed, in: context,
            validation: { response, entities, report in _ = try map(response, entities, &report) },
            { response, _, entities, report in try map(response, entities, &report) })
    }

    /// Sends a request, imports its entities into a context, and maps its plain objects.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - expected: The descriptor of responses of success if there are no others.
    ///   - isKeyed: A Boolean value that indicates whether the value is a dictionary of objects.
    ///   - context: The context.
    ///   - answersFromStore: A Boolean value that indicates whether a response that was not modified
    ///     is answered from the store, if all of its objects are managed ones.
    ///   - validation: Maps the plain objects in the child of the context, before it is saved.
    ///   - map: Maps the plain objects with the objects of the context.
    /// - Returns: The result of `map`.
    /// - Throws: The errors of the request, the import, `validation` and `map`.
    private func read<Value>(
        _ request: ManagedRequest, expecting expected: ResponseDescriptor? = nil,
        isKeyed: Bool = false, in context: ManagedObjectContext, answersFromStore: Bool = false,
        validation:
            @escaping @Sendable (ObjectResponse, ResponseEntities, inout MappingReport) throws ->
            Void,
        _ map: (ObjectResponse, ManagedResult, ResponseEntities, inout MappingReport) throws ->
            Value
    ) async throws -> Value {
        let collections = collectionReader(of: context, request.options)
        var assembled = try assembleManaged(
            request.request, target: nil, request.options
        ) { collections }
        if let expected { assembled.expected = expected }
        if !answersFromStore || assembled.candidateDescriptors.contains(where: \.mapsPlainObjects) {
            // Collections have no plain objects; the cache of the client has the whole response.
            assembled.makeInterceptor = { RequestMomentInterceptor(collections: collections) }
            assembled.acceptedStatusCodes = []
        }
        return try await perform(assembled, into: .store) { response in
            var report = MappingReport()
            defer { deliver(report, of: response) }
            var work = try responseImport(of: response, request.options)
            work.mapsAlways = !answersFromStore || response.hasPlainObjects
            work.isKeyed = isKeyed
            work.validation = { entities in
                var report = MappingReport()
                try validation(response, entities, &report)
            }
            let result = try await run(work, into: .context(context), &report)
            let entities: ResponseEntities
            do throws(PersistenceError) {
                entities = try result.entities(in: context)
            } catch {
                throw SyncError(.fetchFailed, response, error)
            }
            let value = try map(response, result, entities, &report)
            await markMapped(response)
            return value
        }
    }
}

extension ObjectResponse {
    /// A Boolean value that indicates whether a match maps plain objects.
    fileprivate var hasPlainObjects: Bool {
        matches.contains { $0.descriptor.mapsPlainObjects }
    }
}

extension ResponseDescriptor {
    /// A Boolean value that indicates whether objects may be plain ones.
    fileprivate var mapsPlainObjects: Bool {
        mapping.mapping.tables.contains { !$0.isEntity }
    }
}

// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import RestDocument
public import RestMapping

extension ObjectManager {
    /// Sends a GET request and returns one value: an object, a plain value, or a collection of them.
    ///
    /// A response descriptor for the type and the path gives the mapping and the key path of the
    /// value. If no descriptor for the type is for the path, the type's own mapping applies to the whole
    /// document. Descriptors that are for the path, but for another method or status, are an error.
    ///
    /// - Parameters:
    ///   - target: The resource: a path or another ``RequestTarget``.
    ///   - parameters: The parameters of the query, form-encoded.
    ///   - keyPath: The location of the value in the response, in place of that of a descriptor.
    ///   - type: The type of the value.
    ///   - configure: Sets further properties of the request, such as header fields, limits, the
    ///     cache policy or the principal.
    /// - Returns: A new value. For an empty body, whatever the status of success: `nil`, or an
    ///   empty array, set or dictionary.
    /// - Throws: ``NetworkingError``, with code ``NetworkingError/Code/emptyResponse`` if the body
    ///   is empty and the type is neither optional nor a collection, or `CancellationError`; the
    ///   errors of `configure`.
    public func get<Value: MappableValue>(
        _ target: some RequestTargetConvertible, parameters: RequestParameters = [:],
        keyPath: DocumentPath? = nil, as type: Value.Type = Value.self,
        configure: (inout ObjectRequest<Value>) throws -> Void = { _ in }
    ) async throws -> sending Value {
        try await value(.value(), .get, target, parameters, keyPath, configure)
    }

    /// Sends a GET request and returns a value that decodes itself.
    ///
    /// The ``decoder`` defines how dates, data and keys are read.
    @_disfavoredOverload
    public func get<Value: Decodable & SendableMetatype>(
        _ target: some RequestTargetConvertible, parameters: RequestParameters = [:],
        keyPath: DocumentPath? = nil, as type: Value.Type = Value.self,
        configure: (inout ObjectRequest<Value>) throws -> Void = { _ in }
    ) async throws -> sending Value {
        try await value(.decoded(), .get, target, parameters, keyPath, configure)
    }

    /// Sends a GET request to the route of an object's type, and returns the object that answers.
    ///
    /// - Parameters:
    ///   - object: The object whose values fill the parameters of the route.
    ///   - parameters: The parameters of the query, form-encoded.
    ///   - keyPath: The location of the object in the response, in place of that of a descriptor.
    ///   - configure: Sets further properties of the request.
    /// - Returns: A new object.
    /// - Throws: ``NetworkingError``, or `CancellationError`; the errors of `configure`.
    public func get<Object: Mapped>(
        _ object: Object, parameters: RequestParameters = [:], keyPath: DocumentPath? = nil,
        configure: (inout ObjectRequest<Object>) throws -> Void = { _ in }
    ) async throws -> sending Object {
        try await value(
            .value(), .get, .object, object: RequestObject(object), parameters, keyPath,
            configure)
    }

    /// Sends a HEAD request and returns the status and header fields of the response.
    ///
    /// - Parameters:
    ///   - target: The resource: a path or another ``RequestTarget``.
    ///   - parameters: The parameters of the query, form-encoded.
    ///   - configure: Sets further properties of the request.
    /// - Returns: The status and header fields.
    /// - Throws: ``NetworkingError``, or `CancellationError`; the errors of `configure`.
    public func head(
        _ target: some RequestTargetConvertible, parameters: RequestParameters = [:],
        configure: (inout ObjectRequest<Void>) throws -> Void = { _ in }
    ) async throws -> HTTPResponse {
        var request = ObjectRequest<Void>(.head, at: target, parameters: parameters)
        try configure(&request)
        return try await send(request).head
    }
}

// MARK: - Lists

extension ObjectManager {
    /// Sends a GET request and returns objects or values of one type.
    ///
    /// The response may be a list or a single object. The objects of all response descriptors for
    /// the type that match are returned, in document order.
    ///
    /// - Parameters:
    ///   - type: The type of the objects.
    ///   - target: The resource: a path or another ``RequestTarget``.
    ///   - parameters: The parameters of the query, form-encoded.
    ///   - keyPath: The location of the objects in the response, in place of that of a descriptor.
    ///   - configure: Sets further properties of the request.
    /// - Returns: New objects in document order; an empty array for an empty body.
    /// - Throws: ``NetworkingError``, or `CancellationError`; the errors of `configure`.
    public func getObjects<Object: MappableValue>(
        _ type: Object.Type, at target: some RequestTargetConvertible,
        parameters: RequestParameters = [:], keyPath: DocumentPath? = nil,
        configure: (inout ObjectRequest<[Object]>) throws -> Void = { _ in }
    ) async throws -> sending [Object] {
        try await value(
            .objects(of: type), .get, target, parameters, keyPath, configure)
    }

    /// Sends a GET request and returns values of one type, which decode themselves.
    @_disfavoredOverload
    public func getObjects<Object: Decodable & SendableMetatype>(
        _ type: Object.Type, at target: some RequestTargetConvertible,
        parameters: RequestParameters = [:], keyPath: DocumentPath? = nil,
        configure: (inout ObjectRequest<[Object]>) throws -> Void = { _ in }
    ) async throws -> sending [Object] {
        try await value(
            .objects(of: type), .get, target, parameters, keyPath, configure)
    }

    /// Sends a GET request and returns the objects of all response descriptors that match.
    ///
    /// - Parameters:
    ///   - target: The resource: a path or another ``RequestTarget``.
    ///   - parameters: The parameters of the query, form-encoded.
    ///   - configure: Sets further properties of the request.
    /// - Returns: New objects by key path; empty for an empty body.
    /// - Throws: ``NetworkingError``, or `CancellationError`; the errors of `configure`.
    public func getObjects(
        at target: some RequestTargetConvertible, parameters: RequestParameters = [:],
        configure: (inout ObjectRequest<MappingResult>) throws -> Void = { _ in }
    ) async throws -> sending MappingResult {
        try await value(.result, .get, target, parameters, nil, configure)
    }
}

// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import RestDocument
public import RestMapping

extension ObjectManager {
    /// Sends a PATCH request with parameters, and returns the value of the response.
    ///
    /// - Parameters:
    ///   - path: A path relative to the base URL.
    ///   - parameters: The parameters of the body.
    ///   - keyPath: The location of the value in the response; `nil` for that of a response
    ///     descriptor for the type, or else the whole document.
    ///   - type: The type of the value.
    ///   - configure: Sets further properties of the request, such as header fields or limits.
    /// - Returns: A new value.
    /// - Throws: ``NetworkingError``, or `CancellationError`; the errors of `configure`.
    public func patch<Value: MappableValue>(
        _ path: String, parameters: RequestParameters = [:], keyPath: DocumentPath? = nil,
        as type: Value.Type = Value.self,
        configure: (inout ObjectRequest<Value>) throws -> Void = { _ in }
    ) async throws -> sending Value {
        var request = ObjectRequest<Value>(
            .patch, at: path, parameters: parameters, keyPath: keyPath)
        try configure(&request)
        return try await send(request).value
    }

    /// Sends a PATCH request with parameters.
    ///
    /// - Returns: A value that decodes itself.
    @_disfavoredOverload
    public func patch<Value: Decodable & SendableMetatype>(
        _ path: String, parameters: RequestParameters = [:], keyPath: DocumentPath? = nil,
        as type: Value.Type = Value.self,
        configure: (inout ObjectRequest<Value>) throws -> Void = { _ in }
    ) async throws -> sending Value {
        var request = ObjectRequest<Value>(
            .patch, at: path, parameters: parameters, keyPath: keyPath)
        try configure(&request)
        return try await send(request).value
    }

    /// Sends a PATCH request with parameters.
    ///
    /// The body of the response is not read.
    public func patch(
        _ path: String, parameters: RequestParameters = [:],
        configure: (inout ObjectRequest<Void>) throws -> Void = { _ in }
    ) async throws {
        var request = ObjectRequest<Void>(
            .patch, at: path, parameters: parameters)
        try configure(&request)
        _ = try await send(request)
    }
}

// MARK: - Objects

extension ObjectManager {
    /// Sends a PATCH request with an object, and returns the value of the response.
    ///
    /// - Parameters:
    ///   - object: A mapped or managed object, or an array of them.
    ///   - path: A path relative to the base URL; `nil` for the route of the object's type.
    ///   - parameters: Parameters that are merged into the representation of the object.
    ///   - keyPath: The location of the value in the response; `nil` for that of a response
    ///     descriptor for the type, or else the whole document.
    ///   - type: The type of the value.
    ///   - configure: Sets further properties of the request, such as header fields or limits.
    /// - Returns: A new value.
    /// - Throws: ``NetworkingError``, or `CancellationError`; the errors of `configure`.
    public func patch<Value: MappableValue>(
        _ object: some RequestContent, at path: String? = nil,
        parameters: RequestParameters = [:], keyPath: DocumentPath? = nil,
        as type: Value.Type = Value.self,
        configure: (inout ObjectRequest<Value>) throws -> Void = { _ in }
    ) async throws -> sending Value {
        var request = ObjectRequest<Value>(
            .patch, to: path.map { .path($0) } ?? .object, object: object.requestObject,
            parameters: parameters, keyPath: keyPath)
        try configure(&request)
        return try await send(request).value
    }

    /// Sends a PATCH request with an object.
    ///
    /// - Returns: A value that decodes itself.
    @_disfavoredOverload
    public func patch<Value: Decodable & SendableMetatype>(
        _ object: some RequestContent, at path: String? = nil,
        parameters: RequestParameters = [:], keyPath: DocumentPath? = nil,
        as type: Value.Type = Value.self,
        configure: (inout ObjectRequest<Value>) throws -> Void = { _ in }
    ) async throws -> sending Value {
        var request = ObjectRequest<Value>(
            .patch, to: path.map { .path($0) } ?? .object, object: object.requestObject,
            parameters: parameters, keyPath: keyPath)
        try configure(&request)
        return try await send(request).value
    }

    /// Sends a PATCH request with an object.
    ///
    /// The body of the response is not read.
    public func patch(
        _ object: some RequestContent, at path: String? = nil,
        parameters: RequestParameters = [:],
        configure: (inout ObjectRequest<Void>) throws -> Void = { _ in }
    ) async throws {
        var request = ObjectRequest<Void>(
            .patch, to: path.map { .path($0) } ?? .object, object: object.requestObject,
            parameters: parameters)
        try configure(&request)
        _ = try await send(request)
    }

    /// Sends a PATCH request with an object that encodes itself.
    ///
    /// - Returns: The value of the response.
    @_disfavoredOverload
    public func patch<Value: MappableValue>(
        _ object: some Encodable, at path: String? = nil,
        parameters: RequestParameters = [:], keyPath: DocumentPath? = nil,
        as type: Value.Type = Value.self,
        configure: (inout ObjectRequest<Value>) throws -> Void = { _ in }
    ) async throws -> sending Value {
        var request = ObjectRequest<Value>(
            .patch, to: path.map { .path($0) } ?? .object, object: RequestObject(encoding: object),
            parameters: parameters, keyPath: keyPath)
        try configure(&request)
        return try await send(request).value
    }

    /// Sends a PATCH request with an object that encodes itself.
    ///
    /// - Returns: A value that decodes itself.
    @_disfavoredOverload
    public func patch<Value: Decodable & SendableMetatype>(
        _ object: some Encodable, at path: String? = nil,
        parameters: RequestParameters = [:], keyPath: DocumentPath? = nil,
        as type: Value.Type = Value.self,
        configure: (inout ObjectRequest<Value>) throws -> Void = { _ in }
    ) async throws -> sending Value {
        var request = ObjectRequest<Value>(
            .patch, to: path.map { .path($0) } ?? .object, object: RequestObject(encoding: object),
            parameters: parameters, keyPath: keyPath)
        try configure(&request)
        return try await send(request).value
    }

    /// Sends a PATCH request with an object that encodes itself.
    ///
    /// The body of the response is not read.
    @_disfavoredOverload
    public func patch(
        _ object: some Encodable, at path: String? = nil,
        parameters: RequestParameters = [:],
        configure: (inout ObjectRequest<Void>) throws -> Void = { _ in }
    ) async throws {
        var request = ObjectRequest<Void>(
            .patch, to: path.map { .path($0) } ?? .object, object: RequestObject(encoding: object),
            parameters: parameters)
        try configure(&request)
        _ = try await send(request)
    }
}

// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import RestDocument
public import RestMapping

extension ObjectManager {
    /// Sends a DELETE request without an object, and returns the value of the response.
    ///
    /// - Parameters:
    ///   - path: A path relative to the base URL.
    ///   - parameters: The parameters of the query, form-encoded.
    ///   - keyPath: The location of the value in the response; `nil` for that of a response
    ///     descriptor for the type, or else the whole document.
    ///   - type: The type of the value.
    ///   - configure: Sets further properties of the request, such as header fields or limits.
    /// - Returns: A new value.
    /// - Throws: ``NetworkingError``, or `CancellationError`; the errors of `configure`.
    public func delete<Value: MappableValue>(
        _ path: String, parameters: RequestParameters = [:], keyPath: DocumentPath? = nil,
        as type: Value.Type = Value.self,
        configure: (inout ObjectRequest<Value>) throws -> Void = { _ in }
    ) async throws -> sending Value {
        var request = ObjectRequest<Value>(
            .delete, at: path, parameters: parameters, keyPath: keyPath)
        try configure(&request)
        return try await send(request).value
    }

    /// Sends a DELETE request without an object.
    ///
    /// - Returns: A value that decodes itself.
    @_disfavoredOverload
    public func delete<Value: Decodable & SendableMetatype>(
        _ path: String, parameters: RequestParameters = [:], keyPath: DocumentPath? = nil,
        as type: Value.Type = Value.self,
        configure: (inout ObjectRequest<Value>) throws -> Void = { _ in }
    ) async throws -> sending Value {
        var request = ObjectRequest<Value>(
            .delete, at: path, parameters: parameters, keyPath: keyPath)
        try configure(&request)
        return try await send(request).value
    }

    /// Sends a DELETE request without an object.
    ///
    /// The body of the response is not read.
    public func delete(
        _ path: String, parameters: RequestParameters = [:],
        configure: (inout ObjectRequest<Void>) throws -> Void = { _ in }
    ) async throws {
        var request = ObjectRequest<Void>(
            .delete, at: path, parameters: parameters)
        try configure(&request)
        _ = try await send(request)
    }
}

// MARK: - Objects

extension ObjectManager {
    /// Sends a DELETE request for an object, which is not sent, and returns the value of the response.
    ///
    /// - Parameters:
    ///   - object: A mapped or managed object.
    ///   - path: A path relative to the base URL; `nil` for the route of the object's type.
    ///   - parameters: The parameters of the query, form-encoded.
    ///   - keyPath: The location of the value in the response; `nil` for that of a response
    ///     descriptor for the type, or else the whole document.
    ///   - type: The type of the value.
    ///   - configure: Sets further properties of the request, such as header fields or limits.
    /// - Returns: A new value.
    /// - Throws: ``NetworkingError``, or `CancellationError`; the errors of `configure`.
    public func delete<Value: MappableValue>(
        _ object: some RequestContent, at path: String? = nil,
        parameters: RequestParameters = [:], keyPath: DocumentPath? = nil,
        as type: Value.Type = Value.self,
        configure: (inout ObjectRequest<Value>) throws -> Void = { _ in }
    ) async throws -> sending Value {
        var request = ObjectRequest<Value>(
            .delete, to: path.map { .path($0) } ?? .object, object: object.requestObject,
            parameters: parameters, keyPath: keyPath)
        try configure(&request)
        return try await send(request).value
    }

    /// Sends a DELETE request for an object, which is not sent.
    ///
    /// - Returns: A value that decodes itself.
    @_disfavoredOverload
    public func delete<Value: Decodable & SendableMetatype>(
        _ object: some RequestContent, at path: String? = nil,
        parameters: RequestParameters = [:], keyPath: DocumentPath? = nil,
        as type: Value.Type = Value.self,
        configure: (inout ObjectRequest<Value>) throws -> Void = { _ in }
    ) async throws -> sending Value {
        var request = ObjectRequest<Value>(
            .delete, to: path.map { .path($0) } ?? .object, object: object.requestObject,
            parameters: parameters, keyPath: keyPath)
        try configure(&request)
        return try await send(request).value
    }

    /// Sends a DELETE request for an object, which is not sent.
    ///
    /// The body of the response is not read.
    public func delete(
        _ object: some RequestContent, at path: String? = nil,
        parameters: RequestParameters = [:],
        configure: (inout ObjectRequest<Void>) throws -> Void = { _ in }
    ) async throws {
        var request = ObjectRequest<Void>(
            .delete, to: path.map { .path($0) } ?? .object, object: object.requestObject,
            parameters: parameters)
        try configure(&request)
        _ = try await send(request)
    }
}

// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
public import RestDocument
public import RestMapping
public import RestTransport

/// Sends the requests of one method; called like a function of the ``ObjectManager``.
///
/// ```swift
/// let made: Article = try await api.post(draft, at: "articles")
/// try await api.put(article)                                              // route of its type
/// let found: [Article] = try await api.post("search", parameters: ["q": text], keyPath: "hits")
/// let photo: Photo = try await api.post("photos", form: { try $0.addFile(at: file, named: "file") })
/// try await api.delete("articles/1")
/// ```
///
/// A request has a path with parameters, or an object, which is mapped, managed or encodes itself.
/// The body of a PATCH, POST or PUT request consists of the object and the parameters. A DELETE
/// request has no body, unless ``ObjectRequest/parameterStyle`` says otherwise: the object fills the
/// parameters of its route, and the parameters are in the query.
///
/// The type that the call is assigned to, or that is passed as `type`, is that of the value: any
/// mapped type, a collection of one, or a type that decodes itself. A response descriptor for the
/// type and the path gives the mapping; if none for the type is for the path, its own mapping applies. A
/// call without a value does not read the body of the response.
public struct RequestSender: Sendable {
    package let manager: ObjectManager
    package let method: HTTPRequest.Method
}

extension ObjectManager {
    /// Sends POST requests.
    public var post: RequestSender { RequestSender(manager: self, method: .post) }

    /// Sends PUT requests.
    public var put: RequestSender { RequestSender(manager: self, method: .put) }

    /// Sends PATCH requests.
    ///
    /// For changes of an object, see ``patch(_:changesSince:at:parameters:keyPath:configure:)``.
    public var patch: RequestSender { RequestSender(manager: self, method: .patch) }

    /// Sends DELETE requests.
    public var delete: RequestSender { RequestSender(manager: self, method: .delete) }

    /// Sends a request and returns its value.
    func value<Value>(
        _ reading: ResponseReading<Value>, _ method: HTTPRequest.Method,
        _ target: some RequestTargetConvertible, object: RequestObject? = nil,
        _ parameters: RequestParameters, _ keyPath: DocumentPath? = nil,
        form: ((inout MultipartForm) throws -> Void)? = nil,
        _ configure: (inout ObjectRequest<Value>) throws -> Void
    ) async throws -> sending Value {
        var request = ObjectRequest(
            reading, method, target, object: object, parameters: parameters, keyPath: keyPath)
        request.form = form
        try configure(&request)
        return try await send(request).value
    }
}

// MARK: - Parameters

extension RequestSender {
    /// Sends a request with parameters, and returns the value of the response.
    ///
    /// - Parameters:
    ///   - target: The resource: a path or another ``RequestTarget``.
    ///   - parameters: The parameters of the body; for DELETE, of the query.
    ///   - keyPath: The location of the value in the response; `nil` for that of a response
    ///     descriptor for the type, or else the whole document.
    ///   - type: The type of the value.
    ///   - configure: Sets further properties of the request, such as header fields or limits.
    ///   - form: Adds parts to a multipart form, whose first fields are the object and the parameters.
    /// - Returns: A new value.
    /// - Throws: ``NetworkingError``, or `CancellationError`; the errors of `configure`.
    public func callAsFunction<Value: MappableValue>(
        _ target: some RequestTargetConvertible, parameters: RequestParameters = [:],
        keyPath: DocumentPath? = nil, as type: Value.Type = Value.self,
        configure: (inout ObjectRequest<Value>) throws -> Void = { _ in },
        form: ((inout MultipartForm) throws -> Void)? = nil
    ) async throws -> sending Value {
        try await manager.value(
            .value(), method, target, parameters, keyPath, form: form, configure)
    }

    /// Sends a request with parameters, and returns a value that decodes itself.
    @_disfavoredOverload
    public func callAsFunction<Value: Decodable & SendableMetatype>(
        _ target: some RequestTargetConvertible, parameters: RequestParameters = [:],
        keyPath: DocumentPath? = nil, as type: Value.Type = Value.self,
        configure: (inout ObjectRequest<Value>) throws -> Void = { _ in },
        form: ((inout MultipartForm) throws -> Void)? = nil
    ) async throws -> sending Value {
        try await manager.value(
            .decoded(), method, target, parameters, keyPath, form: form, configure)
    }

    /// Sends a request with parameters.
    ///
    /// The body of the response is not read.
    public func callAsFunction(
        _ target: some RequestTargetConvertible, parameters: RequestParameters = [:],
        configure: (inout ObjectRequest<Void>) throws -> Void = { _ in },
        form: ((inout MultipartForm) throws -> Void)? = nil
    ) async throws {
        try await manager.value(.nothing, method, target, parameters, form: form, configure)
    }
}

// MARK: - Objects

extension RequestSender {
    /// Sends a request with an object, and returns the value of the response.
    ///
    /// - Parameters:
    ///   - object: A mapped or managed object, or an array of them.
    ///   - target: The resource; by default the route of the object's type.
    ///   - parameters: Parameters that are merged into the representation of the object; for DELETE,
    ///     those of the query.
    ///   - keyPath: The location of the value in the response; `nil` for that of a response
    ///     descriptor for the type, or else the whole document.
    ///   - type: The type of the value.
    ///   - configure: Sets further properties of the request, such as header fields or limits.
    ///   - form: Adds parts to a multipart form, whose first fields are the object and the parameters.
    /// - Returns: A new value.
    /// - Throws: ``NetworkingError``, or `CancellationError`; the errors of `configure`.
    public func callAsFunction<Value: MappableValue>(
        _ object: some RequestContent, at target: some RequestTargetConvertible = .object,
        parameters: RequestParameters = [:], keyPath: DocumentPath? = nil,
        as type: Value.Type = Value.self,
        configure: (inout ObjectRequest<Value>) throws -> Void = { _ in },
        form: ((inout MultipartForm) throws -> Void)? = nil
    ) async throws -> sending Value {
        try await send(.value(), object.requestObject, target, parameters, keyPath, form, configure)
    }

    /// Sends a request with an object, and returns a value that decodes itself.
    @_disfavoredOverload
    public func callAsFunction<Value: Decodable & SendableMetatype>(
        _ object: some RequestContent, at target: some RequestTargetConvertible = .object,
        parameters: RequestParameters = [:], keyPath: DocumentPath? = nil,
        as type: Value.Type = Value.self,
        configure: (inout ObjectRequest<Value>) throws -> Void = { _ in },
        form: ((inout MultipartForm) throws -> Void)? = nil
    ) async throws -> sending Value {
        try await send(
            .decoded(), object.requestObject, target, parameters, keyPath, form, configure)
    }

    /// Sends a request with an object.
    ///
    /// The body of the response is not read. A managed object is refused, because its response would not be
    /// saved: the compiler chooses this form where nothing but `Void` is expected, as in a closure of one
    /// call. `_ = try await api.put(object)` chooses the one that imports.
    public func callAsFunction(
        _ object: some RequestContent, at target: some RequestTargetConvertible = .object,
        parameters: RequestParameters = [:],
        configure: (inout ObjectRequest<Void>) throws -> Void = { _ in },
        form: ((inout MultipartForm) throws -> Void)? = nil
    ) async throws {
        let object = object.requestObject
        if object.isManaged {
            throw NetworkingError(
                .invalidRequest, stage: .assembly, method: method.rawValue,
                causes: [
                    "this call would not save the response to a managed object; use its result, as in "
                        + "'_ = try await api.\(method.rawValue.lowercased())(object)'"
                ])
        }
        try await send(.nothing, object, target, parameters, nil, form, configure)
    }

    /// Sends a request with an object that encodes itself, and returns the value of the response.
    @_disfavoredOverload
    public func callAsFunction<Value: MappableValue>(
        _ object: some Encodable, at target: some RequestTargetConvertible = .object,
        parameters: RequestParameters = [:], keyPath: DocumentPath? = nil,
        as type: Value.Type = Value.self,
        configure: (inout ObjectRequest<Value>) throws -> Void = { _ in },
        form: ((inout MultipartForm) throws -> Void)? = nil
    ) async throws -> sending Value {
        let object = RequestObject(encoding: object)
        return try await send(.value(), object, target, parameters, keyPath, form, configure)
    }

    /// Sends a request with an object that encodes itself, and returns a value that decodes itself.
    @_disfavoredOverload
    public func callAsFunction<Value: Decodable & SendableMetatype>(
        _ object: some Encodable, at target: some RequestTargetConvertible = .object,
        parameters: RequestParameters = [:], keyPath: DocumentPath? = nil,
        as type: Value.Type = Value.self,
        configure: (inout ObjectRequest<Value>) throws -> Void = { _ in },
        form: ((inout MultipartForm) throws -> Void)? = nil
    ) async throws -> sending Value {
        let object = RequestObject(encoding: object)
        return try await send(.decoded(), object, target, parameters, keyPath, form, configure)
    }

    /// Sends a request with an object that encodes itself.
    ///
    /// The body of the response is not read.
    @_disfavoredOverload
    public func callAsFunction(
        _ object: some Encodable, at target: some RequestTargetConvertible = .object,
        parameters: RequestParameters = [:],
        configure: (inout ObjectRequest<Void>) throws -> Void = { _ in },
        form: ((inout MultipartForm) throws -> Void)? = nil
    ) async throws {
        let object = RequestObject(encoding: object)
        try await send(.nothing, object, target, parameters, nil, form, configure)
    }

    /// Sends a request with an object.
    private func send<Value>(
        _ reading: ResponseReading<Value>, _ object: RequestObject,
        _ target: some RequestTargetConvertible, _ parameters: RequestParameters,
        _ keyPath: DocumentPath?, _ form: ((inout MultipartForm) throws -> Void)?,
        _ configure: (inout ObjectRequest<Value>) throws -> Void
    ) async throws -> sending Value {
        try await manager.value(
            reading, method, target, object: object, parameters, keyPath, form: form, configure)
    }
}

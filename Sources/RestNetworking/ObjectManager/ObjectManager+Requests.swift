// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import RestDocument
public import RestMapping
public import RestTransport

extension ObjectManager {
    /// Sends a GET request and returns one value: an object, a plain value, or a collection of them.
    ///
    /// A response descriptor for the type and the path gives the key path of the value. Without one,
    /// the value is the whole document.
    ///
    /// - Parameters:
    ///   - path: A path relative to the base URL.
    ///   - parameters: An object whose members are added to the query, form-encoded.
    ///   - type: The type of the value.
    /// - Returns: A new value. For an empty body, whatever the status of success: `nil`, or an
    ///   empty array, set or dictionary.
    /// - Throws: ``NetworkingError``, with code ``NetworkingError/Code/emptyResponse`` if the body
    ///   is empty and the type is neither optional nor a collection, or `CancellationError`.
    public func get<Value: MappableValue>(
        _ path: String, parameters: Document = [:], as type: Value.Type = Value.self
    ) async throws -> sending Value {
        let expected = try defaultDescriptor(for: type)
        let request = try request(.get, at: path, parameters: parameters)
        return try await value(type, expected, request)
    }

    /// Sends a GET request and returns objects of one type.
    ///
    /// A response descriptor for the type and the path gives the key path of the objects. Without
    /// one, the whole document is mapped. It may be a list or a single object.
    ///
    /// - Parameters:
    ///   - type: The type of the objects.
    ///   - path: A path relative to the base URL.
    ///   - parameters: An object whose members are added to the query, form-encoded.
    /// - Returns: New objects in document order; an empty array for an empty body.
    /// - Throws: ``NetworkingError``, or `CancellationError`.
    public func getObjects<Object: Mapped>(
        _ type: Object.Type, at path: String, parameters: Document = [:]
    ) async throws -> sending [Object] {
        let expected = try defaultDescriptor(for: type)
        let request = try request(.get, at: path, parameters: parameters)
        return try await objects(type, expected, request)
    }

    /// Sends a GET request and returns the objects of all response descriptors that match.
    ///
    /// - Parameters:
    ///   - path: A path relative to the base URL.
    ///   - parameters: An object whose members are added to the query, form-encoded.
    /// - Returns: New objects by key path; empty for an empty body.
    /// - Throws: ``NetworkingError``, or `CancellationError`.
    public func getObjects(
        at path: String, parameters: Document = [:]
    ) async throws -> sending MappingResult {
        try await result(request(.get, at: path, parameters: parameters))
    }

    @concurrent
    private func value<Value: MappableValue>(
        _ type: Value.Type, _ expected: ResponseDescriptor, _ request: TransportRequest
    ) async throws -> sending Value {
        try await value(type, from: response(to: request, expecting: expected))
    }

    @concurrent
    private func objects<Object: Mapped>(
        _ type: Object.Type, _ expected: ResponseDescriptor, _ request: TransportRequest
    ) async throws -> sending [Object] {
        try await objects(type, from: response(to: request, expecting: expected)).objects
    }

    @concurrent
    private func result(_ request: TransportRequest) async throws -> sending MappingResult {
        try await result(from: response(to: request))
    }
}

// MARK: - Stages

extension ObjectManager {
    /// Returns a request that can be passed to ``response(to:expecting:)``.
    ///
    /// - Parameters:
    ///   - method: The request method.
    ///   - path: A path relative to the base URL.
    ///   - parameters: For PATCH, POST and PUT, the body, written in the ``requestFormat``. For
    ///     other methods, an object whose members are added to the query, form-encoded. An empty
    ///     object adds nothing.
    /// - Returns: The request.
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/crossOrigin`` if the path
    ///   resolves to another origin than the base URL's, else
    ///   ``NetworkingError/Code/invalidRequest``.
    public func request(
        _ method: HTTPRequest.Method, at path: String, parameters: Document = [:]
    ) throws(NetworkingError) -> TransportRequest {
        try RequestAssembler(configuration: snapshot).request(
            method, at: path, parameters: parameters)
    }

    /// Sends a request, parses the response and selects its descriptors, without mapping objects.
    ///
    /// Use it to map a response into a destination of your own.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - expected: The descriptor to use if no added descriptor for objects of the same type
    ///     matches. Added descriptors for other types are then ignored. Pass `nil` to use all added
    ///     descriptors that match.
    /// - Returns: The response with its matches.
    /// - Throws: ``NetworkingError``, or `CancellationError`.
    /// - Isolation: Runs outside of the caller's isolation.
    @concurrent
    public func response(
        to request: TransportRequest, expecting expected: ResponseDescriptor? = nil
    ) async throws -> ObjectResponse {
        let configuration = snapshot
        try Task.checkCancellation()
        let response: TransportResponse
        do {
            response = try await configuration.client.send(request)
        } catch let error as TransportError {
            throw NetworkingError(
                .transportFailed, stage: .transport, method: request.method.rawValue,
                url: request.url.redacted, underlying: error)
        }
        let reader = ResponseReader(
            descriptors: DescriptorSelection(
                descriptors: configuration.responseDescriptors, expected: expected),
            baseURL: configuration.client.baseURL,
            formats: FormatSelection(
                formats: configuration.formats, limits: configuration.parseLimits))
        let matched = try await reader.read(response)
        try Task.checkCancellation()
        return matched
    }
}

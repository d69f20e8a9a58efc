// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import RestMapping
public import RestTransport

// The stages of `send(_:)`, for callers who send requests or map responses themselves.

extension ObjectManager {
    /// Returns a request as it would be sent.
    ///
    /// - Parameters:
    ///   - method: The request method; `nil` for the method of a named route, or else GET.
    ///   - target: The resource: a path or another ``RequestTarget``.
    ///   - parameters: For PATCH, POST, PUT and QUERY, the body, written in the ``requestFormat``.
    ///     For other methods, the parameters of the query, form-encoded. See ``parameterStyle``.
    /// - Returns: The request.
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/crossOrigin`` if the path
    ///   resolves to another origin than the base URL's, else
    ///   ``NetworkingError/Code/invalidRequest``, also for a path with a number sign, or
    ///   ``NetworkingError/Code/noMatchingRoute``.
    public func request(
        _ method: HTTPRequest.Method? = nil, at target: some RequestTargetConvertible,
        parameters: RequestParameters = [:]
    ) throws(NetworkingError) -> TransportRequest {
        try assemble(ObjectRequest<Void>(method, at: target, parameters: parameters))
            .transportRequest
    }

    /// Returns a request with an object as it would be sent.
    ///
    /// - Parameters:
    ///   - object: A mapped or managed object, or an array of them.
    ///   - method: The request method; `nil` for the method of a named route, or else GET. PATCH, POST, PUT
    ///     and QUERY send the object, others fill a route with it.
    ///   - target: The resource; by default the route of the object's type.
    ///   - parameters: Parameters that are merged into the representation of the object, or added to
    ///     the query.
    /// - Returns: The request.
    /// - Throws: ``NetworkingError`` with stage ``NetworkingError/Stage/assembly``.
    public func request(
        for object: some RequestContent, method: HTTPRequest.Method? = nil,
        at target: some RequestTargetConvertible = .object, parameters: RequestParameters = [:]
    ) throws(NetworkingError) -> TransportRequest {
        try assemble(
            ObjectRequest<Void>(
                method, at: target, object: object.requestObject, parameters: parameters)
        ).transportRequest
    }

    /// Returns a request with a multipart form as it would be sent.
    ///
    /// - Parameters:
    ///   - object: A mapped or managed object, whose values are the first fields; `nil` for none.
    ///   - method: DELETE, PATCH, POST or PUT.
    ///   - target: The resource; by default the route of the object's type.
    ///   - parameters: Parameters that are merged into the representation of the object.
    ///   - form: Adds parts to the form.
    /// - Returns: The request.
    /// - Throws: ``NetworkingError`` with stage ``NetworkingError/Stage/assembly``.
    public func multipartRequest(
        for object: (any RequestContent)?, method: HTTPRequest.Method = .post,
        at target: some RequestTargetConvertible = .object, parameters: RequestParameters = [:],
        form: @escaping (inout MultipartForm) throws -> Void
    ) throws(NetworkingError) -> TransportRequest {
        var request = ObjectRequest<Void>(
            method, at: target, object: object?.requestObject, parameters: parameters)
        request.form = form
        return try assemble(request).transportRequest
    }

    /// Sends a request, parses the response and selects its descriptors, without mapping objects.
    ///
    /// Use it to map a response into a destination of your own.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - expected: The descriptor to use if there is no added descriptor for objects of the same
    ///     type. Added descriptors for other types are then ignored. Pass `nil` to use all added
    ///     descriptors that match.
    /// - Returns: The response with its matches.
    /// - Throws: ``NetworkingError``, or `CancellationError`.
    /// - Isolation: Runs outside of the caller's isolation.
    public func response(
        to request: TransportRequest, expecting expected: ResponseDescriptor? = nil
    ) async throws -> ObjectResponse {
        try await response(
            to: AssembledRequest(
                request, expecting: expected, reading: .response(expecting: expected),
                configuration: snapshot))
    }
}

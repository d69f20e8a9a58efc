// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
import RestMapping
import RestTransport

/// Creates requests by the configuration of an ``ObjectManager``.
///
/// The stages are: route, representation of the object, parameters, URL, body. A request that cannot
/// be created completely is an error.
struct RequestAssembler: Sendable {
    let configuration: ConfigurationSnapshot

    /// A Boolean value that indicates whether the document of the body is kept, to which pages add
    /// members.
    var keepsBodyDocument = false

    /// The methods with parameters in the body by default; other methods have them in the query.
    ///
    /// - Source: RFC 9110 §9.3; for QUERY, draft-ietf-httpbis-safe-method-w-body.
    static let methodsWithBody = Set(
        ["PATCH", "POST", "PUT", "QUERY"].compactMap { HTTPRequest.Method($0) })

    /// Returns the request with everything needed to read its response.
    ///
    /// - Throws: ``NetworkingError`` with stage ``NetworkingError/Stage/assembly``, or
    ///   ``NetworkingError/Stage/configuration`` for an invalid mapping.
    func assemble<Value>(
        _ request: ObjectRequest<Value>
    ) throws(NetworkingError) -> AssembledRequest<Value> {
        let expected = try request.reading.expectedDescriptor(in: configuration.value.defaults)
        let destination = try route(request)
        let (transportRequest, parameters, body) = try transportRequest(
            for: request, to: destination)
        var assembled = AssembledRequest(
            transportRequest: transportRequest, requestedURL: transportRequest.url,
            path: destination.reference, expected: expected,
            bodyDocument: keepsBodyDocument ? body.document : nil, keyPath: request.keyPath,
            reading: request.reading,
            metadata: RequestMetadata(
                parameters: parameters.isEmptyObject ? Document?.none : parameters,
                routing: destination.metadata, custom: try self.document(of: request.metadata)),
            willMapDocument: request.willMapDocument, priority: request.priority,
            configuration: configuration)
        assembled.keepsResponseBody = request.keepsResponseBody
        if case .mergePatch(nil, _) = body { assembled.isWithoutChanges = true }
        if keepsBodyDocument {
            assembled.bodyFormat = configuration.value.bodyFormat(
                for: request.headerFields, request.parameterStyle)
        }
        if let importer = configuration.value.entityImporter,
            assembled.candidateDescriptors.contains(where: \.mayMapEntities)
        {
            assembled.makeInterceptor = importer.begin()
            assembled.destination = .store
        }
        return assembled
    }

    /// Returns the request as it is sent, the parameters of the caller, and the body.
    private func transportRequest<Value>(
        for request: ObjectRequest<Value>, to destination: RoutedPath
    ) throws(NetworkingError) -> (TransportRequest, parameters: Document, body: RequestBody) {
        let parameters = try document(of: request.parameters)
        let method = destination.method
        let style = request.parameterStyle.completed(by: configuration.value.parameterStyle)
        let sendsObject =
            style.placement == .body || request.form != nil || Self.methodsWithBody.contains(method)
        try checkUse(ofObjectIn: request, destination, isSent: sendsObject)
        let isInQuery = style.placement == .query || !sendsObject
        let path =
            isInQuery
            ? try self.path(destination.reference, adding: parameters, style)
            : destination.reference
        var result = TransportRequest(
            method: method, url: try configuration.value.client.baseURL.url(at: path, method),
            headerFields: request.headerFields)
        if !result.headerFields.contains(.accept),
            !configuration.value.client.defaultHeaders.contains(.accept)
        {
            result.headerFields[.accept] = configuration.value.accept
        }
        var body = RequestBody.none
        if sendsObject {
            let format = configuration.value.bodyFormat(for: request.headerFields, style)
            let hasNone = isInQuery || request.parameters.isAbsent
            let members = hasNone ? Document?.none : parameters
            body = try self.body(of: request, members, format, method)
            try write(body, as: format, to: &result)
        }
        if let key = request.idempotencyKey { try set(key, for: "Idempotency-Key", of: &result) }
        result.limits = limits(of: request)
        result.cachePolicy = request.cachePolicy
        result.principal = request.principal
        result.progress = request.progress
        return (result, parameters, body)
    }

    /// Checks that the object of a request is sent, or selects or fills its route.
    ///
    /// A managed object is also what the response is about, such as the one that DELETE removes.
    private func checkUse<Value>(
        ofObjectIn request: ObjectRequest<Value>, _ destination: RoutedPath, isSent: Bool
    ) throws(NetworkingError) {
        guard let object = request.object, !isSent, !object.isManaged else { return }
        switch request.target.storage {
        case .object(nil): return
        case .route(_, nil) where destination.route?.pathPattern?.parameters.isEmpty == false:
            return
        case .object, .path, .relationship, .route, .routed: break
        }
        throw NetworkingError(
            .invalidRequest, stage: .assembly, method: destination.method.rawValue,
            causes: [
                "\(destination.method.rawValue) does not send the object, and the path has no "
                    + "parameters for it; leave it out, or place the parameters in the body"
            ])
    }

    private func limits<Value>(of request: ObjectRequest<Value>) -> TransportLimits? {
        guard let timeout = request.timeout else { return request.limits }
        var limits = request.limits ?? configuration.value.client.limits
        limits.totalTimeout = timeout
        return limits
    }

    private func set(
        _ value: String, for name: String, of request: inout TransportRequest
    ) throws(NetworkingError) {
        do throws(TransportError) {
            try request.setHeader(value, for: name)
        } catch {
            throw NetworkingError(
                .invalidRequest, stage: .assembly, method: request.method.rawValue,
                url: request.url.redacted, causes: ["\(name) is no header value"],
                underlying: error)
        }
    }

    private func document(
        of parameters: RequestParameters
    ) throws(NetworkingError) -> Document {
        do throws(MappingError) {
            return try parameters.document(dates: configuration.value.dateFormat)
        } catch {
            throw NetworkingError(
                .invalidRequest, stage: .assembly, path: error.path,
                causes: ["the parameters contain a value without a representation"],
                underlying: error)
        }
    }
}

// MARK: - Route

extension RequestAssembler {
    /// Returns the path and the method of a request, from a route unless the request has a path.
    func route<Value>(_ request: ObjectRequest<Value>) throws(NetworkingError) -> RoutedPath {
        let method = request.method ?? .get
        let router = configuration.value.router
        switch request.target.storage {
        case .path(let path): return RoutedPath(path, method: method)
        case .routed(let path): return path
        case .route(let name, let object):
            return try router.path(
                named: name, object: object ?? request.object?.routed, method: request.method)
        case .object(let object):
            guard let object = object ?? request.object?.routed else {
                throw noObject(method, "there is no single object to route; name a path")
            }
            return try router.path(for: object, method: method)
        case .relationship(let name, let object):
            guard let object else {
                throw noObject(method, "name the object of the relationship \"\(name)\"")
            }
            return try router.path(forRelationship: name, of: object, method: method)
        }
    }

    private func noObject(_ method: HTTPRequest.Method, _ cause: String) -> NetworkingError {
        NetworkingError(
            .noMatchingRoute, stage: .assembly, method: method.rawValue, causes: [cause])
    }
}

extension RequestObject {
    /// The object whose values fill the parameters of a route; `nil` for a list.
    fileprivate var routed: Any? {
        switch content {
        case .object(let subject): subject
        case .encodable(let value): value
        case .list: nil
        }
    }
}

// MARK: - URL

extension RequestAssembler {
    /// Returns a path with parameters added to its query.
    func path(
        _ path: String, adding parameters: Document, _ style: ParameterStyle
    ) throws(NetworkingError) -> String {
        if parameters.isEmptyObject { return path }
        let query: String
        do throws(DocumentError) {
            query = try style.applied(to: configuration.value.queryFormat).text(of: parameters)
        } catch {
            throw NetworkingError(
                .invalidRequest, stage: .assembly, path: error.path,
                causes: ["the parameters cannot be written as a query"], underlying: error)
        }
        guard !query.isEmpty else { return path }
        let separator = path.contains("?") ? (path.last == "?" || path.last == "&" ? "" : "&") : "?"
        return path + separator + query
    }
}

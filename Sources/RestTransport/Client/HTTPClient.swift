// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// A client that sends requests under one base URL.
///
/// The client does the part of HTTP that adapters do differently or not at all. A request passes
/// through these stages, in order:
///
/// 1. Preparation: default header fields, credential, principal, limits and deadline are filled in.
/// 2. ``interceptors``, from first to last, once for each request.
/// 3. Redirects, by ``RedirectPolicy``. Each redirect passes through the following stages again.
/// 4. Cookies from the ``cookieJar``.
/// 5. ``cache``, which may answer.
/// 6. ``networkInterceptors``, from first to last, once for each exchange with a server.
/// 7. Validation of the request as it goes on the wire.
/// 8. ``transport``, within the ``TransportLimits``. Cookies of the response go into the
///    ``cookieJar``.
///
/// Credentials and header fields for the origin of the base URL reach no other origin: requests
/// to other origins get only harmless default header fields and no credential. After a redirect to
/// another origin, no stage adds more than harmless header fields.
/// ``RedirectPolicy/trustedOrigins`` are treated like the origin of the base URL.
///
/// A client is a value: a copy with other settings shares the transport and its connections.
public struct HTTPClient: Sendable {
    private struct Storage: Sendable {
        var configuration: ClientConfiguration {
            didSet { stages = RequestStages(configuration) }
        }
        private(set) var stages: RequestStages

        init(_ configuration: ClientConfiguration) {
            self.configuration = configuration
            stages = RequestStages(configuration)
        }
    }

    private var storage: CopyOnWriteBox<Storage>

    private var configuration: ClientConfiguration {
        _read { yield storage.value.configuration }
        _modify { yield &storage.value.configuration }
    }

    /// The URL that relative paths are resolved against.
    ///
    /// Its path is empty or ends with a slash.
    public var baseURL: HTTPURL { configuration.baseURL }

    /// The header fields added to requests that do not have them.
    ///
    /// Requests to other origins than that of the base URL get only these of them: `Accept`,
    /// `Accept-Encoding`, `Accept-Language`, `Cache-Control`, `Pragma`, `Range` and `User-Agent`.
    public var defaultHeaders: HTTPFields {
        _read { yield configuration.defaultHeaders }
        _modify { yield &configuration.defaultHeaders }
    }

    /// The credential of requests to the origin of the base URL.
    ///
    /// `nil`, the default, adds none.
    ///
    /// ```swift
    /// client.credential = try BasicCredential(user: name, password: password)
    /// client.credential = BearerToken(token)
    /// ```
    ///
    /// Requests that have an Authorization field, of their own or from ``defaultHeaders``, keep it.
    /// The credential is not renewed when it expires or is refused; use
    /// ``AuthorizationInterceptor`` for that.
    public var credential: (any RequestCredential)? {
        _read { yield configuration.credential }
        _modify { yield &configuration.credential }
    }

    /// The cookie jar.
    ///
    /// `nil`, the default, neither stores nor sends cookies.
    public var cookieJar: CookieJar? {
        _read { yield configuration.cookieJar }
        _modify { yield &configuration.cookieJar }
    }

    /// The media type in which requests with a body carry parameters.
    ///
    /// This module does not use it; `ObjectManager` does when it encodes parameters.
    public var parameterMediaType: String {
        _read { yield configuration.parameterMediaType }
        _modify { yield &configuration.parameterMediaType }
    }

    /// The transport that sends requests.
    public var transport: any HTTPTransport {
        _read { yield configuration.transport }
        _modify { yield &configuration.transport }
    }

    /// The limits of requests without limits of their own.
    public var limits: TransportLimits {
        _read { yield configuration.limits }
        _modify { yield &configuration.limits }
    }

    /// The redirects to follow and the origins to trust.
    public var redirects: RedirectPolicy {
        _read { yield configuration.redirects }
        _modify { yield &configuration.redirects }
    }

    /// The interceptors of requests, outermost first.
    ///
    /// They run before redirects are followed.
    public var interceptors: [any HTTPInterceptor] {
        _read { yield configuration.interceptors }
        _modify { yield &configuration.interceptors }
    }

    /// The response cache.
    ///
    /// `nil`, the default, disables caching.
    public var cache: HTTPCache? {
        _read { yield configuration.cache }
        _modify { yield &configuration.cache }
    }

    /// The interceptors of exchanges with a server, outermost first.
    ///
    /// They run for each redirect, and not for responses that the cache serves on its own.
    public var networkInterceptors: [any HTTPInterceptor] {
        _read { yield configuration.networkInterceptors }
        _modify { yield &configuration.networkInterceptors }
    }

    /// The principal of requests that name none.
    public var principal: Principal? {
        _read { yield configuration.principal }
        _modify { yield &configuration.principal }
    }

    /// The clock for deadlines, delays and ages.
    public var clock: any TransportClock {
        _read { yield configuration.clock }
        _modify { yield &configuration.clock }
    }

    /// Creates a client for a base URL.
    ///
    /// - Parameters:
    ///   - baseURL: The URL that relative paths are resolved against. A slash is added to a path that
    ///     does not end with one.
    ///   - transport: The transport that sends requests.
    ///   - defaultHeaders: The header fields added to requests that do not have them.
    ///   - limits: The limits of requests without limits of their own.
    ///   - redirects: The redirects to follow and the origins to trust.
    /// - Throws: ``TransportError`` with code `invalidRequest` if the URL has a query or a fragment.
    public init(
        baseURL: HTTPURL, transport: any HTTPTransport, defaultHeaders: HTTPFields = [:],
        limits: TransportLimits = .default, redirects: RedirectPolicy = .default
    ) throws(TransportError) {
        try baseURL.checkBase()
        storage = CopyOnWriteBox(
            Storage(
                ClientConfiguration(
                    baseURL: baseURL.asBase, defaultHeaders: defaultHeaders, transport: transport,
                    limits: limits, redirects: redirects)))
    }

    /// Creates a client for a base URL given as text.
    ///
    /// User information in the URL, as in `https://user:password@host/`, becomes the
    /// ``credential``.
    ///
    /// - Parameters:
    ///   - baseURL: The URL that relative paths are resolved against.
    ///   - transport: The transport that sends requests.
    ///   - defaultHeaders: The header fields added to requests that do not have them.
    /// - Throws: ``TransportError`` with code `invalidRequest` if the text is not an absolute http
    ///   or https URL, or if the URL has a query or a fragment.
    public init(
        baseURL: String, transport: any HTTPTransport, defaultHeaders: HTTPFields = [:]
    ) throws(TransportError) {
        var credential: BasicCredential?
        let baseURL = try HTTPURL(parsing: baseURL, credential: &credential)
        try self.init(baseURL: baseURL, transport: transport, defaultHeaders: defaultHeaders)
        self.credential = credential
    }

    /// Sends a request through all stages.
    ///
    /// - Parameter request: The request; it may be for another origin than that of ``baseURL``.
    /// - Returns: The response, with any status; its body may still be arriving.
    /// - Throws: ``TransportError``, whose ``TransportError/redirects`` are the URLs visited
    ///   before, or `CancellationError`.
    /// - Isolation: Runs in the caller's isolation.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        try await storage.value.stages.first.send(request)
    }

    /// Returns a request as the interceptors receive it.
    package func prepared(_ request: TransportRequest) throws -> TransportRequest {
        try storage.value.stages.first.prepared(request)
    }

    /// Returns a request with the credentials that the client would send at present, as far as they are
    /// known before the request: its own, those of each ``CredentialInterceptor``, and the cookies.
    ///
    /// They identify the user of a request without principal.
    package func authorized(_ request: TransportRequest) throws -> TransportRequest {
        var request = try prepared(request)
        for case let interceptor as any CredentialInterceptor in interceptors {
            request = try interceptor.authorized(request, under: baseURL)
        }
        let cookies = cookieJar?.fieldValue(
            for: request, leftTrustedOrigins: false, at: clock.date)
        if let cookies, !request.headerFields.contains(.cookie) {
            request.headerFields.append(HTTPField(name: .cookie, lenientValue: cookies))
        }
        return request
    }

    /// Sets the `Accept` field of ``defaultHeaders``.
    ///
    /// - Parameter value: Media types, such as `application/json, text/plain;q=0.5`; `nil` removes
    ///   the field.
    /// - Throws: ``TransportError`` with code `invalidRequest` if the value contains a control
    ///   character.
    public mutating func setAccept(_ value: String?) throws(TransportError) {
        try defaultHeaders.set(value, for: "Accept")
    }

    /// Returns the URL of a path under the base URL.
    ///
    /// - Parameter path: A relative reference, resolved by RFC 3986: `articles` is under the base
    ///   URL, `/articles` under the root of its host. An absolute URL is accepted if it has
    ///   the origin of the base URL.
    /// - Returns: The URL, always with the origin of the base URL.
    /// - Throws: ``TransportError`` with code `invalidRequest` if the path is not valid, contains a
    ///   number sign, or leads to another origin, as `//other.example/x` does.
    public func url(for path: String) throws(TransportError) -> HTTPURL {
        let url = try baseURL.resolving(path: path)
        guard url.origin == baseURL.origin else {
            throw HTTPURL.invalidURL("the path leads to another origin than the base")
        }
        return url
    }

    /// Returns a request to a path under the base URL.
    ///
    /// - Parameters:
    ///   - method: The request method.
    ///   - path: A path as for ``url(for:)``.
    ///   - headerFields: Header fields in addition to the default ones.
    ///   - body: The request body.
    /// - Returns: The request, to be sent with ``send(_:)``.
    /// - Throws: ``TransportError`` with code `invalidRequest` if the path is not valid.
    public func request(
        _ method: HTTPRequest.Method = .get, at path: String, headerFields: HTTPFields = [:],
        body: MessageBody = .empty
    ) throws(TransportError) -> TransportRequest {
        TransportRequest(
            method: method, url: try url(for: path), headerFields: headerFields, body: body)
    }
}

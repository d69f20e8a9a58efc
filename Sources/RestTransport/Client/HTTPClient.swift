// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// Sends requests under one base address.
///
/// The part of an exchange that must not be left to a transport. A request passes, in this order:
///
/// 1. default headers, credential, principal and deadline are filled in;
/// 2. ``interceptors``, the first one outermost: once for each request that is sent;
/// 3. redirects, by ``RedirectPolicy``; each one leads through what follows again;
/// 4. cookies from the ``cookieJar``;
/// 5. ``cache``, which may answer;
/// 6. ``networkInterceptors``, the first one outermost: once for each exchange with a server;
/// 7. the check of what must not go on the wire;
/// 8. ``transport``, held to the ``TransportLimits``; what it brings may set cookies.
///
/// Nothing that is meant for the base's origin reaches another one: on a request elsewhere, only
/// harmless default headers and no credential are filled in, and on the way of a redirect that has
/// left its origin, nobody adds more than harmless header fields. ``RedirectPolicy/trustedOrigins``
/// count as one's own.
///
/// Above it stand the descriptors and the object manager, below it one ``HTTPTransport``.
///
/// A value: a copy with another base or other headers shares the transport and its connections.
public struct HTTPClient: Sendable {
    // In a box, as every request takes its client along.
    private struct Parts: Sendable {
        let baseURL: HTTPURL
        var defaultHeaders: HTTPFields
        var credential: (any RequestCredential)?
        var cookieJar: CookieJar?
        var parameterMediaType = "application/x-www-form-urlencoded"
        var transport: any HTTPTransport {
            didSet { enforcesLimits = transport is any LimitEnforcingTransport }
        }
        var enforcesLimits: Bool
        var limits: TransportLimits
        var redirects: RedirectPolicy
        var interceptors: [any HTTPInterceptor] = []
        var cache: HTTPCache?
        var networkInterceptors: [any HTTPInterceptor] = []
        var principal: Principal?
        var clock: any TransportClock = .system
    }

    private var parts: Boxed<Parts>

    /// What relative paths are relative to; its path is empty or ends with a slash.
    public var baseURL: HTTPURL { parts.value.baseURL }

    /// Header fields of every request that does not have them itself.
    ///
    /// Requests to other origins than the base's get the harmless ones among them: `Accept`,
    /// `Accept-Encoding`, `Accept-Language`, `Cache-Control`, `Range` and `User-Agent`.
    public var defaultHeaders: HTTPFields {
        _read { yield parts.value.defaultHeaders }
        _modify { yield &parts.value.defaultHeaders }
    }

    /// What requests to the base's origin show who they are with, unless they have an Authorization
    /// field of their own or ``defaultHeaders`` has one.
    ///
    /// ```swift
    /// client.credential = try BasicCredential(user: name, password: password)
    /// client.credential = BearerToken(token)
    /// ```
    ///
    /// It is not renewed when it expires or is refused: ``AuthorizationInterceptor`` does that.
    public var credential: (any RequestCredential)? {
        _read { yield parts.value.credential }
        _modify { yield &parts.value.credential }
    }

    /// Where cookies are kept; `nil`, as by default, leaves them to the caller.
    public var cookieJar: CookieJar? {
        _read { yield parts.value.cookieJar }
        _modify { yield &parts.value.cookieJar }
    }

    /// The media type in which requests with a body carry parameters.
    ///
    /// This room has no use for it: who makes requests of parameters, as `ObjectManager` does, takes
    /// it from here.
    public var parameterMediaType: String {
        _read { yield parts.value.parameterMediaType }
        _modify { yield &parts.value.parameterMediaType }
    }

    /// What moves the bytes.
    public var transport: any HTTPTransport {
        _read { yield parts.value.transport }
        _modify { yield &parts.value.transport }
    }

    /// Whether the transport keeps limits itself, so that nobody need watch it.
    var enforcesLimits: Bool { parts.value.enforcesLimits }

    /// The limits of requests that bring none.
    public var limits: TransportLimits {
        _read { yield parts.value.limits }
        _modify { yield &parts.value.limits }
    }

    /// Which redirects are followed and what they may carry.
    public var redirects: RedirectPolicy {
        _read { yield parts.value.redirects }
        _modify { yield &parts.value.redirects }
    }

    /// What stands around every request, the first one outermost; redirects are inside.
    public var interceptors: [any HTTPInterceptor] {
        _read { yield parts.value.interceptors }
        _modify { yield &parts.value.interceptors }
    }

    /// What keeps responses and answers with them; nothing by default.
    public var cache: HTTPCache? {
        _read { yield parts.value.cache }
        _modify { yield &parts.value.cache }
    }

    /// What stands around every exchange with a server, the first one outermost: redirects and
    /// answers without asking a server are outside.
    public var networkInterceptors: [any HTTPInterceptor] {
        _read { yield parts.value.networkInterceptors }
        _modify { yield &parts.value.networkInterceptors }
    }

    /// Whose requests these are; requests that name a principal keep it.
    public var principal: Principal? {
        _read { yield parts.value.principal }
        _modify { yield &parts.value.principal }
    }

    /// The time as deadlines, delays and ages ask for it.
    public var clock: any TransportClock {
        _read { yield parts.value.clock }
        _modify { yield &parts.value.clock }
    }

    /// Makes a client from an address.
    ///
    /// - Parameters:
    ///   - baseURL: What relative paths are relative to. Query and fragment are dropped, and a
    ///     slash is added to a path that does not end with one.
    ///   - transport: What moves the bytes.
    ///   - defaultHeaders: Header fields of every request that does not have them itself.
    ///   - limits: The limits of requests that bring none.
    ///   - redirects: Which redirects are followed and what they may carry.
    public init(
        baseURL: HTTPURL, transport: any HTTPTransport, defaultHeaders: HTTPFields = [:],
        limits: TransportLimits = .default, redirects: RedirectPolicy = .default
    ) {
        parts = Boxed(
            Parts(
                baseURL: baseURL.asBase, defaultHeaders: defaultHeaders, transport: transport,
                enforcesLimits: transport is any LimitEnforcingTransport, limits: limits,
                redirects: redirects))
    }

    /// Makes a client from the text of an address.
    ///
    /// User information of the address, as in `https://user:password@host/`, becomes the
    /// ``credential``.
    ///
    /// - Parameters:
    ///   - baseURL: What relative paths are relative to.
    ///   - transport: What moves the bytes.
    ///   - defaultHeaders: Header fields of every request that does not have them itself.
    /// - Throws: ``TransportError`` with code `invalidRequest` when the text is not an absolute http
    ///   or https address.
    public init(
        baseURL: String, transport: any HTTPTransport, defaultHeaders: HTTPFields = [:]
    ) throws(TransportError) {
        var credential: BasicCredential?
        let baseURL = try HTTPURL(parsing: baseURL, credential: &credential)
        self.init(baseURL: baseURL, transport: transport, defaultHeaders: defaultHeaders)
        self.credential = credential
    }

    /// Sets the `Accept` field of ``defaultHeaders``.
    ///
    /// - Parameter value: Media types, such as `application/json, text/plain;q=0.5`; `nil` to say
    ///   nothing.
    /// - Throws: ``TransportError`` with code `invalidRequest` when it holds a control character.
    public mutating func setAccept(_ value: String?) throws(TransportError) {
        try defaultHeaders.set(value, for: "Accept")
    }

    /// The address of a path under this client.
    ///
    /// - Parameter path: A relative reference, resolved by RFC 3986: `articles` is under the base,
    ///   `/articles` under the root of the base's host. An absolute address is taken when it has
    ///   the base's origin.
    /// - Returns: The address, always on the base's origin.
    /// - Throws: ``TransportError`` with code `invalidRequest` when the path is not valid or leads
    ///   to another origin, as `//other.example/x` does.
    public func url(for path: String) throws(TransportError) -> HTTPURL {
        let url = try baseURL.resolving(path)
        guard url.origin == baseURL.origin else {
            throw HTTPURL.refusal("the path leads to another origin than the base")
        }
        return url
    }

    /// A request to a path under this client.
    ///
    /// - Parameters:
    ///   - method: The request method.
    ///   - path: A path as ``url(for:)`` takes it.
    ///   - headerFields: Header fields besides the default ones.
    ///   - body: What follows the header.
    /// - Returns: The request, to be sent with ``send(_:)``.
    /// - Throws: ``TransportError`` with code `invalidRequest` when the path is not valid.
    public func request(
        _ method: HTTPRequest.Method = .get, at path: String, headerFields: HTTPFields = [:],
        body: MessageBody = .empty
    ) throws(TransportError) -> TransportRequest {
        TransportRequest(
            method: method, url: try url(for: path), headerFields: headerFields, body: body)
    }
}

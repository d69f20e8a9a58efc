// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import Logging

/// Sends requests under one base address.
///
/// The part of an exchange that must not be left to a transport. A request passes, in this order:
///
/// 1. default headers, principal and deadline are filled in;
/// 2. ``interceptors``, the first one outermost: once for each request that is sent;
/// 3. redirects, by ``RedirectPolicy``; each one leads through what follows again;
/// 4. ``cache``, which may answer;
/// 5. ``networkInterceptors``, the first one outermost: once for each exchange with a server;
/// 6. the check of what must not go on the wire;
/// 7. ``transport``, held to the ``TransportLimits``.
///
/// Above it stand the descriptors and the object manager, below it one ``HTTPTransport``.
///
/// A value: a copy with another base or other headers shares the transport and its connections.
public struct HTTPClient: Sendable {
    /// What relative paths are relative to; its path is empty or ends with a slash.
    public let baseURL: HTTPURL

    /// Header fields of every request that does not have them itself.
    public var defaultHeaders: HTTPFields

    /// What moves the bytes.
    public var transport: any HTTPTransport

    /// The limits of requests that bring none.
    public var limits: TransportLimits

    /// Which redirects are followed and what they may carry.
    public var redirects: RedirectPolicy

    /// What stands around every request, the first one outermost; redirects are inside.
    public var interceptors: [any HTTPInterceptor] = []

    /// What keeps responses and answers with them; nothing by default.
    public var cache: HTTPCache?

    /// What stands around every exchange with a server, the first one outermost: redirects and
    /// answers without asking a server are outside.
    public var networkInterceptors: [any HTTPInterceptor] = []

    /// Whose requests these are; requests that name a principal keep it.
    public var principal: Principal?

    /// The time as deadlines, delays and ages ask for it.
    public var clock: any TransportClock = .system

    /// Where exchanges are noted at level `debug`; nowhere by default.
    ///
    /// Notes hold methods, addresses without query, and status codes; no header and no body.
    public var logger: Logger?

    /// Makes a client from an address.
    ///
    /// - Parameters:
    ///   - baseURL: What relative paths are relative to. Query and fragment are dropped, and a
    ///     slash is added to a path that does not end with one.
    ///   - transport: What moves the bytes.
    ///   - defaultHeaders: Header fields of every request that does not have them itself.
    ///   - limits: The limits of requests that bring none.
    ///   - redirects: Which redirects are followed and what they may carry.
    ///   - logger: Where exchanges are noted.
    public init(
        baseURL: HTTPURL, transport: any HTTPTransport, defaultHeaders: HTTPFields = [:],
        limits: TransportLimits = .default, redirects: RedirectPolicy = .default,
        logger: Logger? = nil
    ) {
        self.baseURL = baseURL.asBase
        self.transport = transport
        self.defaultHeaders = defaultHeaders
        self.limits = limits
        self.redirects = redirects
        self.logger = logger
    }

    /// Makes a client from the text of an address.
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
        self.init(
            baseURL: try HTTPURL(parsing: baseURL), transport: transport,
            defaultHeaders: defaultHeaders)
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

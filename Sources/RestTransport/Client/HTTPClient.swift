// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import Logging

/// Sends requests under one base address.
///
/// The part of an exchange that must not be left to a transport: it joins addresses, adds the
/// default headers, refuses what must not go on the wire, follows redirects by ``RedirectPolicy``,
/// and holds every exchange to its ``TransportLimits``. Above it stand the descriptors and the
/// object manager, below it one ``HTTPTransport``.
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

    /// Sends a request and follows the redirects that the policy allows.
    ///
    /// - Parameter request: The request; it may be for another origin than the base's.
    /// - Returns: The response, with any status; its body may still be arriving.
    /// - Throws: ``TransportError``, whose ``TransportError/redirects`` name the way that led there,
    ///   or `CancellationError`.
    /// - Isolation: Runs in the caller's isolation.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        var request = request
        addDefaults(to: &request)
        try RequestRules.check(request)
        let limits = request.limits ?? self.limits
        let start = ContinuousClock.now
        var visited: [HTTPURL] = []
        while true {
            request.limits = limits.remaining(since: visited.isEmpty ? nil : start)
            do {
                var response = try await exchange(request)
                note(response)
                let decision = RedirectDecision.decide(
                    on: response.head, to: request, after: visited.count,
                    limit: limits.redirectCount, policy: redirects)
                switch decision {
                case .deliver:
                    response.redirects = visited
                    return response
                case .follow(let next):
                    visited.append(request.url)
                    request = next
                case .refuse(let code, let reason):
                    throw TransportError(
                        code, stage: .receivingHeader, request: request, reason: reason)
                }
            } catch var error as TransportError {
                error.redirects = visited.map(\.redacted)
                logger?.debug("exchange failed", metadata: ["error": "\(error)"])
                throw error
            }
        }
    }

    private func exchange(_ request: TransportRequest) async throws -> TransportResponse {
        if transport is any LimitEnforcingTransport {
            return try await transport.send(request)
        }
        return try await GuardedExchange(request).send(through: transport)
    }

    private func addDefaults(to request: inout TransportRequest) {
        if request.headerFields.isEmpty {
            request.headerFields = defaultHeaders
            return
        }
        let own = request.headerFields
        for field in defaultHeaders where !own.contains(field.name) {
            request.headerFields.append(field)
        }
    }

    private func note(_ response: TransportResponse) {
        logger?.debug(
            "response",
            metadata: [
                "method": "\(response.request.method.rawValue)",
                "url": "\(response.url.redacted)",
                "status": "\(response.status.code)",
            ])
    }
}

extension TransportLimits {
    // The limits of a later exchange of the same request.
    fileprivate func remaining(since start: ContinuousClock.Instant?) -> TransportLimits {
        guard let start, let totalTimeout else { return self }
        var remaining = self
        remaining.totalTimeout = max(.zero, totalTimeout - (ContinuousClock.now - start))
        return remaining
    }
}

// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// A response: its head, its body, and the redirects that led to it.
public struct TransportResponse: Sendable {
    /// The request of the response; the last one if redirects were followed.
    public let request: TransportRequest

    /// The status and header fields.
    public var head: HTTPResponse

    /// The decompressed body, which can be read once.
    public var body: ResponseBody

    /// The URLs that responded with a redirect, oldest first.
    public var redirects: [HTTPURL]

    /// The origin of the response: the server or the cache.
    public let origin: ResponseOrigin

    /// The reference to the stored response of the cache, or `nil` if the response is not stored.
    package let storedAs: CacheEntry.Reference?

    /// Creates a response of a server.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - head: The status and header fields.
    ///   - body: The body.
    ///   - redirects: The URLs that responded with a redirect, oldest first.
    public init(
        to request: TransportRequest, head: HTTPResponse, body: ResponseBody,
        redirects: [HTTPURL] = []
    ) {
        self.init(
            to: request, head: head, body: body, redirects: redirects, origin: .network,
            storedAs: nil)
    }

    /// Creates a response that may come from the cache.
    init(
        to request: TransportRequest, head: HTTPResponse, body: ResponseBody,
        redirects: [HTTPURL] = [], origin: ResponseOrigin, storedAs: CacheEntry.Reference? = nil
    ) {
        self.request = request
        self.head = head
        self.body = body
        self.redirects = redirects
        self.origin = origin
        self.storedAs = storedAs
    }

    /// The URL of the request.
    public var url: HTTPURL { request.url }

    /// The status.
    public var status: HTTPResponse.Status { head.status }

    /// The header fields.
    public var headerFields: HTTPFields { head.headerFields }

    /// Reads the complete body.
    ///
    /// - Parameter limit: The maximum size in bytes, in addition to
    ///   ``TransportLimits/bodyByteCount``.
    /// - Returns: The body; a small body that has already arrived is not copied.
    /// - Throws: ``TransportError`` with code `bodyTooLarge`, `incompleteBody`, `timedOut` or
    ///   `closed`, and `CancellationError`.
    public func collect(upTo limit: Int = .max) async throws -> [UInt8] {
        do {
            return try await body.collect(upTo: limit)
        } catch var error as TransportError where error.url == nil {
            error.method = request.method.rawValue
            error.url = request.url.redacted
            throw error
        }
    }
}

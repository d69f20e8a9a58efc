// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// A response: its head, its body, and the way that led to it.
public struct TransportResponse: Sendable {
    /// The request that was answered, the last one when redirects were followed.
    public internal(set) var request: TransportRequest

    /// Status and header fields.
    public var head: HTTPResponse

    /// What follows the header, decompressed; can be read once.
    public var body: ResponseBody

    /// The addresses that answered with a redirect, oldest first; empty when none did.
    public var redirects: [HTTPURL]

    /// Where the response came from.
    public internal(set) var origin = ResponseOrigin.network

    /// What the cache keeps the response as; `nil` when it does not.
    package internal(set) var storedAs: CacheEntry.Reference?

    /// Makes a response.
    ///
    /// - Parameters:
    ///   - request: The request that was answered.
    ///   - head: Status and header fields.
    ///   - body: What follows the header.
    ///   - redirects: The addresses that answered with a redirect, oldest first.
    public init(
        to request: TransportRequest, head: HTTPResponse, body: ResponseBody,
        redirects: [HTTPURL] = []
    ) {
        self.request = request
        self.head = head
        self.body = body
        self.redirects = redirects
    }

    /// The address that answered.
    public var url: HTTPURL { request.url }

    /// The status.
    public var status: HTTPResponse.Status { head.status }

    /// The header fields.
    public var headerFields: HTTPFields { head.headerFields }

    /// Reads the whole body.
    ///
    /// - Parameter limit: Most bytes to take, besides ``TransportLimits/bodyByteCount``.
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

// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import RestTransport
import Synchronization

/// A transport that responds with the result of a closure and records requests.
///
/// ```swift
/// let transport = StubTransport { request in
///     .json(#"{"id": 1, "title": "News"}"#, to: request)
/// }
/// let client = try HTTPClient(baseURL: "https://api.example.com/", transport: transport)
/// ```
public final class StubTransport: HTTPTransport {
    /// A closure that returns the response to a request; several tasks may call it concurrently.
    public typealias Handler = @Sendable (TransportRequest) async throws -> TransportResponse

    private let handler: Handler
    private let log = Mutex<[TransportRequest]>([])

    /// Creates a transport.
    ///
    /// - Parameter handler: A closure that returns the response to a request.
    public init(_ handler: @escaping Handler) {
        self.handler = handler
    }

    /// The requests so far, in the order of their arrival.
    public var requests: [TransportRequest] { log.withLock { $0 } }

    /// Returns the response of the closure.
    ///
    /// - Throws: The errors of the closure.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        log.withLock { $0.append(request) }
        return try await handler(request)
    }
}

extension TransportResponse {
    /// Returns a response with a body in memory.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - headerFields: The header fields.
    ///   - body: The body.
    ///   - request: The request of the response.
    /// - Returns: The response.
    public static func stub(
        _ status: HTTPResponse.Status = .ok, headerFields: HTTPFields = [:], body: [UInt8] = [],
        to request: TransportRequest
    ) -> TransportResponse {
        TransportResponse(
            to: request, head: HTTPResponse(status: status, headerFields: headerFields),
            body: ResponseBody(body))
    }

    /// Returns a response with a JSON text.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - status: The status.
    ///   - request: The request of the response.
    /// - Returns: The response.
    public static func json(
        _ text: String, status: HTTPResponse.Status = .ok, to request: TransportRequest
    ) -> TransportResponse {
        .stub(
            status, headerFields: [.contentType: "application/json"], body: Array(text.utf8),
            to: request)
    }
}

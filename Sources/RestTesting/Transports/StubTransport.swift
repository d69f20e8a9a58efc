// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import RestTransport
import Synchronization

/// A transport that answers from a closure and remembers what it was asked.
///
/// ```swift
/// let transport = StubTransport { request in
///     .json(#"{"id": 1, "title": "News"}"#, to: request)
/// }
/// let client = try HTTPClient(baseURL: "https://api.example.com/", transport: transport)
/// ```
public final class StubTransport: HTTPTransport {
    /// What answers requests; it may be called by several tasks at once.
    public typealias Answer = @Sendable (TransportRequest) async throws -> TransportResponse

    private let answer: Answer
    private let log = Mutex<[TransportRequest]>([])

    /// Makes a transport.
    ///
    /// - Parameter answer: What answers requests.
    public init(_ answer: @escaping Answer) {
        self.answer = answer
    }

    /// The requests so far, in the order in which they came.
    public var requests: [TransportRequest] { log.withLock { $0 } }

    /// Answers a request.
    ///
    /// - Throws: What the closure throws.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        log.withLock { $0.append(request) }
        return try await answer(request)
    }
}

extension TransportResponse {
    /// A response with a body held in memory.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - headerFields: The header fields.
    ///   - body: The body.
    ///   - request: The request it answers.
    /// - Returns: The response.
    public static func stub(
        _ status: HTTPResponse.Status = .ok, headerFields: HTTPFields = [:], body: [UInt8] = [],
        to request: TransportRequest
    ) -> TransportResponse {
        TransportResponse(
            to: request, head: HTTPResponse(status: status, headerFields: headerFields),
            body: ResponseBody(body))
    }

    /// A response with a JSON text.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - status: The status.
    ///   - request: The request it answers.
    /// - Returns: The response.
    public static func json(
        _ text: String, status: HTTPResponse.Status = .ok, to request: TransportRequest
    ) -> TransportResponse {
        .stub(
            status, headerFields: [.contentType: "application/json"], body: Array(text.utf8),
            to: request)
    }
}

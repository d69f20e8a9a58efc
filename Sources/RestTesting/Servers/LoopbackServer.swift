// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// A request that a loopback server received.
package struct LoopbackRequest: Sendable {
    /// The method, as written.
    package var method: String

    /// The percent-encoded path of the request line, without the query.
    package var path: String

    /// The percent-encoded query, or an empty string.
    package var query: String

    /// The header fields with names in lower case; fields of one name are joined by a comma.
    package var headers: [String: String]

    /// The body.
    package var body: [UInt8]

    /// The path and the query of the request line.
    package var target: String { query.isEmpty ? path : "\(path)?\(query)" }
}

/// A response of a loopback server.
package struct LoopbackResponse: Sendable {
    /// The status code.
    package var status: Int

    /// The header fields, in which a name may occur several times.
    package var headers: [(name: String, value: String)]

    /// The body, whose length the server adds to the header.
    package var body: [UInt8]

    /// Creates a response.
    package init(
        status: Int = 200, headers: [(name: String, value: String)] = [], body: [UInt8] = []
    ) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Returns a response with a JSON text.
    package static func json(
        _ text: String, status: Int = 200, headers: [(name: String, value: String)] = []
    ) -> LoopbackResponse {
        LoopbackResponse(
            status: status, headers: [("Content-Type", "application/json")] + headers,
            body: Array(text.utf8))
    }

    /// Returns a redirect.
    package static func redirect(_ status: Int, to location: String) -> LoopbackResponse {
        LoopbackResponse(status: status, headers: [("Location", location)])
    }
}

/// An HTTP server on 127.0.0.1 that runs for the duration of a closure.
///
/// It keeps connections open and supports bodies with a `Content-Length`. Each connection has its own
/// thread. ``LoopbackSocketServer``, on which it is built, plays faults.
package final class LoopbackServer: Sendable {
    /// A closure that returns the response to a request.
    package typealias Handler = @Sendable (LoopbackRequest) async -> LoopbackResponse

    /// The port, chosen by the system.
    package let port: Int

    private let log: RequestLog

    /// The base URL of the server, which ends with a slash.
    package var baseURL: String { "http://127.0.0.1:\(port)/" }

    /// The requests so far, in the order of their arrival.
    package var requests: [LoopbackRequest] { log.requests.withLock { $0 } }

    private init(port: Int, log: RequestLog) {
        self.port = port
        self.log = log
    }

    /// Runs a server for the duration of a closure.
    ///
    /// - Parameters:
    ///   - handler: A closure that returns the response to a request.
    ///   - body: A closure with the server as its parameter.
    /// - Returns: The result of `body`.
    /// - Throws: An error of `body`, or `CocoaError` if no port is available.
    package static func run<Value>(
        _ handler: @escaping Handler, body: (LoopbackServer) async throws -> Value
    ) async throws -> Value {
        let log = RequestLog()
        return try await LoopbackSocketServer.run { connection in
            while let bytes = connection.readRequest(), let request = LoopbackRequest(bytes) {
                log.requests.withLock { $0.append(request) }
                let response =
                    wait { await handler(request) } ?? LoopbackResponse(status: 500)
                guard connection.send(response.bytes(withBody: request.method != "HEAD")) else {
                    return
                }
            }
        } body: { server in
            try await body(LoopbackServer(port: server.port, log: log))
        }
    }

    /// Runs an operation and blocks the thread of the connection until it returns.
    ///
    /// - Returns: The result of the operation.
    package static func wait<Value: Sendable>(
        for operation: @escaping @Sendable () async -> Value
    ) -> Value? {
        let box = ResultBox<Value>()
        let isDone = DispatchSemaphore(value: 0)
        Task {
            let result = await operation()
            box.value.withLock { $0 = result }
            isDone.signal()
        }
        isDone.wait()
        return box.value.withLock { $0 }
    }
}

private final class RequestLog: Sendable {
    let requests = Mutex<[LoopbackRequest]>([])
}

private final class ResultBox<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
}

extension LoopbackRequest {
    /// Parses a request; `nil` if it is malformed.
    package init?(_ bytes: [UInt8]) {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
        let lines = head.split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count == 3 else { return nil }
        method = String(words[0])
        let target = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = String(target[0])
        query = target.count > 1 ? String(target[1]) : ""
        headers = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let name = line[..<colon].lowercased()
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            headers[name] = headers[name].map { "\($0), \(value)" } ?? String(value)
        }
        body = Array(bytes[end.upperBound...])
    }
}

extension LoopbackResponse {
    /// The response as bytes of HTTP/1.1.
    package func bytes(withBody: Bool) -> [UInt8] {
        var head = "HTTP/1.1 \(status) Status\r\n"
        for (name, value) in headers {
            head += "\(name): \(value)\r\n"
        }
        let hasBody = status >= 200 && status != 204 && status != 304
        if hasBody { head += "Content-Length: \(body.count)\r\n" }
        return Array("\(head)\r\n".utf8) + (hasBody && withBody ? body : [])
    }
}

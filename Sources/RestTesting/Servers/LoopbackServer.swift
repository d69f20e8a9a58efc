// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// A request as a loopback server received it.
package struct LoopbackRequest: Sendable {
    /// The method, as written.
    package var method: String

    /// The path with its escapes, as on the request line, without the query.
    package var path: String

    /// The query with its escapes; empty when there is none.
    package var query: String

    /// The header fields, names in lower case; several of one name are joined by a comma.
    package var headers: [String: String]

    /// The body.
    package var body: [UInt8]

    /// Path and query as on the request line.
    package var target: String { query.isEmpty ? path : "\(path)?\(query)" }
}

/// What a loopback server answers.
package struct LoopbackResponse: Sendable {
    /// The status code.
    package var status: Int

    /// The header fields; a name may occur several times.
    package var headers: [(name: String, value: String)]

    /// The body; the server adds its length.
    package var body: [UInt8]

    /// Makes an answer.
    package init(
        status: Int = 200, headers: [(name: String, value: String)] = [], body: [UInt8] = []
    ) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// An answer with a JSON text.
    package static func json(
        _ text: String, status: Int = 200, headers: [(name: String, value: String)] = []
    ) -> LoopbackResponse {
        LoopbackResponse(
            status: status, headers: [("Content-Type", "application/json")] + headers,
            body: Array(text.utf8))
    }

    /// An answer that leads elsewhere.
    package static func redirect(_ status: Int, to location: String) -> LoopbackResponse {
        LoopbackResponse(status: status, headers: [("Location", location)])
    }
}

/// An HTTP server on 127.0.0.1, for the time of a closure.
///
/// It keeps connections open, reads bodies by their length and answers with a length, one thread to
/// a connection. For misbehaviour there is ``LoopbackSocketServer``, on which it stands.
package final class LoopbackServer: Sendable {
    /// What answers requests.
    package typealias Handler = @Sendable (LoopbackRequest) async -> LoopbackResponse

    /// The port, chosen by the system.
    package let port: Int

    private let log: RequestLog

    /// The server's address, with a slash at its end.
    package var baseURL: String { "http://127.0.0.1:\(port)/" }

    /// The requests so far, in the order in which they arrived.
    package var requests: [LoopbackRequest] { log.requests.withLock { $0 } }

    private init(port: Int, log: RequestLog) {
        self.port = port
        self.log = log
    }

    /// Runs a server while the body runs.
    ///
    /// - Parameters:
    ///   - handler: What answers requests.
    ///   - body: Gets the server; the server ends when it returns or throws.
    /// - Returns: What the body returned.
    /// - Throws: What the body threw, or why no port can be had.
    package static func run<Value>(
        _ handler: @escaping Handler, body: (LoopbackServer) async throws -> Value
    ) async throws -> Value {
        let log = RequestLog()
        return try await LoopbackSocketServer.run { connection in
            while let bytes = connection.readRequest(), let request = LoopbackRequest(bytes) {
                log.requests.withLock { $0.append(request) }
                let answer = waitForAnswer(to: request, by: handler)
                guard connection.send(answer.bytes(withBody: request.method != "HEAD")) else {
                    return
                }
            }
        } body: { server in
            try await body(LoopbackServer(port: server.port, log: log))
        }
    }

    /// Runs the handler from a thread of the server, which may block.
    private static func waitForAnswer(
        to request: LoopbackRequest, by handler: @escaping Handler
    ) -> LoopbackResponse {
        let box = AnswerBox()
        let isDone = DispatchSemaphore(value: 0)
        Task {
            let response = await handler(request)
            box.answer.withLock { $0 = response }
            isDone.signal()
        }
        isDone.wait()
        return box.answer.withLock { $0 } ?? LoopbackResponse(status: 500)
    }
}

private final class RequestLog: Sendable {
    let requests = Mutex<[LoopbackRequest]>([])
}

private final class AnswerBox: Sendable {
    let answer = Mutex<LoopbackResponse?>(nil)
}

extension LoopbackRequest {
    fileprivate init?(_ bytes: [UInt8]) {
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
    fileprivate func bytes(withBody: Bool) -> [UInt8] {
        var head = "HTTP/1.1 \(status) Status\r\n"
        for (name, value) in headers {
            head += "\(name): \(value)\r\n"
        }
        let hasBody = status >= 200 && status != 204 && status != 304
        if hasBody { head += "Content-Length: \(body.count)\r\n" }
        return Array("\(head)\r\n".utf8) + (hasBody && withBody ? body : [])
    }
}

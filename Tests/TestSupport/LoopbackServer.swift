// SPDX-License-Identifier: Apache-2.0

import FlyingFox
import FlyingSocks
import Foundation
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

/// A real HTTP server on 127.0.0.1, for the time of a closure.
package final class LoopbackServer: Sendable {
    /// What answers requests.
    package typealias Handler = @Sendable (LoopbackRequest) async -> LoopbackResponse

    /// The port, chosen by the system.
    package let port: Int

    private let received = Mutex<[LoopbackRequest]>([])

    /// The server's address, with a slash at its end.
    package var baseURL: String { "http://127.0.0.1:\(port)/" }

    /// The requests so far, in the order in which they arrived.
    package var requests: [LoopbackRequest] { received.withLock { $0 } }

    private init(port: Int) {
        self.port = port
    }

    /// Runs a server while the body runs.
    ///
    /// - Parameters:
    ///   - handler: What answers requests.
    ///   - body: Gets the server; the server ends when it returns or throws.
    package static func run<Value>(
        _ handler: @escaping Handler, body: (LoopbackServer) async throws -> Value
    ) async throws -> Value {
        let link = ServerLink()
        let http = HTTPServer(
            address: try sockaddr_in.inet(ip4: "127.0.0.1", port: 0), timeout: 60,
            logger: .disabled,
            handler: ClosureHTTPHandler { request in
                guard let server = link.server else { return HTTPResponse(statusCode: .notFound) }
                return try await server.answer(request, by: handler)
            })
        let running = Task { try await http.run() }
        try await http.waitUntilListening(timeout: 10)
        guard case .ip4(_, let port) = await http.listeningAddress else {
            throw CocoaError(.featureUnsupported)
        }
        let server = LoopbackServer(port: Int(port))
        link.set(server)
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(server))
        } catch {
            result = .failure(error)
        }
        await http.stop(timeout: 0)
        _ = await running.result
        return try result.get()
    }

    private func answer(_ request: HTTPRequest, by handler: Handler) async throws -> HTTPResponse {
        var headers: [String: String] = [:]
        for key in request.headers.keys {
            headers[key.rawValue.lowercased()] = request.headers.values(for: key)
                .joined(separator: ", ")
        }
        let loopbackRequest = LoopbackRequest(
            method: request.method.rawValue, path: request.target.path(),
            query: request.target.query(), headers: headers, body: Array(try await request.bodyData))
        received.withLock { $0.append(loopbackRequest) }
        let answer = await handler(loopbackRequest)
        var response = HTTPResponse(
            statusCode: HTTPStatusCode(answer.status, phrase: "Status"), body: Data(answer.body))
        for (name, value) in answer.headers {
            response.headers.addValue(value, for: HTTPHeader(name))
        }
        return response
    }
}

/// Lets the handler, which the server needs at once, find the server, which needs the port first.
private final class ServerLink: Sendable {
    private let storage = Mutex<LoopbackServer?>(nil)

    var server: LoopbackServer? { storage.withLock { $0 } }

    func set(_ server: LoopbackServer) {
        storage.withLock { $0 = server }
    }
}

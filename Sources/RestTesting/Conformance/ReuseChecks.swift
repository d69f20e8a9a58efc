// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTransport

extension HTTPTransportConformance {
    /// Checks of the connections that carry another request, and of those that must not.
    var reuse: [Check] {
        ["POST", "PATCH"].map { method in
            Check("reuses the connection of an empty \(method)", of: self) { harness in
                try await Self.reuseAfterEmptyBody(harness, method)
            }
        }
            + FaultyResponse.all.map { response in
                Check("leaves a connection after \(response.name)", of: self) { harness in
                    try await Self.leaveConnection(harness, after: response)
                }
            }
    }

    /// A response after which it is unclear where the next one begins.
    private struct FaultyResponse: Sendable {
        let name: String
        var method = "GET"
        let bytes: String

        private static let poison = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison"
        private static let chunked = "Transfer-Encoding: chunked\r\n\r\n4\r\nmine\r\n0\r\n\r\n"

        static let all = [
            FaultyResponse(
                name: "a transfer coding in HTTP/1.0",
                bytes: "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n\(chunked)"),
            FaultyResponse(
                name: "a transfer coding beside a length",
                bytes: "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\(chunked)"),
            FaultyResponse(
                name: "bytes behind the last chunk",
                bytes: "HTTP/1.1 200 OK\r\n\(chunked)\(poison)"),
            FaultyResponse(
                name: "bytes behind a body",
                bytes: "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nmine\(poison)"),
            FaultyResponse(
                name: "bytes behind an empty body",
                bytes: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n\(poison)"),
            FaultyResponse(
                name: "bytes behind 204", bytes: "HTTP/1.1 204 No Content\r\n\r\n\(poison)"),
            FaultyResponse(
                name: "bytes behind 304", bytes: "HTTP/1.1 304 Not Modified\r\n\r\n\(poison)"),
            FaultyResponse(
                name: "bytes behind the response to HEAD", method: "HEAD",
                bytes: "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n\(poison)"),
            FaultyResponse(
                name: "a field with a malformed name",
                bytes: "HTTP/1.1 200 OK\r\nX : 1\r\nContent-Length: 4\r\n\r\nmine"),
            FaultyResponse(
                name: "a field with a control character",
                bytes: "HTTP/1.1 200 OK\r\nX: \u{1}\r\nContent-Length: 4\r\n\r\nmine"),
            FaultyResponse(
                name: "a protocol switch",
                bytes: "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n"
                    + "Connection: upgrade\r\n\r\n"),
        ]
    }

    private static func reuseAfterEmptyBody(
        _ harness: ConformanceHarness, _ method: String
    ) async throws {
        try await harness.run(ok) { client, server in
            for _ in 0..<5 {
                let request = try client.request(HTTPRequest.Method(checking: method), at: "a")
                try require(try await client.send(request).status, is: .ok, "status")
            }
            try require(server.connectionCount, is: 1, "connections")
        }
    }

    /// - Source: RFC 9112 §6.1, §6.3, §9.2.
    private static func leaveConnection(
        _ harness: ConformanceHarness, after response: FaultyResponse
    ) async throws {
        var limits = ConformanceHarness.defaultLimits
        limits.idleTimeout = .seconds(3)
        let connectionCount = AtomicCounter()
        let script: LoopbackSocketServer.Script = { connection in
            if connectionCount.add(1) == 1 {
                guard connection.readRequest() != nil else { return }
                connection.send(response.bytes)
            }
            while connection.readRequest() != nil {
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nmine")
            }
        }
        try await harness.run(script, limits: limits) { client, server in
            // Whether the response is accepted is not part of this check.
            let method = try HTTPRequest.Method(checking: response.method)
            _ = try? await client.send(client.request(method, at: "first")).collect()
            try require(try await client.readText("second"), is: "mine", "body of the second")
            try require(server.connectionCount, is: 2, "connections")
        }
    }
}

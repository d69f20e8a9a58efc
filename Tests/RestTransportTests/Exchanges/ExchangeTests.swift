// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTransport
import TestSupport
import Testing

// Serialized: each case runs servers and clients of its own, and all at once starve each other.
@Suite(.tags(.socket), .serialized) struct ExchangeTests {
    private static let echo: LoopbackServer.Handler = { request in
        let head = "\(request.method) \(request.target) \(request.headers["x-test"] ?? "-")\n"
        return LoopbackResponse(
            headers: [("X-Answer", "42")], body: Array(head.utf8) + request.body)
    }

    @Test(arguments: Adapter.allCases)
    func getsARepresentation(adapter: Adapter) async throws {
        try await LoopbackServer.run(Self.echo) { server in
            try await adapter.run(server.baseURL) { client in
                var request = try client.request(at: "a%2Fb/c?x=%20&y=1")
                try request.setHeader("value", for: "X-Test")
                let response = try await client.send(request)
                #expect(response.status == .ok)
                #expect(response.headerFields[HTTPField.Name("X-Answer")!] == "42")
                #expect(response.url == request.url)
                #expect(response.redirects.isEmpty)
                let body = try await response.collect()
                #expect(String(decoding: body, as: UTF8.self) == "GET /a%2Fb/c?x=%20&y=1 value\n")
            }
        }
    }

    @Test(arguments: Adapter.allCases)
    func asksForAHeadOnly(adapter: Adapter) async throws {
        try await LoopbackSocketServer.run { connection in
            while connection.readRequest() != nil {
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
            }
        } body: { server in
            try await adapter.run(server.baseURL) { client in
                for _ in 0..<2 {
                    let response = try await client.send(try client.request(.head, at: "a"))
                    #expect(response.status == .ok)
                    #expect(response.headerFields[.contentLength] == "5")
                    #expect(try await response.collect() == [])
                }
            }
        }
    }

    @Test(arguments: Adapter.allCases, ["POST", "PUT", "PATCH", "DELETE", "QUERY"])
    func sendsABody(adapter: Adapter, method: String) async throws {
        try await LoopbackServer.run(Self.echo) { server in
            try await adapter.run(server.baseURL) { client in
                for size in [0, 1, 300_000] {
                    let body = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
                    let response = try await client.send(
                        try client.request(
                            HTTPRequest.Method(checking: method), at: "a",
                            headerFields: [.contentType: "text/plain"], body: .bytes(body)))
                    let answer = try await response.collect()
                    #expect(answer == Array("\(method) /a -\n".utf8) + body)
                    #expect(server.requests.last?.headers["content-type"] == "text/plain")
                    #expect(server.requests.last?.headers["expect"] == nil)
                }
            }
        }
    }

    @Test(arguments: Adapter.allCases, [100, 103, 204, 205, 304, 404, 500, 599, 999])
    func deliversEveryStatus(adapter: Adapter, status: Int) async throws {
        // Foundation on Linux takes an interim response for the answer.
        guard adapter == .curl || status >= 200 else { return }
        try await LoopbackSocketServer.run { connection in
            connection.readRequest()
            let length = status < 200 ? "" : "Content-Length: 0\r\n"
            connection.send("HTTP/1.1 \(status) Status\r\nX-Interim: 1\r\n\(length)\r\n")
            if status < 200 {
                connection.send("HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok")
            }
            connection.waitUntilClosed()
        } body: { server in
            try await adapter.run(server.baseURL) { client in
                let response = try await client.send(try client.request(at: "a"))
                #expect(response.status.code == (status < 200 ? 201 : status))
                #expect(try await response.collect() == Array((status < 200 ? "ok" : "").utf8))
                if status < 200 {
                    #expect(!response.headerFields.contains(HTTPField.Name("X-Interim")!))
                }
            }
        }
    }

    @Test(arguments: Adapter.allCases)
    func keepsNoCookiesAndFollowsNothing(adapter: Adapter) async throws {
        try await LoopbackServer.run { request in
            LoopbackResponse(
                status: request.path == "/found" ? 302 : 200,
                headers: [("Set-Cookie", "canary=1; Path=/"), ("Location", "/end")])
        } body: { server in
            try await adapter.run(server.baseURL) { client in
                var client = client
                client.redirects.followsRedirects = false
                #expect(try await client.send(try client.request(at: "found")).status == .found)
                _ = try await client.send(try client.request(at: "again"))
                #expect(server.requests.map(\.path) == ["/found", "/again"])
                #expect(server.requests.allSatisfy { $0.headers["cookie"] == nil })
            }
        }
    }

    @Test(.tags(.concurrency), arguments: Adapter.allCases)
    func carriesManyExchangesAtOnce(adapter: Adapter) async throws {
        try await LoopbackServer.run(Self.echo) { server in
            try await adapter.run(server.baseURL) { client in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<200 {
                        group.addTask {
                            let body = try await client.read("item/\(number)")
                            #expect(body == Array("GET /item/\(number) -\n".utf8))
                        }
                    }
                    try await group.waitForAll()
                }
                #expect(server.requests.count == 200)
            }
        }
    }

    @Test func reusesItsConnections() async throws {
        try await LoopbackSocketServer.run { connection in
            while connection.readRequest() != nil {
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            }
        } body: { server in
            try await Adapter.curl.run(server.baseURL) { client in
                for _ in 0..<20 {
                    let body = try await client.read("a")
                    #expect(body == Array("ok".utf8))
                }
                #expect(server.connectionCount == 1)
            }
        }
    }

    @Test(arguments: ["POST", "PATCH"], [0, 3])
    func neverSendsTwiceWhatMayNotBeRepeated(method: String, size: Int) async throws {
        try await LoopbackSocketServer.run { connection in
            // Answers the first request of a connection and closes on the second.
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            connection.readRequest()
        } body: { server in
            try await Adapter.curl.run(server.baseURL) { client in
                _ = try await client.read("first")
                let body = MessageBody.bytes(Array(repeating: 65, count: size))
                let request = try client.request(
                    HTTPRequest.Method(checking: method), at: "second", body: body)
                _ = try? await client.send(request)
                let count = server.received.map { bytes in
                    String(decoding: bytes, as: UTF8.self).ranges(of: "\(method) /second").count
                }
                #expect(count.reduce(0, +) == 1)
            }
        }
    }

    @Test(arguments: Adapter.allCases)
    func decodesACompressedBody(adapter: Adapter) async throws {
        try await LoopbackServer.run { _ in
            LoopbackResponse(
                headers: [("Content-Encoding", "gzip")], body: Gzip.zeros(megabytes: 1))
        } body: { server in
            try await adapter.run(server.baseURL) { client in
                let body = try await client.read("a")
                #expect(body.count == 1 << 20)
                #expect(body.allSatisfy { $0 == 0 })
                let encodings = server.requests.last?.headers["accept-encoding"] ?? ""
                #expect(encodings.contains("gzip"))
            }
        }
    }

    @Test(arguments: Adapter.allCases)
    func sendsExactlyTheParsedAddress(adapter: Adapter) async throws {
        try await LoopbackSocketServer.run { connection in
            while connection.readRequest() != nil {
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            }
        } body: { server in
            try await adapter.run(server.baseURL) { client in
                for path in [
                    "a/../b", "%2e%2e/c", "d;p=1?q=/?#frag", "e//f", "g'(h)!*~", "i?j[k]=l&m=%",
                    "n o/é", "?", "@:p",
                ] {
                    let url = try client.url(for: path)
                    _ = try await client.read(path)
                    let text = server.received.map { String(decoding: $0, as: UTF8.self) }
                    let line = "GET \(url.requestTarget) HTTP/1.1\r\n"
                    #expect(text.contains { $0.contains(line) }, "\(path)")
                    #expect(text.allSatisfy { $0.contains("Host: \(url.authority)\r\n") })
                }
            }
        }
    }
}

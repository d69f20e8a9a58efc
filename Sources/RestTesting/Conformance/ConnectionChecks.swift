// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTransport

extension HTTPTransportConformance {
    /// Checks of persistent and closed connections.
    public var connections: [Check] {
        [
            Check("reuses a persistent connection", of: self, Self.reuseConnection),
            Check("reconnects after a close", of: self, Self.reconnect),
            Check(
                "sends a request while another has no answer yet", of: self, Self.sendConcurrently),
            Check("never reads surplus bytes as the next response", of: self, Self.discardSurplus),
        ]
            + reuse
            + ["GET", "POST"].flatMap { method in
                [
                    Check(
                        "never reads an idle connection's bytes as the response to \(method)",
                        of: self
                    ) { harness in
                        try await Self.discardIdleBytes(harness, method, closes: false)
                    },
                    Check("ignores 408 on an idle connection before \(method)", of: self) {
                        harness in
                        try await Self.discardIdleBytes(harness, method, closes: true)
                    },
                ]
            }
            + ["POST", "PATCH"].flatMap { method in
                [0, 3].map { size in
                    Check("never sends \(method) with \(size) bytes twice", of: self) { harness in
                        try await Self.sendOnce(harness, method, size)
                    }
                }
            }
            + [("POST", true), ("PATCH", true), ("PUT", true), ("POST", false)].map {
                method, isStream in
                let body = isStream ? "a body that is read once" : "a body in memory"
                return Check("never sends the header of \(method) with \(body) twice", of: self) {
                    harness in
                    try await Self.sendHeaderOnce(harness, method, isStream: isStream)
                }
            }
    }

    @Sendable private static func reuseConnection(_ harness: ConformanceHarness) async throws {
        try await harness.run(ok) { client, server in
            for _ in 0..<20 {
                try require(try await client.readText("a"), is: "ok", "body")
            }
            try require(server.connectionCount, is: 1, "connections")
        }
    }

    @Sendable private static func reconnect(_ harness: ConformanceHarness) async throws {
        try await harness.run { connection in
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok")
        } body: { client, server in
            for _ in 0..<5 {
                try require(try await client.readText("a"), is: "ok", "body")
            }
            try require(server.connectionCount, is: 5, "connections")
        }
    }

    @Sendable private static func sendConcurrently(_ harness: ConformanceHarness) async throws {
        let slowCount = AtomicCounter()
        let quickCount = AtomicCounter()
        try await harness.run { connection in
            guard let text = connection.readRequestText() else { return }
            let isSlow = text.hasPrefix("GET /slow ")
            (isSlow ? slowCount : quickCount).add(1)
            while isSlow, quickCount.value == 0, connection.pause(0.01) {}
            connection.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok")
        } body: { client, _ in
            async let slow = client.readText("slow")
            try require(try await eventually { slowCount.value == 1 }, "no request arrived")
            try require(try await client.readText("quick"), is: "ok", "body of the second")
            try require(try await slow, is: "ok", "body of the first")
        }
    }

    @Sendable private static func discardSurplus(_ harness: ConformanceHarness) async throws {
        try await harness.run { connection in
            while let request = connection.readRequestText() {
                let isFirst = request.hasPrefix("GET /first ")
                // In one write: bytes after the next request would be its valid response.
                let surplus = isFirst ? "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison" : ""
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nmine\(surplus)")
            }
        } body: { client, _ in
            // Whether the first body is accepted is not part of this check.
            _ = try? await client.read("first")
            for _ in 0..<3 {
                let text = try? await client.readText("next")
                try require(text == nil || text == "mine", "the surplus was read as a response")
            }
            try require(try await client.readText("next"), is: "mine", "body")
        }
    }

    /// Sends a response without a request on a kept connection, which the client must not use again.
    ///
    /// - Source: RFC 9112 §9.2.
    private static func discardIdleBytes(
        _ harness: ConformanceHarness, _ method: String, closes: Bool
    ) async throws {
        let connectionCount = AtomicCounter()
        let mayPoison = AtomicCounter()
        let isPoisoned = AtomicCounter()
        try await harness.run { connection in
            let isPoisonous = connectionCount.add(1) == 1
            while connection.readRequest() != nil {
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nmine")
                guard isPoisonous else { continue }
                // The client keeps the connection once it has read the response.
                while mayPoison.value == 0, connection.pause(0.01) {}
                connection.send(
                    closes
                        ? "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n"
                            + "Content-Length: 6\r\n\r\npoison"
                        : "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison")
                isPoisoned.add(1)
                if closes { return }
            }
        } body: { client, server in
            try require(try await client.readText("first"), is: "mine", "body of the first")
            mayPoison.add(1)
            try require(try await eventually { isPoisoned.value == 1 }, "no byte was sent")
            // Event loops notice the bytes by themselves.
            try await Task.sleep(for: .milliseconds(50))
            let request = try client.request(
                HTTPRequest.Method(checking: method), at: "second",
                body: method == "POST" ? .bytes([65]) : .empty)
            let response = try await client.send(request)
            try require(response.status, is: .ok, "status")
            let text = String(decoding: try await response.collect(), as: UTF8.self)
            try require(text, is: "mine", "body of the second")
            try require(server.connectionCount, is: 2, "connections")
        }
    }

    @Sendable private static func sendOnce(
        _ harness: ConformanceHarness, _ method: String, _ size: Int
    ) async throws {
        var limits = ConformanceHarness.defaultLimits
        limits.idleTimeout = .seconds(3)
        let script: LoopbackSocketServer.Script = { connection in
            // Responds to the first request of a connection and closes it on the second.
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            connection.readRequest()
        }
        try await harness.run(script, limits: limits) { client, server in
            _ = try await client.read("first")
            let body = MessageBody.bytes(Array(repeating: 65, count: size))
            let request = try client.request(
                HTTPRequest.Method(checking: method), at: "second", body: body)
            _ = try? await client.send(request)
            let count = server.receivedTexts.joined().ranges(of: "\(method) /second").count
            try require(count, is: 1, "arrivals")
        }
    }

    /// Closes a kept connection after the header of a request, before any of its body.
    private static func sendHeaderOnce(
        _ harness: ConformanceHarness, _ method: String, isStream: Bool
    ) async throws {
        var limits = ConformanceHarness.defaultLimits
        limits.idleTimeout = .seconds(3)
        let arrivals = AtomicCounter()
        let script: LoopbackSocketServer.Script = { connection in
            if connection.readRequestText()?.contains(" /second ") == true { arrivals.add(1) }
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            if connection.readHead()?.contains(" /second ") == true { arrivals.add(1) }
        }
        try await harness.run(script, limits: limits) { client, server in
            for _ in 0..<5 {
                _ = try? await client.read("first")
                let before = arrivals.value
                let stream = AsyncStream<[UInt8]> {
                    // The connection has ended when the first byte is available.
                    try? await Task.sleep(for: .milliseconds(50))
                    return nil
                }
                let request = try client.request(
                    HTTPRequest.Method(checking: method), at: "second",
                    body: isStream
                        ? .once(stream, byteCount: nil)
                        : .bytes(Array(repeating: 65, count: 1 << 20)))
                _ = try? await client.send(request)
                try require(arrivals.value - before, is: 1, "arrivals")
            }
        }
    }
}

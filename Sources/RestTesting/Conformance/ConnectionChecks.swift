// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTransport

extension HTTPTransportConformance {
    /// How connections are kept and given up.
    public var connections: [Check] {
        [
            Check("reuses a connection that is kept", of: self, Self.reuseAConnection),
            Check("makes a new connection after one was closed", of: self, Self.connectAgain),
            Check("sends a request while another has no answer yet", of: self, Self.goAhead),
            Check("takes no bytes past a body for the next answer", of: self, Self.dropTheSurplus),
        ]
            + ["POST", "PATCH"].flatMap { method in
                [0, 3].map { size in
                    Check("never sends \(method) with \(size) bytes twice", of: self) { bench in
                        try await Self.sendOnce(bench, method, size)
                    }
                }
            }
    }

    @Sendable private static func reuseAConnection(_ bench: TransportBench) async throws {
        try await bench.play(ok) { client, server in
            for _ in 0..<20 {
                try require(try await client.readText("a"), is: "ok", "body")
            }
            try require(server.connectionCount, is: 1, "connections")
        }
    }

    @Sendable private static func connectAgain(_ bench: TransportBench) async throws {
        try await bench.play { connection in
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok")
        } body: { client, server in
            for _ in 0..<5 {
                try require(try await client.readText("a"), is: "ok", "body")
            }
            try require(server.connectionCount, is: 5, "connections")
        }
    }

    @Sendable private static func goAhead(_ bench: TransportBench) async throws {
        let slowCount = CheckCounter()
        let quickCount = CheckCounter()
        try await bench.play { connection in
            guard let text = connection.readRequestText() else { return }
            let isSlow = text.hasPrefix("GET /slow ")
            (isSlow ? slowCount : quickCount).add(1)
            while isSlow, quickCount.value == 0, connection.pause(0.01) {}
            connection.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok")
        } body: { client, _ in
            async let slow = client.readText("slow")
            try require(try await eventually { slowCount.value == 1 }, "no request came")
            try require(try await client.readText("quick"), is: "ok", "body of the second")
            try require(try await slow, is: "ok", "body of the first")
        }
    }

    @Sendable private static func dropTheSurplus(_ bench: TransportBench) async throws {
        try await bench.play { connection in
            while let request = connection.readRequestText() {
                let isFirst = request.hasPrefix("GET /first ")
                // At once: nobody can tell what comes after the next request from its answer.
                let surplus = isFirst ? "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison" : ""
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nmine\(surplus)")
            }
        } body: { client, _ in
            // Whether the first body is taken is another matter.
            _ = try? await client.read("first")
            for _ in 0..<3 {
                let text = try? await client.readText("next")
                try require(text == nil || text == "mine", "the surplus became an answer")
            }
            try require(try await client.readText("next"), is: "mine", "body")
        }
    }

    @Sendable private static func sendOnce(
        _ bench: TransportBench, _ method: String, _ size: Int
    ) async throws {
        var limits = TransportBench.patience
        limits.idleTimeout = .seconds(3)
        let script: LoopbackSocketServer.Script = { connection in
            // Answers the first request of a connection and closes on the second.
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            connection.readRequest()
        }
        try await bench.play(script, limits: limits) { client, server in
            _ = try await client.read("first")
            let body = MessageBody.bytes(Array(repeating: 65, count: size))
            let request = try client.request(
                HTTPRequest.Method(checking: method), at: "second", body: body)
            _ = try? await client.send(request)
            let count = server.receivedTexts.joined().ranges(of: "\(method) /second").count
            try require(count, is: 1, "arrivals")
        }
    }
}

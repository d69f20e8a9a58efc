// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTesting
import RestTransport
import Synchronization
import TestSupport
import Testing

/// Servers that send without a pause, beside others.
@Suite(.tags(.socket), .serialized) struct FloodingServerTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    /// Chunks of one byte, which are the most work for each byte that arrives.
    private static let flood = Array(repeating: "1\r\nx\r\n", count: 100_000).joined()

    /// All adapters but URLSession: Foundation on Linux answers the others after the flood.
    @Test(.timeLimit(.hang), arguments: Adapter.allCases.filter { $0 != .urlSession })
    func servesOthersWhileOneServerFloods(adapter: Adapter) async throws {
        // SwiftNIO needs seconds for 100,000 chunks, if it is built without optimization.
        let repeatCount = adapter == .curl ? 80 : 2
        // A busy machine needs more time for the whole flood than other tests have.
        var limits = TransportLimits.short
        limits.totalTimeout = nil
        try await LoopbackSocketServer.run { connection in
            while let request = connection.readRequestText() {
                switch request.split(separator: " ")[1] {
                case "/large":
                    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
                    connection.send(Array(repeating: 0, count: 1_000_000))
                case "/flood":
                    connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
                    for _ in 0..<repeatCount {
                        guard connection.send(Self.flood) else { return }
                    }
                    connection.send("0\r\n\r\n")
                default:
                    connection.send(Self.ok)
                }
            }
        } body: { server in
            try await adapter.run(server.baseURL, limits: limits) { client in
                // After a large response the receive buffer is large.
                _ = try await client.read("large")
                let response = try await client.send(client.request(at: "flood"))
                let end = FloodEnd()
                async let byteCount = end.note(after: response)
                for _ in 0..<5 { _ = try await client.read("quick") }
                let didWait = end.hasCome.load(ordering: .acquiring)
                #expect(!didWait)
                let count = try await byteCount
                #expect(count == repeatCount * 100_000)
            }
        }
    }

    /// The flood ends only with its connection.
    @Test(.timeLimit(.hang), arguments: Adapter.allCases)
    func endsFloodAtTimeLimit(adapter: Adapter) async throws {
        var limits = TransportLimits.short
        limits.totalTimeout = .seconds(1)
        limits.bodyByteCount = .max
        try await LoopbackSocketServer.run { connection in
            guard connection.readRequest() != nil else { return }
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            while connection.send(Self.flood) {}
        } body: { server in
            try await adapter.run(server.baseURL, limits: limits) { client in
                let response = try await client.send(client.request(at: "flood"))
                let error = await transportError {
                    for try await _ in response.body {}
                }
                #expect(error?.code == .timedOut)
                #expect(error?.stage == .receivingBody)
            }
        }
    }
}

/// The end of a response without a pause.
private final class FloodEnd: Sendable {
    let hasCome = Atomic(false)

    /// Reads a body, and returns the number of its bytes.
    func note(after response: TransportResponse) async throws -> Int {
        let count = try await response.collect().count
        hasCome.store(true, ordering: .releasing)
        return count
    }
}

// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTesting
import RestTransport
import Synchronization
import TestSupport
import Testing

/// The connections that libcurl keeps, and the requests that it repeats over them.
@Suite(.tags(.socket), .serialized) struct CurlConnectionTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    /// A handle of libcurl 7.88 fails at the sixth repetition of its life.
    @Test func repeatsEveryGetOfClosingServer() async throws {
        try await LoopbackSocketServer.run { connection in
            guard connection.readRequest() != nil else { return }
            connection.send(Self.ok)
            connection.readRequest()
        } body: { server in
            try await Adapter.curl.run(server.baseURL) { client in
                for _ in 0..<30 {
                    let body = try await client.read("a")
                    #expect(body == Array("ok".utf8))
                }
            }
            #expect(server.connectionCount == 30)
        }
    }

    /// The second connection also ends without a response, so the server is asked twice at most.
    @Test func repeatsGetOnlyOnce() async throws {
        let arrivals = Atomic(0)
        try await LoopbackSocketServer.run { connection in
            guard let request = connection.readRequestText() else { return }
            if request.hasPrefix("GET /second ") {
                arrivals.add(1, ordering: .relaxed)
                return
            }
            connection.send(Self.ok)
            if connection.readRequest() != nil { arrivals.add(1, ordering: .relaxed) }
        } body: { server in
            try await Adapter.curl.run(server.baseURL) { client in
                _ = try await client.read("first")
                let error = await transportError { _ = try await client.read("second") }
                #expect(error?.code == .connectionLost)
            }
        }
        let count = arrivals.load(ordering: .relaxed)
        #expect(count == 2)
    }

    /// Chunks of one byte are the most work for each byte that arrives.
    @Test(.timeLimit(.minutes(5))) func servesOthersWhileOneServerFloods() async throws {
        // A busy machine needs more time for the whole flood than other tests have.
        var limits = TransportLimits.short
        limits.totalTimeout = nil
        let flood = Array(repeating: "1\r\nx\r\n", count: 100_000).joined()
        try await LoopbackSocketServer.run { connection in
            while let request = connection.readRequestText() {
                switch request.split(separator: " ")[1] {
                case "/large":
                    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
                    connection.send(Array(repeating: 0, count: 1_000_000))
                case "/flood":
                    connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
                    for _ in 0..<80 {
                        guard connection.send(flood) else { return }
                    }
                    connection.send("0\r\n\r\n")
                default:
                    connection.send(Self.ok)
                }
            }
        } body: { server in
            try await Adapter.curl.run(server.baseURL, limits: limits) { client in
                // After a large response the receive buffer is large.
                _ = try await client.read("large")
                let response = try await client.send(client.request(at: "flood"))
                let end = FloodEnd()
                async let byteCount = end.note(after: response)
                for _ in 0..<5 { _ = try await client.read("quick") }
                let didWait = end.hasCome.load(ordering: .acquiring)
                #expect(!didWait)
                let count = try await byteCount
                #expect(count == 8_000_000)
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

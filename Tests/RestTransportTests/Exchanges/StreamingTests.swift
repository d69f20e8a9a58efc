// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestCurl
import RestTransport
import Synchronization
import TestSupport
import Testing

// Serialized: each case runs servers and clients of its own, and all at once starve each other.
@Suite(.tags(.socket), .serialized) struct StreamingTests {
    @Test(arguments: Adapter.allCases)
    func bringsALargeBodyInChunks(adapter: Adapter) async throws {
        let pattern = (0..<4093).map { UInt8(truncatingIfNeeded: $0) }
        let whole = Array(repeatElement(pattern, count: 2048).joined())
        let size = whole.count
        try await LoopbackSocketServer.run { connection in
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
            connection.send(whole)
        } body: { server in
            try await adapter.run(server.baseURL) { client in
                let response = try await client.send(try client.request(at: "a"))
                var count = 0
                var chunkCount = 0
                for try await chunk in response.body {
                    #expect(!chunk.isEmpty)
                    chunkCount += 1
                    let isRight = chunk[...] == whole[count..<min(size, count + chunk.count)]
                    #expect(isRight)
                    count += chunk.count
                }
                #expect(count == size)
                #expect(chunkCount > 1 || adapter == .urlSession)
                let again = await transportError { for try await _ in response.body {} }
                #expect(again?.code == .closed)
            }
        }
    }

    @Test(arguments: Adapter.allCases)
    func bringsChunksAsTheyCome(adapter: Adapter) async throws {
        try await LoopbackSocketServer.run { connection in
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            // The next chunk is sent only when the last has been taken, which the next request
            // over another connection tells; here a pause stands for it.
            for _ in 0..<3 {
                connection.pause(0.15)
                connection.send("2\r\nok\r\n")
            }
            connection.send("0\r\n\r\n")
        } body: { server in
            try await adapter.run(server.baseURL) { client in
                let response = try await client.send(try client.request(at: "a"))
                var text = ""
                for try await chunk in response.body {
                    text += String(decoding: chunk, as: UTF8.self)
                }
                #expect(text == "okokok")
            }
        }
    }

    /// A server that sends without end is slowed down by a reader who does not read.
    @Test func stopsReadingWhenNobodyReads() async throws {
        let sent = Atomic(0)
        let total = 64 << 20
        let chunk = [UInt8](repeating: 65, count: 64 << 10)
        try await LoopbackSocketServer.run { connection in
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(total)\r\n\r\n")
            while sent.load(ordering: .relaxed) < total, connection.send(chunk) {
                sent.wrappingAdd(chunk.count, ordering: .relaxed)
            }
        } body: { server in
            try await Adapter.curl.run(server.baseURL) { client in
                var request = try client.request(at: "a")
                request.limits = .short
                // A reader's own pauses are not the server's silence.
                request.limits?.idleTimeout = .milliseconds(300)
                let response = try await client.send(request)
                try await Task.sleep(for: .seconds(1))
                // What is held here, what libcurl holds, and what the two sockets hold.
                let before = sent.load(ordering: .relaxed)
                #expect(before < total / 2)
                try await Task.sleep(for: .milliseconds(300))
                #expect(sent.load(ordering: .relaxed) == before)
                var count = 0
                for try await chunk in response.body {
                    count += chunk.count
                }
                #expect(count == total)
            }
        }
    }

    @Test(arguments: Adapter.allCases)
    func collectsNoMoreThanAskedFor(adapter: Adapter) async throws {
        try await LoopbackServer.run { _ in
            LoopbackResponse(body: Array(repeating: 65, count: 1000))
        } body: { server in
            try await adapter.run(server.baseURL) { client in
                let response = try await client.send(try client.request(at: "a"))
                #expect(try await response.collect(upTo: 1000).count == 1000)
                let other = try await client.send(try client.request(at: "a"))
                let error = await transportError { _ = try await other.collect(upTo: 999) }
                #expect(error?.code == .bodyTooLarge)
                #expect(error?.url == server.baseURL + "a")
            }
        }
    }

    @Test(arguments: Adapter.allCases)
    func endsTheExchangeWhenTheBodyIsLetGo(adapter: Adapter) async throws {
        let isClosed = Atomic(false)
        try await LoopbackSocketServer.run { connection in
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            while connection.send("2\r\nok\r\n") { connection.pause(0.01) }
            isClosed.store(true, ordering: .relaxed)
        } body: { server in
            try await adapter.run(server.baseURL) { client in
                do {
                    let response = try await client.send(try client.request(at: "a"))
                    var iterator = response.body.makeAsyncIterator()
                    #expect(try await iterator.next() != nil)
                }
                #expect(try await eventually { isClosed.load(ordering: .relaxed) })
            }
        }
    }
}

/// Whether a condition comes true within ten seconds.
func eventually(_ condition: () -> Bool) async throws -> Bool {
    for _ in 0..<1000 {
        if condition() { return true }
        try await Task.sleep(for: .milliseconds(10))
    }
    return false
}

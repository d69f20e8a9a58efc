// SPDX-License-Identifier: Apache-2.0

import RestTransport
import Synchronization

extension HTTPTransportConformance {
    /// Checks of bodies that are read while they arrive.
    public var streaming: [Check] {
        [
            Check("delivers a large body in chunks", of: self, Self.deliverChunks),
            Check("delivers each chunk as it arrives", of: self, Self.deliverEachChunk),
            Check("allows one iteration of a body", of: self, Self.iterateOnce),
            Check("applies back-pressure to the server", of: self, Self.applyBackPressure),
            Check("closes the connection of a released body", of: self, Self.releaseBody),
            Check("collects up to the requested limit", of: self, Self.collectUpToLimit),
        ]
    }

    @Sendable private static func deliverChunks(_ harness: ConformanceHarness) async throws {
        let pattern = (0..<4093).map { UInt8(truncatingIfNeeded: $0) }
        let whole = Array(repeatElement(pattern, count: 2048).joined())
        try await harness.run { connection in
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(whole.count)\r\n\r\n")
            connection.send(whole)
        } body: { client, _ in
            var count = 0
            for try await chunk in try await client.send(try client.request(at: "a")).body {
                try require(!chunk.isEmpty, "an empty chunk")
                try require(count + chunk.count <= whole.count, "more bytes than were sent")
                let isExpected = chunk[...] == whole[count..<(count + chunk.count)]
                try require(isExpected, "other bytes than were sent, past \(count)")
                count += chunk.count
            }
            try require(count, is: whole.count, "bytes")
        }
    }

    @Sendable private static func deliverEachChunk(_ harness: ConformanceHarness) async throws {
        let receivedCount = AtomicCounter()
        try await harness.run { connection in
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            for number in 0..<5 {
                connection.send("2\r\nok\r\n")
                while receivedCount.value <= number {
                    guard connection.pause(0.002) else { return }
                }
            }
            connection.send("0\r\n\r\n")
        } body: { client, _ in
            let response = try await client.send(try client.request(at: "a"))
            var text = ""
            for try await chunk in response.body {
                text += String(decoding: chunk, as: UTF8.self)
                receivedCount.add(1)
            }
            try require(text, is: "okokokokok", "body")
        }
    }

    @Sendable private static func iterateOnce(_ harness: ConformanceHarness) async throws {
        try await harness.run { connection in
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
            connection.send(Array(repeating: 65, count: 100_000))
        } body: { client, _ in
            let response = try await client.send(try client.request(at: "a"))
            guard response.body.completeBytes == nil else { return }
            try require(try await response.collect().count, is: 100_000, "bytes")
            try await harness.error([.closed]) { for try await _ in response.body {} }
        }
    }

    /// A reader that does not read slows the server down.
    @Sendable private static func applyBackPressure(_ harness: ConformanceHarness) async throws {
        let sent = AtomicCounter()
        let total = 60 << 20
        let chunk = [UInt8](repeating: 65, count: 64 << 10)
        var limits = ConformanceHarness.defaultLimits
        // The pauses of the reader do not count as idle time of the server.
        limits.idleTimeout = .milliseconds(500)
        try await harness.run(
            { connection in
                connection.readRequest()
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(total)\r\n\r\n")
                while sent.value < total, connection.send(chunk) { sent.add(chunk.count) }
            }, limits: limits
        ) { client, _ in
            let response = try await client.send(try client.request(at: "a"))
            // Waits until the buffers of the transport and of both sockets are full.
            var bufferedByteCount = -1
            while bufferedByteCount != sent.value {
                bufferedByteCount = sent.value
                try await Task.sleep(for: .milliseconds(700))
            }
            try require(
                bufferedByteCount < total / 2, "\(bufferedByteCount) bytes were buffered unread")
            var count = 0
            for try await chunk in response.body { count += chunk.count }
            try require(count, is: total, "bytes")
        }
    }

    @Sendable private static func releaseBody(_ harness: ConformanceHarness) async throws {
        let isClosed = AtomicCounter()
        try await harness.run { connection in
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            while connection.send("2\r\nok\r\n") { connection.pause(0.005) }
            isClosed.add(1)
        } body: { client, _ in
            do {
                let response = try await client.send(try client.request(at: "a"))
                var iterator = response.body.makeAsyncIterator()
                try require(try await iterator.next() != nil, "no chunk")
            }
            try require(
                try await eventually { isClosed.value == 1 }, "the connection is still open")
        }
    }

    @Sendable private static func collectUpToLimit(_ harness: ConformanceHarness) async throws {
        try await harness.run { connection in
            while connection.readRequest() != nil {
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
                connection.send(Array(repeating: 65, count: 1000))
            }
        } body: { client, server in
            let response = try await client.send(try client.request(at: "a"))
            try require(try await response.collect(upTo: 1000).count, is: 1000, "bytes")
            let other = try await client.send(try client.request(at: "a"))
            let error = try await harness.error([.bodyTooLarge], at: [.receivingBody]) {
                _ = try await other.collect(upTo: 999)
            }
            try require(error.url, is: server.baseURL + "a", "URL of the error")
        }
    }
}

/// A counter that a script and a check share.
final class AtomicCounter: Sendable {
    private let count = Atomic(0)

    var value: Int { count.load(ordering: .sequentiallyConsistent) }

    @discardableResult
    func add(_ amount: Int) -> Int {
        count.wrappingAdd(amount, ordering: .sequentiallyConsistent).newValue
    }
}

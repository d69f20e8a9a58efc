// SPDX-License-Identifier: Apache-2.0

import RestTransport
import Synchronization

extension HTTPTransportConformance {
    /// Bodies that are read while they arrive.
    public var streaming: [Check] {
        [
            Check("brings a large body in chunks", of: self, Self.bringChunks),
            Check("brings a chunk before the next one is sent", of: self, Self.bringEachChunk),
            Check("reads a body once", of: self, Self.readOnce),
            Check("stops reading when nobody reads", of: self, Self.holdBack),
            Check("ends the exchange when the body is let go", of: self, Self.letGo),
            Check("collects no more than asked for", of: self, Self.collectWithin),
        ]
    }

    @Sendable private static func bringChunks(_ bench: TransportBench) async throws {
        let pattern = (0..<4093).map { UInt8(truncatingIfNeeded: $0) }
        let whole = Array(repeatElement(pattern, count: 2048).joined())
        try await bench.play { connection in
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(whole.count)\r\n\r\n")
            connection.send(whole)
        } body: { client, _ in
            var count = 0
            for try await chunk in try await client.send(try client.request(at: "a")).body {
                try require(!chunk.isEmpty, "an empty chunk")
                try require(count + chunk.count <= whole.count, "more bytes than were sent")
                let isRight = chunk[...] == whole[count..<(count + chunk.count)]
                try require(isRight, "other bytes than were sent, past \(count)")
                count += chunk.count
            }
            try require(count, is: whole.count, "bytes")
        }
    }

    @Sendable private static func bringEachChunk(_ bench: TransportBench) async throws {
        let taken = CheckCounter()
        try await bench.play { connection in
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            for number in 0..<5 {
                connection.send("2\r\nok\r\n")
                while taken.value <= number {
                    guard connection.pause(0.002) else { return }
                }
            }
            connection.send("0\r\n\r\n")
        } body: { client, _ in
            let response = try await client.send(try client.request(at: "a"))
            var text = ""
            for try await chunk in response.body {
                text += String(decoding: chunk, as: UTF8.self)
                taken.add(1)
            }
            try require(text, is: "okokokokok", "body")
        }
    }

    @Sendable private static func readOnce(_ bench: TransportBench) async throws {
        try await bench.play { connection in
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
            connection.send(Array(repeating: 65, count: 100_000))
        } body: { client, _ in
            let response = try await client.send(try client.request(at: "a"))
            guard response.body.completeBytes == nil else { return }
            try require(try await response.collect().count, is: 100_000, "bytes")
            try await bench.error([.closed]) { for try await _ in response.body {} }
        }
    }

    /// A server that sends without end is slowed down by a reader who does not read.
    @Sendable private static func holdBack(_ bench: TransportBench) async throws {
        let sent = CheckCounter()
        let total = 60 << 20
        let chunk = [UInt8](repeating: 65, count: 64 << 10)
        var limits = TransportBench.patience
        // A reader's own pauses are not the server's silence.
        limits.idleTimeout = .milliseconds(500)
        try await bench.play(
            { connection in
                connection.readRequest()
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(total)\r\n\r\n")
                while sent.value < total, connection.send(chunk) { sent.add(chunk.count) }
            }, limits: limits
        ) { client, _ in
            let response = try await client.send(try client.request(at: "a"))
            // Until what the transport and the two sockets hold has been the same for a while.
            var before = -1
            while before != sent.value {
                before = sent.value
                try await Task.sleep(for: .milliseconds(700))
            }
            try require(before < total / 2, "\(before) bytes were taken that nobody read")
            var count = 0
            for try await chunk in response.body { count += chunk.count }
            try require(count, is: total, "bytes")
        }
    }

    @Sendable private static func letGo(_ bench: TransportBench) async throws {
        let isClosed = CheckCounter()
        try await bench.play { connection in
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
            try require(try await eventually { isClosed.value == 1 }, "the connection lives on")
        }
    }

    @Sendable private static func collectWithin(_ bench: TransportBench) async throws {
        try await bench.play { connection in
            while connection.readRequest() != nil {
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
                connection.send(Array(repeating: 65, count: 1000))
            }
        } body: { client, server in
            let response = try await client.send(try client.request(at: "a"))
            try require(try await response.collect(upTo: 1000).count, is: 1000, "bytes")
            let other = try await client.send(try client.request(at: "a"))
            let error = try await bench.error([.bodyTooLarge], at: [.receivingBody]) {
                _ = try await other.collect(upTo: 999)
            }
            try require(error.url, is: server.baseURL + "a", "address of the error")
        }
    }
}

/// A number that a script and a check share.
final class CheckCounter: Sendable {
    private let count = Atomic(0)

    var value: Int { count.load(ordering: .sequentiallyConsistent) }

    func add(_ amount: Int) {
        count.wrappingAdd(amount, ordering: .sequentiallyConsistent)
    }
}

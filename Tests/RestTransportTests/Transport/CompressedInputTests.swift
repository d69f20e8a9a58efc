// SPDX-License-Identifier: Apache-2.0

import RestTesting
import RestTransport
import Synchronization
import TestSupport
import Testing

/// Compressed bodies that go on without content.
@Suite(.tags(.socket), .serialized) struct CompressedInputTests {
    struct Example: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var coding = "gzip"
        var beginning: [UInt8] = []
        /// The part that repeats without end.
        let part: [UInt8]
        /// The number of bytes of each chunk of the transfer coding.
        var chunkByteCount = 4096
    }

    /// An empty block of deflate that is not the last one, as a flush writes it.
    private static let emptyBlock: [UInt8] = [0, 0, 0, 0xFF, 0xFF]

    static let examples = [
        Example(testDescription: "empty members", part: Gzip.stored("")),
        Example(
            testDescription: "empty members byte by byte", part: Gzip.stored(""),
            chunkByteCount: 1),
        Example(
            testDescription: "empty blocks", coding: "deflate", beginning: [0x78, 0x01],
            part: emptyBlock),
        Example(testDescription: "members of one byte", part: Gzip.stored("a")),
    ]

    /// The adapters that decode in this package.
    ///
    /// Foundation decodes on its own and passes on nothing of such a body, so that the idle timeout
    /// ends it.
    private static let adapters = Adapter.allCases.filter { $0 != .urlSession }

    @Test(.threat("T11"), arguments: adapters, examples)
    func endsCompressedBodyWithoutContent(adapter: Adapter, example: Example) async throws {
        let sentByteCount = Atomic(0)
        let end = 32 << 20
        try await LoopbackSocketServer.run { connection in
            _ = connection.readRequest()
            connection.send(
                "HTTP/1.1 200 OK\r\nContent-Encoding: \(example.coding)\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\n")
            connection.send(Self.chunks(of: example.beginning, byteCount: 4096))
            let repeated = Array(repeatElement(example.part, count: 4096).joined())
            let chunks = Self.chunks(of: repeated, byteCount: example.chunkByteCount)
            while sentByteCount.load(ordering: .relaxed) < end, connection.send(chunks) {
                sentByteCount.wrappingAdd(repeated.count, ordering: .relaxed)
            }
        } body: { server in
            var limits = TransportLimits.short
            limits.compressedByteAllowance = 10_000
            // A pause of the machine is not what ends these bodies.
            limits.totalTimeout = nil
            try await adapter.run(server.baseURL, limits: limits) { client in
                let error = await transportError { _ = try await client.read("a") }
                #expect(error?.code == .bodyTooLarge)
                #expect(error?.stage == .receivingBody)
                #expect(
                    error?.reason == "more than 8 compressed bytes for each decompressed one "
                        + "after the first 10000")
            }
            // The client ended the exchange, long before the server would have.
            #expect(sentByteCount.load(ordering: .relaxed) < end)
        }
    }

    @Test(arguments: adapters)
    func acceptsManyFlushesWithContent(adapter: Adapter) async throws {
        let block: [UInt8] = [0, 2, 0, 0xFD, 0xFF, 0x61, 0x62]
        let count = 30_000
        let body = [0x78, 0x01] + repeatElement(block, count: count).joined()
        try await LoopbackSocketServer.run { connection in
            _ = connection.readRequest()
            connection.send(
                "HTTP/1.1 200 OK\r\nContent-Encoding: deflate\r\nConnection: close\r\n\r\n")
            connection.send(Array(body) + Self.end(of: count))
        } body: { server in
            try await adapter.run(server.baseURL) { client in
                let decoded = try await client.read("a")
                #expect(decoded.count == 2 * count)
            }
        }
    }

    /// Returns the last, empty block and the Adler-32 checksum of a number of `ab`.
    private static func end(of count: Int) -> [UInt8] {
        var sums: (UInt32, UInt32) = (1, 0)
        for _ in 0..<count {
            for byte in [0x61, 0x62] as [UInt32] {
                sums.0 = (sums.0 + byte) % 65_521
                sums.1 = (sums.1 + sums.0) % 65_521
            }
        }
        let sum = sums.1 << 16 | sums.0
        return [1, 0, 0, 0xFF, 0xFF]
            + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: sum >> UInt32($0)) }
    }

    private static func chunks(of bytes: [UInt8], byteCount: Int) -> [UInt8] {
        var output: [UInt8] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let chunk = rest.prefix(byteCount)
            rest = rest.dropFirst(byteCount)
            output += Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + [0x0D, 0x0A]
        }
        return output
    }
}

// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTesting
import RestTransport
import Synchronization
import TestSupport
import Testing

/// Servers that respond before they have received the complete body.
@Suite(.tags(.socket), .serialized) struct EarlyResponseTests {
    enum Framing: String, CaseIterable, Sendable {
        case length = "Content-Length: 6\r\n\r\nno way"
        case lengthAndClose = "Content-Length: 6\r\nConnection: close\r\n\r\nno way"
        case chunks = "Transfer-Encoding: chunked\r\n\r\n6\r\nno way\r\n0\r\n\r\n"
        case empty = "Content-Length: 0\r\n\r\n"
        case emptyAndClose = "Connection: close\r\nContent-Length: 0\r\n\r\n"
        case emptyInTwoReads = "Transfer-Encoding: chunked\r\n\r\n|0\r\n\r\n"
    }

    /// All adapters but URLSession, whose handling of such responses is up to Foundation.
    private static let adapters = Adapter.allCases.filter { $0 != .urlSession }

    struct EarlyError: CustomTestStringConvertible {
        let adapter: Adapter
        let framing: Framing

        static let all = adapters.flatMap { adapter in
            Framing.allCases.map { EarlyError(adapter: adapter, framing: $0) }
        }

        var testDescription: String { "\(adapter) \(framing)" }

        /// Sends the response before the body is received, in parts with a pause between them.
        func send(to connection: LoopbackConnection) {
            let parts = "HTTP/1.1 413 Too Large\r\n\(framing.rawValue)".split(separator: "|")
            for (index, part) in parts.enumerated() {
                if index > 0 { _ = connection.pause(0.2) }
                connection.send(String(part))
            }
        }

        func check(_ response: TransportResponse) async throws {
            #expect(response.status == .contentTooLarge)
            let text = String(decoding: try await response.collect(), as: UTF8.self)
            #expect(text == (framing.rawValue.contains("no way") ? "no way" : ""))
        }
    }

    @Test(arguments: EarlyError.all)
    func deliversEarlyErrorWhileSourceWaits(earlyError: EarlyError) async throws {
        try await LoopbackSocketServer.run { connection in
            _ = connection.readHead()
            // A response that arrives before the source was opened leaves nothing to end.
            _ = connection.discardBytes()
            earlyError.send(to: connection)
            connection.waitUntilClosed()
        } body: { server in
            try await earlyError.adapter.run(server.baseURL) { client in
                let source = ControlledSource()
                source.send(sampleBytes(1000))
                let request = try client.request(.post, at: "a", body: .once(source.makeChunks()))
                let response = try await client.send(request)
                try await earlyError.check(response)
                #expect(try await eventually { source.hasEnded })
            }
        }
    }

    @Test(arguments: EarlyError.all, [BodyKind.bytes, .unknownStream, .knownOnce])
    func deliversEarlyErrorWhileSending(earlyError: EarlyError, kind: BodyKind) async throws {
        let folder = try TemporaryFolder()
        try await LoopbackSocketServer.run { connection in
            _ = connection.readHead()
            earlyError.send(to: connection)
            connection.waitUntilClosed()
        } body: { server in
            try await earlyError.adapter.run(server.baseURL) { client in
                let body = try kind.body(sampleBytes(20 << 20), in: folder)
                let request = try client.request(.post, at: "a", body: body)
                let response = try await client.send(request)
                try await earlyError.check(response)
                // The next request is not sent into the middle of the last body.
                let next = try await client.send(
                    try client.request(.post, at: "b", body: .bytes(Array("next".utf8))))
                #expect(next.status == .contentTooLarge)
            }
            #expect(server.connectionCount == 2)
        }
    }

    /// A successful response does not end the request body.
    @Test(arguments: adapters) func continuesSendingAfterEarlySuccess(adapter: Adapter) async throws
    {
        let received = Atomic(0)
        try await LoopbackSocketServer.run { connection in
            _ = connection.readHead()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")
            while received.load(ordering: .relaxed) < 3000 {
                let count = connection.discardBytes()
                guard count > 0 else { return }
                received.wrappingAdd(count, ordering: .relaxed)
            }
            connection.send("ok")
            connection.waitUntilClosed()
        } body: { server in
            try await adapter.run(server.baseURL) { client in
                let source = ControlledSource()
                source.send(sampleBytes(1000))
                let request = try client.request(
                    .post, at: "a", body: .once(source.makeChunks(), byteCount: 3000))
                let response = try await client.send(request)
                #expect(response.status == .ok)
                source.send(sampleBytes(2000))
                source.finish()
                #expect(try await response.collect() == Array("ok".utf8))
            }
        }
    }
}

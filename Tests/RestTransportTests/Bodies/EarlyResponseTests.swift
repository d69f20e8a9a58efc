// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTesting
import RestTransport
import Synchronization
import TestSupport
import Testing

/// Servers that answer before they have the whole body.
@Suite(.tags(.socket), .serialized) struct EarlyResponseTests {
    enum Framing: String, CaseIterable, Sendable {
        case length = "Content-Length: 6\r\n\r\nno way"
        case lengthAndClose = "Content-Length: 6\r\nConnection: close\r\n\r\nno way"
        case chunks = "Transfer-Encoding: chunked\r\n\r\n6\r\nno way\r\n0\r\n\r\n"
        case empty = "Content-Length: 0\r\n\r\n"
        case emptyAndClose = "Connection: close\r\nContent-Length: 0\r\n\r\n"
    }

    /// What Foundation does with such answers is its own affair.
    private static let adapters = Adapter.allCases.filter { $0 != .urlSession }

    struct Refusal: CustomTestStringConvertible {
        let adapter: Adapter
        let framing: Framing

        static let all = adapters.flatMap { adapter in
            Framing.allCases.map { Refusal(adapter: adapter, framing: $0) }
        }

        var testDescription: String { "\(adapter) \(framing)" }

        /// The answer, ahead of the body.
        var answer: String { "HTTP/1.1 413 Too Large\r\n\(framing.rawValue)" }

        func check(_ response: TransportResponse) async throws {
            #expect(response.status == .contentTooLarge)
            let text = String(decoding: try await response.collect(), as: UTF8.self)
            #expect(text == (framing.rawValue.contains("no way") ? "no way" : ""))
        }
    }

    @Test(arguments: Refusal.all)
    func deliversARefusalWhileTheSourceWaits(refusal: Refusal) async throws {
        try await LoopbackSocketServer.run { connection in
            _ = connection.readHead()
            // A refusal that comes before the source was opened leaves nothing to end.
            _ = connection.dropBytes()
            connection.send(refusal.answer)
            connection.waitUntilClosed()
        } body: { server in
            try await refusal.adapter.run(server.baseURL) { client in
                let source = ControlledSource()
                source.send(sampleBytes(1000))
                let request = try client.request(.post, at: "a", body: .once(source.makeChunks()))
                let response = try await client.send(request)
                try await refusal.check(response)
                #expect(try await eventually { source.hasEnded })
            }
        }
    }

    @Test(arguments: Refusal.all, [BodyKind.bytes, .unknownStream, .knownOnce])
    func deliversARefusalWhileSending(refusal: Refusal, kind: BodyKind) async throws {
        let folder = try TemporaryFolder()
        try await LoopbackSocketServer.run { connection in
            _ = connection.readHead()
            connection.send(refusal.answer)
            connection.waitUntilClosed()
        } body: { server in
            try await refusal.adapter.run(server.baseURL) { client in
                let body = try kind.body(sampleBytes(20 << 20), in: folder)
                let request = try client.request(.post, at: "a", body: body)
                let response = try await client.send(request)
                try await refusal.check(response)
                // The next request is not sent into the middle of the last one's body.
                let next = try await client.send(
                    try client.request(.post, at: "b", body: .bytes(Array("next".utf8))))
                #expect(next.status == .contentTooLarge)
            }
            #expect(server.connectionCount == 2)
        }
    }

    /// Success says nothing against the rest of the body.
    @Test(arguments: adapters) func sendsOnAfterAnEarlySuccess(adapter: Adapter) async throws {
        let received = Atomic(0)
        try await LoopbackSocketServer.run { connection in
            _ = connection.readHead()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")
            while received.load(ordering: .relaxed) < 3000 {
                let count = connection.dropBytes()
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

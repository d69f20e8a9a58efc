// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestTesting
import RestTransport
import Synchronization
import TestSupport
import Testing

// Serialized, because concurrent cases with their own servers and clients starve each other.
@Suite(.tags(.socket), .serialized) struct UploadTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test(arguments: Adapter.allCases, BodyKind.allCases)
    func deliversBodiesUnchanged(adapter: Adapter, kind: BodyKind) async throws {
        let log = RequestLog()
        try await LoopbackSocketServer.run(log.script()) { server in
            try await adapter.run(server.baseURL) { client in
                for count in [0, 1, 65_536, 10 << 20] {
                    let bytes = sampleBytes(count)
                    for method in [HTTPRequest.Method.post, .put] {
                        let request = try client.request(
                            method, at: "a", body: kind.body(bytes, in: folder))
                        let response = try await client.send(request)
                        #expect(response.status == .ok)
                        let (head, body) = try #require(log.takeLast())
                        let isSame = body == bytes
                        #expect(isSame)
                        // Foundation on Linux cannot stream, so each length is known there.
                        let isBuffered = adapter == .urlSession && isLinux
                        let hasLength = kind.hasLength || isBuffered
                        #expect(head.contains("content-length: \(count)\r\n") == hasLength)
                        #expect(head.contains("transfer-encoding: chunked") == !hasLength)
                        #expect(!head.contains("expect:"))
                    }
                }
            }
        }
    }

    @Test(arguments: Adapter.allCases)
    func terminatesEmptyChunkedBody(adapter: Adapter) async throws {
        let log = RequestLog()
        try await LoopbackSocketServer.run(log.script()) { server in
            // With several connections, the second request need not wait for the first connection.
            try await adapter.run(server.baseURL, connectionsPerHost: 1) { client in
                let body = MessageBody.stream { AsyncStream<[UInt8]> { nil } }
                for _ in 0..<2 {
                    let request = try client.request(.put, at: "a", body: body)
                    #expect(try await client.send(request).status == .ok)
                    #expect(log.takeLast()?.body == [])
                }
            }
            #expect(server.connectionCount == 1)
        }
    }

    /// A server that does not read stops the source; a server that reads receives everything.
    @Test(.threat("T13")) func appliesBackPressureOfSlowServer() async throws {
        let total = 200 << 20
        let given = Atomic(0)
        let mayRead = Mutex(false)
        let received = Atomic(0)
        try await LoopbackSocketServer.run { connection in
            _ = connection.readHead()
            while !mayRead.withLock({ $0 }), connection.pause(0.01) {}
            while received.load(ordering: .relaxed) < total {
                let count = connection.discardBytes()
                guard count > 0 else { return }
                received.wrappingAdd(count, ordering: .relaxed)
            }
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            connection.waitUntilClosed()
        } body: { server in
            try await Adapter.curl.run(server.baseURL) { client in
                let chunk = [UInt8](repeating: 7, count: 64 << 10)
                let body = MessageBody.stream(byteCount: total) {
                    AsyncStream<[UInt8]> {
                        let count = given.load(ordering: .relaxed)
                        guard count < total else { return nil }
                        given.store(count + chunk.count, ordering: .relaxed)
                        return chunk
                    }
                }
                let request = try client.request(.post, at: "a", body: body)
                let sending = Task { try await client.send(request) }
                // The buffer sizes of the sockets differ between systems; the count is stable once
                // they are full.
                var before = -1
                while given.load(ordering: .relaxed) != before || before <= 0 {
                    before = given.load(ordering: .relaxed)
                    try await Task.sleep(for: .milliseconds(300))
                }
                #expect(before < 32 << 20)
                mayRead.withLock { $0 = true }
                #expect(try await sending.value.status == .ok)
                #expect(given.load(ordering: .relaxed) == total)
                #expect(received.load(ordering: .relaxed) == total)
            }
        }
    }

    @Test(arguments: Adapter.allCases)
    func ignoresSlowSourceForIdleTimeout(adapter: Adapter) async throws {
        let log = RequestLog()
        try await LoopbackSocketServer.run(log.script()) { server in
            try await adapter.run(server.baseURL) { client in
                let body = MessageBody.stream {
                    let count = Mutex(0)
                    return AsyncStream<[UInt8]> {
                        try? await Task.sleep(for: .milliseconds(900))
                        return count.withLock { count in
                            count += 1
                            return count <= 3 ? [UInt8(count)] : nil
                        }
                    }
                }
                var request = try client.request(.put, at: "a", body: body)
                request.limits = .short
                request.limits?.idleTimeout = .milliseconds(700)
                #expect(try await client.send(request).status == .ok)
                #expect(log.takeLast()?.body == [1, 2, 3])
            }
        }
    }

    @Test(arguments: Adapter.allCases)
    func countsSlowSourceForTotalTimeout(adapter: Adapter) async throws {
        try await LoopbackSocketServer.run {
            $0.waitUntilClosed()
        } body: { server in
            try await adapter.run(server.baseURL) { client in
                let source = ControlledSource()
                var request = try client.request(.post, at: "a", body: .once(source.makeChunks()))
                request.limits = .short
                request.limits?.totalTimeout = .milliseconds(300)
                let error = await transportError { _ = try await client.send(request) }
                #expect(error?.code == .timedOut)
                #expect(try await eventually { source.hasEnded })
            }
        }
    }

    @Test(arguments: Adapter.allCases)
    func endsSourceWhenCancelled(adapter: Adapter) async throws {
        try await LoopbackSocketServer.run {
            $0.waitUntilClosed()
        } body: { server in
            try await adapter.run(server.baseURL) { client in
                let source = ControlledSource()
                source.send([1, 2, 3])
                let request = try client.request(.post, at: "a", body: .once(source.makeChunks()))
                let sending = Task { try await client.send(request) }
                #expect(try await eventually { source.takenCount == 1 })
                sending.cancel()
                await #expect(throws: CancellationError.self) { try await sending.value }
                #expect(try await eventually { source.hasEnded })
            }
        }
    }

    @Test(arguments: Adapter.allCases)
    func reportsFailingSource(adapter: Adapter) async throws {
        struct Broken: Error {}
        let isWhole = Mutex(false)
        try await LoopbackSocketServer.run { connection in
            if connection.readMessage() != nil { isWhole.withLock { $0 = true } }
        } body: { server in
            try await adapter.run(server.baseURL) { client in
                let failing = MessageBody.stream {
                    AsyncThrowingStream<[UInt8], any Error> { continuation in
                        continuation.yield(sampleBytes(1000))
                        continuation.finish(throwing: Broken())
                    }
                }
                let short = MessageBody.stream(byteCount: 1001) { chunks(of: sampleBytes(1000)) }
                let long = MessageBody.stream(byteCount: 999) { chunks(of: sampleBytes(1000)) }
                let cases = [
                    (failing, TransportError.Code.bodyUnavailable), (short, .bodyLengthMismatch),
                    (long, .bodyLengthMismatch),
                ]
                for (body, code) in cases {
                    let request = try client.request(.post, at: "a?q=canary", body: body)
                    let error = await transportError { _ = try await client.send(request) }
                    #expect(error?.code == code)
                    #expect(error?.stage == .sendingRequest)
                    #expect(error?.url == server.baseURL + "a?…")
                    #expect((error?.underlying is Broken) == (code == .bodyUnavailable))
                }
            }
        }
        #expect(!isWhole.withLock { $0 })
    }

    /// An idle connection that the server closes is replaced, and the complete body is sent.
    @Test(arguments: BodyKind.allCases)
    func resendsFromStartOverNewConnection(kind: BodyKind) async throws {
        let bodies = Mutex<[[UInt8]]>([])
        try await LoopbackSocketServer.run { connection in
            while let (_, body) = connection.readMessage() {
                bodies.withLock { $0.append(body) }
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
                // The second request over the first connection finds it closed.
                if connection.readHead() != nil { return connection.reset() }
            }
        } body: { server in
            try await Adapter.curl.run(server.baseURL) { client in
                let bytes = sampleBytes(300_000)
                var successCount = 0
                for _ in 0..<2 {
                    let body = try kind.body(bytes, in: folder)
                    let request = try client.request(.put, at: "a", body: body)
                    do {
                        #expect(try await client.send(request).status == .ok)
                        successCount += 1
                    } catch let error as TransportError {
                        // libcurl fails if the reset arrives while it sends the body. A request with a
                        // body that is not replayable is never sent a second time.
                        #expect(error.code == .connectionLost)
                    }
                }
                let areWhole = bodies.withLock { $0.allSatisfy { $0 == bytes } }
                #expect(areWhole)
                #expect(bodies.withLock { $0.count } == successCount)
                #expect(successCount == 2 || successCount == 1)
            }
        }
    }
}

/// The requests to a server that responds to each with an empty 200.
final class RequestLog: Sendable {
    private let messages = Mutex<[(head: String, body: [UInt8])]>([])

    func takeLast() -> (head: String, body: [UInt8])? {
        messages.withLock { $0.popLast() }
    }

    func script() -> LoopbackSocketServer.Script {
        { connection in
            while let message = connection.readMessage() {
                self.messages.withLock { $0.append(message) }
                guard connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") else {
                    return
                }
            }
        }
    }
}

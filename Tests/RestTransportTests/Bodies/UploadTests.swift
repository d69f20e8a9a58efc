// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestTesting
import RestTransport
import Synchronization
import TestSupport
import Testing

// Serialized: each case runs servers and clients of its own, and all at once starve each other.
@Suite(.tags(.socket), .serialized) struct UploadTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test(arguments: Adapter.allCases, BodyKind.allCases)
    func arrivesByteForByte(adapter: Adapter, kind: BodyKind) async throws {
        let log = RequestLog()
        try await LoopbackSocketServer.run(log.answering()) { server in
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
                        // Foundation on Linux cannot stream, so there every length is known.
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
    func sendsAnEmptyChunkedBodyWithItsEnd(adapter: Adapter) async throws {
        let log = RequestLog()
        try await LoopbackSocketServer.run(log.answering()) { server in
            // With more of them, the second request need not wait for the first one's to be put back.
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

    /// A server that does not read stops the source; one that reads gets everything.
    @Test(.threat("T13")) func isHeldUpByASlowServer() async throws {
        let total = 200 << 20
        let given = Atomic(0)
        let mayRead = Mutex(false)
        let received = Atomic(0)
        try await LoopbackSocketServer.run { connection in
            _ = connection.readHead()
            while !mayRead.withLock({ $0 }), connection.pause(0.01) {}
            while received.load(ordering: .relaxed) < total {
                let count = connection.dropBytes()
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
                // What the two sockets hold differs between systems; it settles when they are full.
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
    func doesNotCountTheSourcesSlownessAsSilence(adapter: Adapter) async throws {
        let log = RequestLog()
        try await LoopbackSocketServer.run(log.answering()) { server in
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
    func countsTheSourcesSlownessAsTime(adapter: Adapter) async throws {
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
    func endsTheSourceWhenCancelled(adapter: Adapter) async throws {
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
    func reportsASourceThatFails(adapter: Adapter) async throws {
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

    /// A kept connection that the server closes is replaced, and the body sent whole.
    @Test(arguments: BodyKind.allCases)
    func sendsAgainFromTheStartOverANewConnection(kind: BodyKind) async throws {
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
                        // Where the reset comes while the body is on its way, libcurl gives up. What
                        // is for once is lost in any case, and never sent in part.
                        #expect(error.code == .connectionLost || error.code == .bodyNotReplayable)
                        #expect(error.code == .connectionLost || !kind.isReplayable)
                    }
                }
                let areWhole = bodies.withLock { $0.allSatisfy { $0 == bytes } }
                #expect(areWhole)
                #expect(bodies.withLock { $0.count } == successCount)
                #expect(successCount == 2 || successCount == 1)
            }
        }
    }

    @Test(.threat("T11")) func refusesWhatFoundationOnLinuxCannotHold() async throws {
        guard isLinux else { return }
        try await LoopbackSocketServer.run(RequestLog().answering()) { server in
            try await Adapter.urlSession.run(server.baseURL) { client in
                let chunk = [UInt8](repeating: 1, count: 1 << 20)
                let endless = MessageBody.stream { AsyncStream<[UInt8]> { chunk } }
                let request = try client.request(.post, at: "a", body: endless)
                let error = await transportError { _ = try await client.send(request) }
                #expect(error?.code == .bodyTooLarge)
                #expect(error?.stage == .preparing)
            }
            #expect(server.connectionCount == 0)
        }
    }
}

/// What came to a server that answers every request with an empty 200.
final class RequestLog: Sendable {
    private let messages = Mutex<[(head: String, body: [UInt8])]>([])

    func takeLast() -> (head: String, body: [UInt8])? {
        messages.withLock { $0.popLast() }
    }

    func answering() -> LoopbackSocketServer.Script {
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

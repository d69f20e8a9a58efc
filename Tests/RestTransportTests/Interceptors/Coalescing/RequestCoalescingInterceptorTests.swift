// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTesting
import RestTransport
import Synchronization
import TestSupport
import Testing

@Suite(.tags(.concurrency)) struct RequestCoalescingInterceptorTests {
    private let gate = Gate()

    /// Returns a transport that answers with the number of the exchange once the gate is open.
    private func transport() -> StubTransport {
        let count = Count()
        return StubTransport { [gate] request in
            let number = count.up()
            try await gate.pass()
            return .stub(body: Array("\(number)".utf8), to: request)
        }
    }

    @Test(arguments: ["GET", "HEAD", "OPTIONS", "QUERY"])
    func sharesOneExchange(_ name: String) async throws {
        let method = try HTTPRequest.Method(checking: name)
        let transport = transport()
        let client = try HTTPClient.coalescing(transport)
        let request = try client.request(method, at: "a")
        let tasks = try await gate.send(
            Array(repeating: request, count: 100), client, exchangeCount: 1)
        gate.open()
        for task in tasks { #expect(try await task.value == Array("1".utf8)) }
        #expect(transport.requests.count == 1)
        // A later request is sent again.
        #expect(try await client.send(request).collect() == Array("2".utf8))
    }

    @Test func separatesDifferentRequests() async throws {
        let transport = transport()
        let client = try HTTPClient.coalescing(transport)
        let request = try client.request(at: "a")
        var others = try [
            client.request(at: "a?x"), client.request(.head, at: "a"),
            client.request(at: "a", headerFields: [.accept: "text/plain"]),
            client.request(at: "a", headerFields: [.range: "bytes=0-1"]),
        ]
        others += [request, request, request]
        others[4].principal = Principal("anna")
        others[5].cachePolicy = .revalidate
        others[6].limits = .short
        let tasks = try await gate.send([request] + others, client, exchangeCount: 8)
        gate.open()
        var bodies: Set<[UInt8]> = []
        for task in tasks { bodies.insert(try await task.value) }
        #expect(bodies.count == 8)
    }

    @Test func coalescesRequestsWithDifferentIDs() async throws {
        let transport = transport()
        let client = try HTTPClient.coalescing(transport)
        let requests = try (0..<4).map { number in
            try client.request(
                at: "a",
                headerFields: [.accept: "text/plain", .requestID: number == 0 ? "" : "\(number)"])
        }
        let tasks = try await gate.send(
            requests + [try client.request(at: "a", headerFields: [.accept: "text/plain"])], client,
            exchangeCount: 1)
        gate.open()
        for task in tasks { #expect(try await task.value == Array("1".utf8)) }
    }

    @Test(arguments: [HTTPRequest.Method.post, .put, .patch, .delete])
    func neverCoalescesUnsafeMethods(method: HTTPRequest.Method) async throws {
        let transport = transport()
        let client = try HTTPClient.coalescing(transport)
        let request = try client.request(method, at: "a")
        let tasks = try await gate.send([request, request, request], client, exchangeCount: 3)
        gate.open()
        for task in tasks { _ = try await task.value }
        #expect(transport.requests.count == 3)
    }

    @Test func neverCoalescesRequestsWithBody() async throws {
        let transport = transport()
        let client = try HTTPClient.coalescing(transport)
        let request = try client.request(.options, at: "a", body: .bytes([1]))
        let tasks = try await gate.send([request, request], client, exchangeCount: 2)
        gate.open()
        for task in tasks { _ = try await task.value }
        #expect(transport.requests.count == 2)
    }

    /// A request after an unsafe one must not get a response from before the change.
    @Test func sendsAgainAfterUnsafeRequest() async throws {
        let number = Count()
        let transport = StubTransport { [gate] request in
            if request.method == .put { return .stub(to: request) }
            let own = number.up()
            if own == 1 { try await gate.pass() }
            return .stub(body: Array("\(own)".utf8), to: request)
        }
        let client = try HTTPClient.coalescing(transport)
        let early = Task { try await client.read("a") }
        #expect(try await eventually { gate.arrivalCount == 1 })
        _ = try await client.send(try client.request(.put, at: "a"))
        #expect(try await client.read("a") == Array("2".utf8))
        gate.open()
        #expect(try await early.value == Array("1".utf8))
    }

    // MARK: Cancelling

    /// Another request is sent if the first one is cancelled.
    @Test(arguments: [0, 1, 3])
    func cancelsOneRequestOnly(index: Int) async throws {
        let transport = transport()
        let client = try HTTPClient.coalescing(transport)
        let request = try client.request(at: "a")
        var tasks = try await gate.send([request], client, exchangeCount: 1)
        tasks += try await gate.send(
            Array(repeating: request, count: 3), client, exchangeCount: 1)
        let cancelled = tasks.remove(at: index)
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        let count = index == 0 ? 2 : 1
        #expect(try await eventually { gate.arrivalCount == count })
        #expect(gate.leftCount == count - 1)
        gate.open()
        for task in tasks { #expect(try await task.value == Array("\(count)".utf8)) }
        #expect(transport.requests.count == count)
    }

    @Test func endsExchangeWhenAllAreCancelled() async throws {
        let transport = transport()
        let client = try HTTPClient.coalescing(transport)
        let request = try client.request(at: "a")
        var tasks = try await gate.send([request], client, exchangeCount: 1)
        tasks += try await gate.send(
            Array(repeating: request, count: 3), client, exchangeCount: 1)
        // The first request is cancelled last; otherwise another one would be sent.
        for task in tasks.reversed() { task.cancel() }
        for task in tasks {
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        #expect(try await eventually { gate.leftCount == 1 })
        gate.open()
        #expect(try await client.send(request).collect() == Array("2".utf8))
    }

    @Test func failsAllRequestsTogether() async throws {
        let transport = StubTransport { [gate] request in
            try await gate.pass()
            throw TransportError(
                .connectionLost, stage: .receivingHeader, request: request, reason: "test")
        }
        let client = try HTTPClient.coalescing(transport)
        let request = try client.request(at: "a")
        let tasks = try await gate.send([request, request], client, exchangeCount: 1)
        gate.open()
        for task in tasks {
            let error = await transportError { _ = try await task.value }
            #expect(error?.code == .connectionLost)
        }
        #expect(transport.requests.count == 1)
    }

    /// Each request has its own deadline.
    @Test func continuesAfterFirstDeadlineExpires() async throws {
        let clock = ManualClock()
        let transport = StubTransport { request in
            let deadline = try #require(request.deadline)
            try await clock.sleep(until: deadline)
            throw TransportError(
                .timedOut, stage: .receivingHeader, request: request, reason: "test")
        }
        var client = try HTTPClient.coalescing(transport)
        client.clock = clock
        client.limits.totalTimeout = .seconds(10)
        let request = try client.request(at: "a")
        let first = Task { [client] in try await client.send(request) }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(6))
        let sent = Count()
        var counting = client
        counting.interceptors.insert(CountingInterceptor(sent), at: 0)
        let second = Task { [counting] in try await counting.send(request) }
        #expect(try await eventually { sent.value == 1 })
        #expect(transport.requests.count == 1)
        clock.advance(by: .seconds(4))
        #expect(await transportError { _ = try await first.value }?.code == .timedOut)
        await clock.waitForSleepers()
        #expect(transport.requests.count == 2)
        clock.advance(by: .seconds(6))
        #expect(await transportError { _ = try await second.value }?.code == .timedOut)
        #expect(transport.requests.count == 2)
    }

    @Test(arguments: UInt64(1)...20)
    func survivesRandomSchedules(seed: UInt64) async throws {
        let version = Count()
        let generator = Mutex(SeededGenerator(seed: seed))
        let transport = StubTransport { request in
            if request.method == .put {
                await Task.yield()
                return .stub(body: Array("\(version.up())".utf8), to: request)
            }
            let seen = version.value
            let pauseCount = generator.withLock { Int.random(in: 0..<5, using: &$0) }
            for _ in 0..<pauseCount { await Task.yield() }
            try Task.checkCancellation()
            return .stub(body: Array("\(seen)".utf8), to: request)
        }
        let client = try HTTPClient.coalescing(transport)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<200 {
                let (isChange, isCancelled) = generator.withLock {
                    (
                        Int.random(in: 0..<10, using: &$0) == 0,
                        Int.random(in: 0..<8, using: &$0) == 0
                    )
                }
                group.addTask {
                    let task = Task {
                        var least = 0
                        if isChange {
                            let request = try client.request(.put, at: "a")
                            let bytes = try await client.send(request).collect()
                            least = try #require(Int(String(decoding: bytes, as: UTF8.self)))
                        }
                        let body = String(decoding: try await client.read("a"), as: UTF8.self)
                        return (least, try #require(Int(body)))
                    }
                    if isCancelled { task.cancel() }
                    switch await task.result {
                    case .success(let (least, seen)):
                        // Each task reads its own writes.
                        #expect(seen >= least)
                    case .failure(let error):
                        #expect(error is CancellationError && isCancelled)
                    }
                }
            }
        }
        #expect(transport.requests.count <= 240)
    }
}

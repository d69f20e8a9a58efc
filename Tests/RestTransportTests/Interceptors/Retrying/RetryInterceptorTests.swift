// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTesting
import RestTransport
import Synchronization
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct RetryInterceptorTests {
    /// A clock that does not wait and records the durations of sleeps.
    final class InstantClock: TransportClock {
        private let clock = ManualClock()
        private let slept = Mutex<[Duration]>([])

        var date: Date { clock.date }
        var now: ContinuousClock.Instant { clock.now }
        var sleepDurations: [Duration] { slept.withLock { $0 } }

        func sleep(until instant: ContinuousClock.Instant) async throws {
            try Task.checkCancellation()
            let duration = instant - clock.now
            slept.withLock { $0.append(duration) }
            clock.advance(by: max(.zero, duration))
        }
    }

    /// Returns a transport that answers with the statuses in order, then with the last one.
    static func transport(
        _ statuses: [HTTPResponse.Status], _ fields: HTTPFields = [:]
    ) -> StubTransport {
        let count = Count()
        return StubTransport { request in
            .stub(statuses[min(count.up(), statuses.count) - 1], headerFields: fields, to: request)
        }
    }

    private static func client(
        _ transport: StubTransport, policy: RetryPolicy = .default,
        clock: any TransportClock = InstantClock(), seed: UInt64 = 1
    ) throws -> HTTPClient {
        let interceptor = RetryInterceptor(policy, generator: SeededGenerator(seed: seed))
        return try HTTPClient(transport, networkInterceptors: [interceptor], clock: clock)
    }

    @Test func retriesUntilSuccess() async throws {
        let transport = Self.transport([.serviceUnavailable, .badGateway, .ok])
        let clock = InstantClock()
        let client = try Self.client(transport, clock: clock)
        #expect(try await client.status("a") == 200)
        #expect(transport.requests.count == 3)
        #expect(clock.sleepDurations.count == 2)
    }

    @Test func sleepsDeterministicallyForSeed() async throws {
        var sleepDurations: [[Duration]] = []
        for seed in [UInt64(7), 7, 8] {
            let clock = InstantClock()
            let transport = Self.transport([.serviceUnavailable])
            let client = try Self.client(transport, clock: clock, seed: seed)
            #expect(try await client.status("a") == 503)
            sleepDurations.append(clock.sleepDurations)
        }
        #expect(sleepDurations[0] == sleepDurations[1])
        #expect(sleepDurations[0] != sleepDurations[2])
        #expect(sleepDurations[0].count == 7)
    }

    @Test func deliversOtherResponsesImmediately() async throws {
        for status in [HTTPResponse.Status.internalServerError, .notFound, .notModified, .ok] {
            let transport = Self.transport([status, .ok])
            let client = try Self.client(transport)
            #expect(try await client.status("a") == status.code)
            #expect(transport.requests.count == 1)
        }
    }

    @Test(.threat("T19")) func neverRetriesPost() async throws {
        for status in [408, 425, 429, 502, 503, 504] {
            let transport = Self.transport([HTTPResponse.Status(code: status), .ok])
            let client = try Self.client(transport)
            let request = try client.request(.post, at: "a", body: .bytes([1]))
            #expect(try await client.send(request).status.code == status)
            #expect(transport.requests.count == 1)
        }
    }

    @Test(.threat("T19")) func retriesPostWithIdempotencyKey() async throws {
        let transport = Self.transport([.serviceUnavailable, .created])
        let client = try Self.client(transport)
        let request = try client.request(
            .post, at: "a", headerFields: [.idempotencyKey: "\"k\""], body: .bytes([1]))
        #expect(try await client.send(request).status == .created)
        #expect(transport.requests.map(\.body) == [.bytes([1]), .bytes([1])])
        #expect(transport.requests.map { $0.headerFields[.idempotencyKey] } == ["\"k\"", "\"k\""])
    }

    @Test(
        arguments: [
            (.connectionFailed, .connecting, 2, 2), (.timedOut, .connecting, 2, 2),
            (.connectionLost, .sendingRequest, 2, 1), (.connectionLost, .receivingHeader, 2, 1),
            (.timedOut, .receivingHeader, 2, 1), (.incompleteBody, .receivingBody, 2, 1),
            (.tlsFailed, .connecting, 1, 1), (.malformedResponse, .receivingHeader, 1, 1),
            (.closed, .preparing, 1, 1), (.bodyTooLarge, .receivingBody, 1, 1),
        ] as [(TransportError.Code, TransportError.Stage, Int, Int)])
    func retriesErrorsByCodeAndStage(
        code: TransportError.Code, stage: TransportError.Stage, gets: Int, posts: Int
    ) async throws {
        for (method, count) in [(HTTPRequest.Method.get, gets), (.post, posts)] {
            let calls = Count()
            let transport = StubTransport { request in
                if calls.up() == 1 {
                    throw TransportError(code, stage: stage, request: request, reason: "test")
                }
                return .stub(to: request)
            }
            let client = try Self.client(transport)
            let request = try client.request(method, at: "a")
            if count == 2 {
                #expect(try await client.send(request).status == .ok)
            } else {
                let error = await transportError { _ = try await client.send(request) }
                #expect(error?.code == code)
            }
            #expect(transport.requests.count == count, "\(method)")
        }
    }

    @Test(.threat("T19")) func waitsForRetryAfter() async throws {
        let clock = InstantClock()
        let transport = Self.transport(
            [.tooManyRequests, .ok], [.retryAfter: "20"])
        let client = try Self.client(transport, clock: clock)
        #expect(try await client.status("a") == 200)
        let duration = try #require(clock.sleepDurations.first)
        #expect(duration >= .seconds(20) && duration < .milliseconds(20_250))
    }

    @Test(
        arguments: [
            ([.retryAfter: "20"], 2), ([.retryAfter: "3600"], 1), ([:], 1),
        ] as [(HTTPFields, Int)])
    func retriesForbiddenWithRetryAfter(fields: HTTPFields, count: Int) async throws {
        let transport = Self.transport([.forbidden, .ok], fields)
        let client = try Self.client(transport)
        #expect(try await client.status("a") == (count == 2 ? 200 : 403))
        #expect(transport.requests.count == count)
    }

    @Test(arguments: [nil, Duration.seconds(600)])
    func returnsResponseWithTooLongDelayAtOnce(timeout: Duration?) async throws {
        for status in [HTTPResponse.Status.tooManyRequests, .serviceUnavailable] {
            let clock = InstantClock()
            let transport = Self.transport([status], [.retryAfter: "3600"])
            var client = try Self.client(transport, clock: clock)
            client.limits.totalTimeout = timeout
            #expect(try await client.status("a") == status.code)
            #expect(transport.requests.count == 1)
            #expect(clock.sleepDurations.isEmpty)
        }
    }

    @Test func neverWaitsPastDeadline() async throws {
        for (retryAfter, count) in [("9", 2), ("11", 1)] {
            let clock = InstantClock()
            let transport = Self.transport(
                [.serviceUnavailable, .ok], [.retryAfter: retryAfter])
            var client = try Self.client(transport, clock: clock)
            client.limits.totalTimeout = .seconds(10)
            #expect(try await client.status("a") == (count == 2 ? 200 : 503))
            #expect(transport.requests.count == count)
        }
        // The deadline ends the retries if there is no other limit.
        for seed in UInt64(0)..<100 {
            let clock = InstantClock()
            let start = clock.now
            var policy = RetryPolicy()
            policy.attemptCount = .max
            policy.budgetPerHost = .max
            let client = try Self.client(
                Self.transport([.serviceUnavailable]), policy: policy, clock: clock, seed: seed)
            #expect(try await client.status("a") == 503)
            #expect(clock.now - start < .seconds(60))
            #expect(clock.sleepDurations.count > 3)
        }
    }

    @Test func sharesBudgetPerHost() async throws {
        let transport = Self.transport([.serviceUnavailable])
        let clock = ManualClock()
        var policy = RetryPolicy()
        policy.baseDelay = .zero
        let client = try Self.client(transport, policy: policy, clock: clock)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<100 {
                group.addTask { try await client.status("items/\(number)") }
            }
            for try await status in group { #expect(status == 503) }
        }
        #expect(transport.requests.count == 110)
        // Each host has a budget of its own.
        let other = TransportRequest(url: try HTTPURL(parsing: "https://other.test/"))
        _ = try await client.send(other)
        #expect(transport.requests.count == 118)
    }

    @Test func retriesSingleExchangeOfRedirects() async throws {
        let calls = Count()
        let transport = StubTransport { request in
            if request.url.path == "/v1/a" {
                return .stub(.seeOther, headerFields: [.location: "b"], to: request)
            }
            return .stub(calls.up() == 1 ? .serviceUnavailable : .ok, to: request)
        }
        let client = try Self.client(transport)
        let request = try client.request(.post, at: "a", body: .bytes([1]))
        #expect(try await client.send(request).status == .ok)
        #expect(transport.requests.map(\.url.path) == ["/v1/a", "/v1/b", "/v1/b"])
        #expect(transport.requests.map(\.method) == [.post, .get, .get])
    }

    @Test func releasesUndeliveredResponses() async throws {
        let clock = ManualClock()
        let body = TwoChunkBody([1], [2])
        let calls = Count()
        let transport = StubTransport { request in
            if calls.up() > 1 { return .stub(to: request) }
            return TransportResponse(
                to: request, head: HTTPResponse(status: .serviceUnavailable),
                body: ResponseBody(source: body))
        }
        var policy = RetryPolicy()
        policy.baseDelay = .seconds(1)
        let client = try Self.client(transport, policy: policy, clock: clock)
        let task = Task { try await client.status("a") }
        await clock.waitForSleepers()
        // The connection is released while the interceptor waits.
        #expect(try await eventually { body.isReleased })
        clock.advance(by: .seconds(1))
        #expect(try await task.value == 200)
    }

    @Test func stopsWaitingWhenCancelled() async throws {
        let clock = ManualClock()
        let transport = Self.transport([.serviceUnavailable], [.retryAfter: "10"])
        let client = try Self.client(transport, clock: clock)
        let task = Task { try await client.status("a") }
        await clock.waitForSleepers()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(transport.requests.count == 1)
        #expect(clock.sleeperCount == 0)
    }

    @Test func neverRetriesOtherErrors() async throws {
        struct Failure: Error {}
        let calls = Count()
        let transport = StubTransport { _ in
            calls.up()
            throw Failure()
        }
        let client = try Self.client(transport)
        await #expect(throws: Failure.self) { try await client.status("a") }
        #expect(calls.value == 1)
    }
}

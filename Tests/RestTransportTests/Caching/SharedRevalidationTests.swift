// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTesting
import RestTransport
import Synchronization
import TestSupport
import Testing

/// Concurrent requests for one stale response.
@Suite(.tags(.concurrency)) struct SharedRevalidationTests {
    /// Returns a harness with a stale response, whose revalidation waits at a latch.
    private func staleHarness(
        _ latch: Latch, control: String = "max-age=1",
        _ answer: @escaping @Sendable (TransportRequest) throws -> TransportResponse
    ) async throws -> CacheHarness {
        let isFirst = Mutex(true)
        let harness = try CacheHarness { request in
            let first = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            if first {
                let fields = [("ETag", "\"1\""), ("Cache-Control", control)]
                return .text("old", fields, to: request)
            }
            await latch.pass()
            return try answer(request)
        }
        _ = try await harness.read()
        harness.clock.advance(by: .seconds(5))
        return harness
    }

    /// Sends concurrent requests; the first one reaches the latch before the others are sent.
    private func readMany(
        _ harness: CacheHarness, _ latch: Latch, count: Int = 20
    ) async throws -> [Result<String, any Error>] {
        try await withThrowingTaskGroup(of: Result<String, any Error>.self) { group in
            for index in 0..<count {
                group.addTask {
                    do { return .success(try await harness.read().body) } catch {
                        return .failure(error)
                    }
                }
                if index == 0 { await latch.waitForArrivals() }
            }
            #expect(try await eventually { harness.cache.waiterCount == count - 1 })
            latch.open()
            var results: [Result<String, any Error>] = []
            for try await result in group { results.append(result) }
            return results
        }
    }

    @Test func sendsOneRequestForAll() async throws {
        let latch = Latch()
        let harness = try await staleHarness(latch) { request in
            .text("", [("ETag", "\"1\"")], status: 304, to: request)
        }
        let results = try await readMany(harness, latch)
        #expect(try results.map { try $0.get() } == Array(repeating: "old", count: 20))
        #expect(harness.askedCount == 2)
    }

    @Test func sharesReplacementResponse() async throws {
        let latch = Latch()
        let harness = try await staleHarness(latch) { request in
            .text("new", [("ETag", "\"2\""), ("Cache-Control", "no-cache")], to: request)
        }
        let results = try await readMany(harness, latch)
        #expect(try results.map { try $0.get() } == Array(repeating: "new", count: 20))
        #expect(harness.askedCount == 2)
    }

    @Test func sharesFailure() async throws {
        let latch = Latch()
        let harness = try await staleHarness(latch) { _ in
            throw TransportError(.connectionFailed, stage: .connecting, reason: "refused")
        }
        let results = try await readMany(harness, latch)
        #expect(results.allSatisfy { (try? $0.get()) == nil })
        #expect(harness.askedCount == 2)
    }

    @Test func retriesWhenLeaderIsCancelled() async throws {
        let latch = Latch()
        let harness = try await staleHarness(latch) { request in
            try Task.checkCancellation()
            return .text("", [("ETag", "\"1\"")], status: 304, to: request)
        }
        let first = Task { try await harness.read() }
        await latch.waitForArrivals()
        let second = Task { try await harness.read() }
        #expect(try await eventually { harness.cache.waiterCount == 1 })
        first.cancel()
        latch.open()
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(try await second.value.body == "old")
    }

    @Test func stopsWaitingWhenCancelled() async throws {
        let latch = Latch()
        let harness = try await staleHarness(latch) { request in
            .text("", [("ETag", "\"1\"")], status: 304, to: request)
        }
        let first = Task { try await harness.read() }
        await latch.waitForArrivals()
        let second = Task { try await harness.read() }
        #expect(try await eventually { harness.cache.waiterCount == 1 })
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        latch.open()
        #expect(try await first.value.body == "old")
    }

    @Test func reusesStaleWhileRevalidating() async throws {
        let latch = Latch()
        let harness = try await staleHarness(latch, control: "max-age=1, stale-while-revalidate=60")
        {
            .text("new", [("ETag", "\"2\""), ("Cache-Control", "max-age=60")], to: $0)
        }
        for _ in 0..<20 {
            let stale = try await harness.read()
            #expect(stale.response.origin == .stale(age: 5) && stale.body == "old")
        }
        latch.open()
        await harness.cache.waitForBackgroundValidations()
        #expect(harness.askedCount == 2)
        let fresh = try await harness.read()
        #expect(fresh.response.origin == .cache(age: 0) && fresh.body == "new")
    }
}

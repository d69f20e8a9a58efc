// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTesting
import RestTransport
import Synchronization
import TestSupport
import Testing

/// Many requests for one stale response.
@Suite(.tags(.concurrency)) struct SharedRevalidationTests {
    /// A harness with a stale response, whose revalidation waits at a gate.
    private func staleHarness(
        _ gate: Gate, control: String = "max-age=1",
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
            await gate.pass()
            return try answer(request)
        }
        _ = try await harness.read()
        harness.clock.advance(by: .seconds(5))
        return harness
    }

    /// Sends many requests at once; the first is at the gate before the others follow.
    private func readMany(
        _ harness: CacheHarness, _ gate: Gate, count: Int = 20
    ) async throws -> [Result<String, any Error>] {
        try await withThrowingTaskGroup(of: Result<String, any Error>.self) { group in
            for index in 0..<count {
                group.addTask {
                    do { return .success(try await harness.read().body) } catch {
                        return .failure(error)
                    }
                }
                if index == 0 { await gate.waitForArrivals() }
            }
            #expect(try await eventually { harness.cache.waiterCount == count - 1 })
            gate.open()
            var results: [Result<String, any Error>] = []
            for try await result in group { results.append(result) }
            return results
        }
    }

    @Test func asksOnceForAll() async throws {
        let gate = Gate()
        let harness = try await staleHarness(gate) { request in
            .text("", [("ETag", "\"1\"")], status: 304, to: request)
        }
        let results = try await readMany(harness, gate)
        #expect(try results.map { try $0.get() } == Array(repeating: "old", count: 20))
        #expect(harness.askedCount == 2)
    }

    @Test func sharesWhatTookItsPlace() async throws {
        let gate = Gate()
        let harness = try await staleHarness(gate) { request in
            .text("new", [("ETag", "\"2\""), ("Cache-Control", "no-cache")], to: request)
        }
        let results = try await readMany(harness, gate)
        #expect(try results.map { try $0.get() } == Array(repeating: "new", count: 20))
        #expect(harness.askedCount == 2)
    }

    @Test func sharesTheFailure() async throws {
        let gate = Gate()
        let harness = try await staleHarness(gate) { _ in
            throw TransportError(.connectionFailed, stage: .connecting, reason: "refused")
        }
        let results = try await readMany(harness, gate)
        #expect(results.allSatisfy { (try? $0.get()) == nil })
        #expect(harness.askedCount == 2)
    }

    @Test func letsAnotherAskWhenTheFirstIsCancelled() async throws {
        let gate = Gate()
        let harness = try await staleHarness(gate) { request in
            try Task.checkCancellation()
            return .text("", [("ETag", "\"1\"")], status: 304, to: request)
        }
        let first = Task { try await harness.read() }
        await gate.waitForArrivals()
        let second = Task { try await harness.read() }
        #expect(try await eventually { harness.cache.waiterCount == 1 })
        first.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(try await second.value.body == "old")
    }

    @Test func leavesWaitingWhenCancelled() async throws {
        let gate = Gate()
        let harness = try await staleHarness(gate) { request in
            .text("", [("ETag", "\"1\"")], status: 304, to: request)
        }
        let first = Task { try await harness.read() }
        await gate.waitForArrivals()
        let second = Task { try await harness.read() }
        #expect(try await eventually { harness.cache.waiterCount == 1 })
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        gate.open()
        #expect(try await first.value.body == "old")
    }

    @Test func servesStaleWhileOneAsks() async throws {
        let gate = Gate()
        let harness = try await staleHarness(gate, control: "max-age=1, stale-while-revalidate=60")
        {
            .text("new", [("ETag", "\"2\""), ("Cache-Control", "max-age=60")], to: $0)
        }
        for _ in 0..<20 {
            let stale = try await harness.read()
            #expect(stale.response.origin == .stale(age: 5) && stale.body == "old")
        }
        gate.open()
        await harness.cache.waitForRefreshes()
        #expect(harness.askedCount == 2)
        let fresh = try await harness.read()
        #expect(fresh.response.origin == .cache(age: 0) && fresh.body == "new")
    }
}

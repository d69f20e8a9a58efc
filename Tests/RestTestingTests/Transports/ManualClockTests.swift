// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestTesting
import RestTransport
import TestSupport
import Testing

@Suite struct ManualClockTests {
    private let clock = ManualClock()

    @Test func advancesBothTimes() {
        let (date, now) = (clock.date, clock.now)
        clock.advance(by: .milliseconds(1_500))
        #expect(clock.date == date + 1.5)
        #expect(clock.now == now + .milliseconds(1_500))
        clock.date = date - 100
        #expect(clock.now == now + .milliseconds(1_500))
    }

    @Test func wakesSleepersAtTheirDeadline() async throws {
        let start = clock.now
        let early = Task { [clock] in try await clock.sleep(until: start + .seconds(1)) }
        let late = Task { [clock] in try await clock.sleep(until: start + .seconds(2)) }
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(1))
        try await early.value
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .seconds(1))
        try await late.value
        // Deadlines that have passed do not sleep.
        try await clock.sleep(until: start)
        try await clock.sleep(until: clock.now)
        #expect(clock.sleeperCount == 0)
    }

    @Test func endsCancelledSleep() async throws {
        let task = Task { [clock] in try await clock.sleep(until: clock.now + .seconds(1)) }
        await clock.waitForSleepers()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.sleeperCount == 0)
        let cancelled = Task { [clock] in
            while !Task.isCancelled { await Task.yield() }
            try await clock.sleep(until: clock.now + .seconds(1))
        }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
    }

    @Test func endsCancelledWait() async {
        let task = Task { [clock] in await clock.waitForSleepers(3) }
        task.cancel()
        await task.value
        let cancelled = Task { [clock] in
            while !Task.isCancelled { await Task.yield() }
            await clock.waitForSleepers(3)
        }
        cancelled.cancel()
        await cancelled.value
    }

    /// Concurrent sleeps, cancellations and advances: every sleep ends exactly once.
    @Test(.tags(.concurrency))
    func resumesEachOfManySleepersOnce() async throws {
        let ended = Counter()
        try await withThrowingTaskGroup { group in
            for number in 0..<200 {
                let sleeper = Task { [clock] in
                    defer { ended.next() }
                    try await clock.sleep(until: clock.now + .milliseconds(number % 20))
                }
                group.addTask { [clock] in
                    if number % 3 == 0 { sleeper.cancel() }
                    clock.advance(by: .milliseconds(1))
                    _ = await sleeper.result
                }
            }
            group.addTask { [clock] in
                while ended.count < 200 {
                    clock.advance(by: .milliseconds(1))
                    await Task.yield()
                }
            }
            try await group.waitForAll()
        }
        #expect(ended.count == 200)
        #expect(clock.sleeperCount == 0)
    }
}

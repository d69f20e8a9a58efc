// SPDX-License-Identifier: Apache-2.0

import RestTransport
import Testing

@Suite struct SharedTimerTests {
    private let timer = SharedTimer()

    /// Waits for as many tasks as a test has started.
    private func waitForWaiters(_ count: Int) async {
        while timer.waiterCount < count { await Task.yield() }
    }

    @Test func wakesTasksAfterTheirDeadlines() async throws {
        let start = ContinuousClock.now
        let woken = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in [5, 1, 4, 2, 3] {
                group.addTask { [timer] in
                    let deadline = start + .milliseconds(80 * number)
                    try await timer.sleep(until: deadline)
                    #expect(ContinuousClock.now >= deadline)
                    return number
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(woken == [1, 2, 3, 4, 5])
        #expect(timer.waiterCount == 0)
    }

    @Test func keepsNothingOfCancelledWaits() async throws {
        let start = ContinuousClock.now
        let deadlines = (0..<5000).map { start + .seconds(60 + ($0 * 7919) % 5000) }
        let tasks = deadlines.map { deadline in
            Task { [timer] in try await timer.sleep(until: deadline) }
        }
        await waitForWaiters(tasks.count)
        #expect(timer.deadlineCount == tasks.count)
        // 5,060 seconds are less than 2^23 milliseconds.
        #expect(timer.wakeUpCount <= 23)
        for task in tasks {
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        #expect(timer.waiterCount == 0)
        #expect(timer.deadlineCount <= 64)
    }

    @Test func needsFewTasksForDescendingDeadlines() async throws {
        let start = ContinuousClock.now
        var tasks: [Task<Void, any Error>] = []
        for count in 1...2000 {
            let deadline = start + .seconds(100_000 - 40 * count)
            tasks.append(Task { [timer] in try await timer.sleep(until: deadline) })
            await waitForWaiters(count)
        }
        #expect(timer.wakeUpCount <= 27)
        for task in tasks { task.cancel() }
    }

    @Test func returnsAtOnceAfterDeadlineOrCancellation() async throws {
        try await timer.sleep(until: .now - .seconds(1))
        let gate = Gate()
        let task = Task { [timer] in
            try? await gate.pass()
            try await timer.sleep(until: .now + .seconds(3600))
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(timer.deadlineCount == 0)
    }
}

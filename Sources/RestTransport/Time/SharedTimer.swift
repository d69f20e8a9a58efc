// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A timer on which any number of tasks wait for their deadlines.
///
/// A cancelled `Task.sleep` ends at once, but the runtime keeps it until its deadline. Nearly every
/// exchange ends before its deadlines, so a busy client would keep a minute of exchanges. This timer
/// keeps nothing of a cancelled wait, and needs a few sleeping tasks for all deadlines.
package final class SharedTimer: Sendable {
    private typealias Continuation = CheckedContinuation<Void, any Error>

    private struct State {
        var lastID: UInt64 = 0
        // Invariant: each continuation is stored once, under the lock, and resumed by the function
        // that removes it under the lock.
        var waiters: [UInt64: Continuation] = [:]
        /// The deadlines of all waiters, and of some that were cancelled.
        var deadlines = DeadlineHeap()
        /// The instants at which a sleeping task wakes up, descending.
        var wakeUps: [ContinuousClock.Instant] = []
    }

    /// The timer of the process.
    package static let shared = SharedTimer()

    private let state = Mutex(State())

    /// Creates a timer.
    package init() {}

    /// The number of waiting tasks.
    package var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// The number of stored deadlines, some of them of cancelled waits.
    package var deadlineCount: Int { state.withLock { $0.deadlines.count } }

    /// The number of sleeping tasks of the timer itself.
    package var wakeUpCount: Int { state.withLock { $0.wakeUps.count } }

    /// Suspends the calling task until an instant.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    /// - Complexity: O(log *n*) in the number of waiting tasks.
    package func sleep(until deadline: ContinuousClock.Instant) async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                add(continuation, id: id, deadline: deadline)
            }
        } onCancel: {
            cancel(id)
        }
    }

    private func add(_ continuation: Continuation, id: UInt64, deadline: ContinuousClock.Instant) {
        let now = ContinuousClock.now
        var wakeUp: ContinuousClock.Instant?
        let result: Result<Void, any Error>? = state.withLock { state in
            // A later cancellation waits for the lock and finds the continuation.
            if Task.isCancelled { return .failure(CancellationError()) }
            if deadline <= now { return .success(()) }
            state.waiters[id] = continuation
            state.deadlines.insert(DeadlineHeap.Entry(deadline: deadline, id: id))
            wakeUp = Self.nextWakeUp(&state, at: now)
            return nil
        }
        if let result { continuation.resume(with: result) }
        if let wakeUp { sleep(for: wakeUp) }
    }

    private func cancel(_ id: UInt64) {
        let continuation = state.withLock { state in
            let continuation = state.waiters.removeValue(forKey: id)
            if state.deadlines.count > 2 * state.waiters.count + 64 {
                let waiters = state.waiters
                state.deadlines.keep { waiters[$0.id] != nil }
            }
            return continuation
        }
        continuation?.resume(throwing: CancellationError())
    }

    /// Returns the instant at which another task must wake up, or `nil` if one does in time.
    ///
    /// The time until then is a power of two below the time until the earliest deadline. So each
    /// further task wakes up after at most half the time of the previous one, and their number is
    /// logarithmic in the longest time, whatever the order of the deadlines.
    private static func nextWakeUp(
        _ state: inout State, at now: ContinuousClock.Instant
    ) -> ContinuousClock.Instant? {
        guard let deadline = state.deadlines.first?.deadline else { return nil }
        if let next = state.wakeUps.last, next <= deadline { return nil }
        let milliseconds = Int64(min((deadline - now) / .milliseconds(1), 1e15))
        let wakeUp =
            milliseconds < 4
            ? deadline : now + .milliseconds(1 << (63 - milliseconds.leadingZeroBitCount))
        state.wakeUps.append(wakeUp)
        return wakeUp
    }

    /// Starts a task that sleeps until an instant and then resumes the waiters that are due.
    private func sleep(for wakeUp: ContinuousClock.Instant) {
        Task.detached { [self] in
            try? await ContinuousClock().sleep(until: wakeUp)
            resumeDueWaiters(after: wakeUp)
        }
    }

    private func resumeDueWaiters(after wakeUp: ContinuousClock.Instant) {
        let now = ContinuousClock.now
        var next: ContinuousClock.Instant?
        let due = state.withLock { state in
            if let index = state.wakeUps.lastIndex(of: wakeUp) { state.wakeUps.remove(at: index) }
            var due: [Continuation] = []
            while let entry = state.deadlines.first {
                let isCancelled = state.waiters[entry.id] == nil
                guard isCancelled || entry.deadline <= now else { break }
                state.deadlines.removeFirst()
                if let continuation = state.waiters.removeValue(forKey: entry.id) {
                    due.append(continuation)
                }
            }
            next = Self.nextWakeUp(&state, at: now)
            return due
        }
        for continuation in due { continuation.resume() }
        if let next { sleep(for: next) }
    }
}

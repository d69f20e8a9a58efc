// SPDX-License-Identifier: Apache-2.0

public import RestTransport
import Synchronization

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A clock that moves only when a test advances it.
///
/// ```swift
/// let clock = ManualClock()
/// client.clock = clock
/// clock.advance(by: .seconds(3600))
/// ```
public final class ManualClock: TransportClock {
    private struct Sleeper {
        let id: UInt64
        let deadline: ContinuousClock.Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Waiter {
        let id: UInt64
        let count: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var date: Date
        var now = ContinuousClock.now
        var lastID: UInt64 = 0
        var cancelled: Set<UInt64> = []
        var sleepers: [Sleeper] = []
        var waiters: [Waiter] = []

        mutating func takeReadyWaiters() -> [CheckedContinuation<Void, Never>] {
            let ready = waiters.filter { $0.count <= sleepers.count }
            waiters.removeAll { $0.count <= sleepers.count }
            return ready.map(\.continuation)
        }
    }

    private let state: Mutex<State>

    /// Creates a clock.
    ///
    /// - Parameter date: The initial wall-clock time, 2026-01-01 00:00:00 UTC by default.
    public init(date: Date = Date(timeIntervalSince1970: 1_767_225_600)) {
        state = Mutex(State(date: date))
    }

    /// The wall-clock time.
    ///
    /// Setting it wakes no sleeping task.
    public var date: Date {
        get { state.withLock { $0.date } }
        set { state.withLock { $0.date = newValue } }
    }

    /// The monotonic time.
    public var now: ContinuousClock.Instant { state.withLock { $0.now } }

    /// The number of sleeping tasks.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Advances both times and wakes the tasks whose deadline has passed, the earliest first.
    public func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.now += duration
            let (seconds, attoseconds) = duration.components
            state.date += TimeInterval(seconds) + TimeInterval(attoseconds) * 1e-18
            let now = state.now
            let woken = state.sleepers.filter { $0.deadline <= now }
            state.sleepers.removeAll { $0.deadline <= now }
            return woken.sorted { ($0.deadline, $0.id) < ($1.deadline, $1.id) }
        }
        for sleeper in woken {
            sleeper.continuation.resume()
        }
    }

    /// Waits until a number of tasks sleep on this clock, or the calling task is cancelled.
    public func waitForSleepers(_ count: Int = 1) async {
        let id = newID()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ready = state.withLock { state -> [CheckedContinuation<Void, Never>] in
                    if state.cancelled.remove(id) != nil { return [continuation] }
                    state.waiters.append(
                        Waiter(id: id, count: count, continuation: continuation))
                    return state.takeReadyWaiters()
                }
                for waiter in ready { waiter.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                guard let index = state.waiters.firstIndex(where: { $0.id == id }) else {
                    state.cancelled.insert(id)
                    return Waiter?.none
                }
                return state.waiters.remove(at: index)
            }
            waiter?.continuation.resume()
        }
        discardCancellation(id)
    }

    /// Sleeps until the clock has been advanced to an instant.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    public func sleep(until instant: ContinuousClock.Instant) async throws {
        let id = newID()
        defer { discardCancellation(id) }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                var failure: (any Error)?
                var hasPassed = false
                let waiters = state.withLock { state in
                    if state.cancelled.remove(id) != nil {
                        failure = CancellationError()
                    } else if instant <= state.now {
                        hasPassed = true
                    } else {
                        state.sleepers.append(
                            Sleeper(id: id, deadline: instant, continuation: continuation))
                    }
                    return state.takeReadyWaiters()
                }
                if let failure { continuation.resume(throwing: failure) }
                if hasPassed { continuation.resume() }
                for waiter in waiters { waiter.resume() }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
                    state.cancelled.insert(id)
                    return Sleeper?.none
                }
                return state.sleepers.remove(at: index)
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    private func newID() -> UInt64 {
        state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }

    /// Discards a cancellation that arrived after the wait had ended.
    private func discardCancellation(_ id: UInt64) {
        _ = state.withLock { $0.cancelled.remove(id) }
    }
}

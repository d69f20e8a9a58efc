// SPDX-License-Identifier: Apache-2.0

public import RestTransport
import Synchronization

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A clock that stands still until a test moves it.
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

    private struct Watcher {
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
        var watchers: [Watcher] = []

        mutating func takeWatchers() -> [CheckedContinuation<Void, Never>] {
            let ready = watchers.filter { $0.count <= sleepers.count }
            watchers.removeAll { $0.count <= sleepers.count }
            return ready.map(\.continuation)
        }
    }

    private let state: Mutex<State>

    /// Makes a clock.
    ///
    /// - Parameter date: The wall-clock time it begins with; 2026-01-01 00:00:00 UTC by default.
    public init(date: Date = Date(timeIntervalSince1970: 1_767_225_600)) {
        state = Mutex(State(date: date))
    }

    /// The wall-clock time, as set or moved; setting it, forward or back, wakes nobody.
    public var date: Date {
        get { state.withLock { $0.date } }
        set { state.withLock { $0.date = newValue } }
    }

    /// The time that only goes forward.
    public var now: ContinuousClock.Instant { state.withLock { $0.now } }

    /// How many tasks wait at this moment.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Moves both times forward and wakes those whose time has come, the earliest first.
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

    /// Waits until as many tasks wait on this clock, or this task is cancelled.
    public func waitForSleepers(_ count: Int = 1) async {
        let id = newID()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ready = state.withLock { state -> [CheckedContinuation<Void, Never>] in
                    if state.cancelled.remove(id) != nil { return [continuation] }
                    state.watchers.append(
                        Watcher(id: id, count: count, continuation: continuation))
                    return state.takeWatchers()
                }
                for watcher in ready { watcher.resume() }
            }
        } onCancel: {
            let watcher = state.withLock { state in
                guard let index = state.watchers.firstIndex(where: { $0.id == id }) else {
                    state.cancelled.insert(id)
                    return Watcher?.none
                }
                return state.watchers.remove(at: index)
            }
            watcher?.continuation.resume()
        }
        forget(id)
    }

    /// Waits until the clock has been moved to an instant.
    ///
    /// - Throws: `CancellationError` when the task was cancelled.
    public func sleep(until instant: ContinuousClock.Instant) async throws {
        let id = newID()
        defer { forget(id) }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                var failure: (any Error)?
                var isOver = false
                let watchers = state.withLock { state in
                    if state.cancelled.remove(id) != nil {
                        failure = CancellationError()
                    } else if instant <= state.now {
                        isOver = true
                    } else {
                        state.sleepers.append(
                            Sleeper(id: id, deadline: instant, continuation: continuation))
                    }
                    return state.takeWatchers()
                }
                if let failure { continuation.resume(throwing: failure) }
                if isOver { continuation.resume() }
                for watcher in watchers { watcher.resume() }
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

    /// Forgets a cancellation that came when nothing was waited for any more.
    private func forget(_ id: UInt64) {
        _ = state.withLock { $0.cancelled.remove(id) }
    }
}

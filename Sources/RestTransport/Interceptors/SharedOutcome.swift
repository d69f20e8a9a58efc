// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The outcome of one piece of work that several tasks wait for.
///
/// A task enters first and waits then, so that what it entered cannot be given up in between.
/// Cancelling a task takes only that task out. Nothing runs under the lock.
final class SharedOutcome<Value: Sendable>: Sendable {
    /// A task's place among those who wait.
    struct Place: Sendable {
        fileprivate let id: Int
    }

    @safe private struct Waiter {
        let id: Int
        let continuation: UnsafeContinuation<Value, any Error>
    }

    private struct State {
        var result: Result<Value, any Error>?
        var isClosed = false
        var lastID = 0
        /// How many have entered and not left.
        var enteredCount = 0
        // Invariant: each continuation is put here once, under the lock, and resumed exactly once,
        // by whoever takes it out under the lock.
        var waiter: Waiter?
        var otherWaiters: [Waiter] = []
        /// Who was cancelled after entering and before waiting.
        var cancelled: [Int] = []

        mutating func add(_ new: Waiter) {
            if waiter == nil {
                waiter = new
            } else {
                otherWaiters.append(new)
            }
        }

        mutating func remove(_ id: Int) -> Waiter? {
            if waiter?.id == id { return waiter.take() }
            guard let index = otherWaiters.firstIndex(where: { $0.id == id }) else { return nil }
            return otherWaiters.remove(at: index)
        }
    }

    private let state = Mutex(State())

    /// Takes a place.
    ///
    /// - Returns: The place, or `nil` when the door is closed.
    func enter() -> Place? {
        state.withLock { state in
            guard !state.isClosed else { return nil }
            state.lastID += 1
            state.enteredCount += 1
            return Place(id: state.lastID)
        }
    }

    /// Lets nobody in any more.
    ///
    /// - Returns: How many have a place.
    func close() -> Int {
        state.withLock { state in
            state.isClosed = true
            return state.enteredCount
        }
    }

    /// Sets the outcome and wakes all who wait; later outcomes are dropped.
    ///
    /// - Returns: Whether this was the first outcome.
    @discardableResult
    func finish(_ result: Result<Value, any Error>) -> Bool {
        var waiter: Waiter?
        var others: [Waiter] = []
        let isFirst = state.withLock { state in
            guard state.result == nil else { return false }
            state.result = result
            swap(&waiter, &state.waiter)
            swap(&others, &state.otherWaiters)
            return true
        }
        unsafe waiter?.continuation.resume(with: result)
        for other in others {
            unsafe other.continuation.resume(with: result)
        }
        return isFirst
    }

    /// Waits for the outcome.
    ///
    /// - Parameter place: The place that this task took.
    /// - Returns: The value that the work ended with.
    /// - Throws: What the work ended with, or `CancellationError` when this task was cancelled.
    func value(at place: Place) async throws -> Value {
        try await withTaskCancellationHandler {
            try await unsafe withUnsafeThrowingContinuation { continuation in
                let result: Result<Value, any Error>? = state.withLock { state in
                    if let index = state.cancelled.firstIndex(of: place.id) {
                        state.cancelled.remove(at: index)
                        return .failure(CancellationError())
                    }
                    if let result = state.result { return result }
                    state.add(unsafe Waiter(id: place.id, continuation: continuation))
                    return nil
                }
                if let result { unsafe continuation.resume(with: result) }
            }
        } onCancel: {
            leave(place)
        }
    }

    /// Takes a place and waits, where nobody closes the door.
    ///
    /// - Throws: As ``value(at:)``.
    func value() async throws -> Value {
        guard let place = enter() else { throw CancellationError() }
        return try await value(at: place)
    }

    private func leave(_ place: Place) {
        let waiter: Waiter? = state.withLock { state in
            guard state.result == nil else { return nil }
            state.enteredCount -= 1
            let waiter = state.remove(place.id)
            if waiter == nil { state.cancelled.append(place.id) }
            return waiter
        }
        unsafe waiter?.continuation.resume(throwing: CancellationError())
    }
}

// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The result of one operation that several tasks wait for.
///
/// A task first enters and then waits, so that the operation is not abandoned in between.
/// Cancelling a task affects only that task. No callback runs under the lock.
final class SharedOutcome<Value: Sendable>: Sendable {
    /// The identity of a task that has entered.
    struct Ticket: Sendable {
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
        /// The number of tasks that have entered and not left.
        var enteredCount = 0
        // Invariant: each continuation is stored once, under the lock, and resumed exactly once, by
        // the function that removes it under the lock.
        var waiter: Waiter?
        var otherWaiters: [Waiter] = []
        /// The tasks that were cancelled after entering and before waiting.
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

    /// Enters the calling task.
    ///
    /// - Returns: The ticket to wait with, or `nil` after ``close()``.
    func enter() -> Ticket? {
        state.withLock { state in
            guard !state.isClosed else { return nil }
            state.lastID += 1
            state.enteredCount += 1
            return Ticket(id: state.lastID)
        }
    }

    /// Refuses further tasks.
    ///
    /// - Returns: The number of tasks that have entered.
    func close() -> Int {
        state.withLock { state in
            state.isClosed = true
            return state.enteredCount
        }
    }

    /// Sets the result and resumes all waiting tasks.
    ///
    /// Later results are ignored.
    ///
    /// - Returns: `true` if this is the first result.
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

    /// Waits for the result.
    ///
    /// - Parameter ticket: The ticket from ``enter()``.
    /// - Returns: The value of the operation.
    /// - Throws: The error of the operation, or `CancellationError` if this task was cancelled.
    func value(for ticket: Ticket) async throws -> Value {
        try await withTaskCancellationHandler {
            try await unsafe withUnsafeThrowingContinuation { continuation in
                let result: Result<Value, any Error>? = state.withLock { state in
                    if let index = state.cancelled.firstIndex(of: ticket.id) {
                        state.cancelled.remove(at: index)
                        return .failure(CancellationError())
                    }
                    if let result = state.result { return result }
                    state.add(unsafe Waiter(id: ticket.id, continuation: continuation))
                    return nil
                }
                if let result { unsafe continuation.resume(with: result) }
            }
        } onCancel: {
            leave(ticket)
        }
    }

    /// Enters and waits for the result; for outcomes that are never closed.
    ///
    /// - Throws: The same errors as ``value(for:)``.
    func value() async throws -> Value {
        guard let ticket = enter() else { throw CancellationError() }
        return try await value(for: ticket)
    }

    private func leave(_ ticket: Ticket) {
        let waiter: Waiter? = state.withLock { state in
            guard state.result == nil else { return nil }
            state.enteredCount -= 1
            let waiter = state.remove(ticket.id)
            if waiter == nil { state.cancelled.append(ticket.id) }
            return waiter
        }
        unsafe waiter?.continuation.resume(throwing: CancellationError())
    }
}

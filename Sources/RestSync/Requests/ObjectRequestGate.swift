// SPDX-License-Identifier: Apache-2.0

import RestPersistence
import Synchronization

/// The turns of the requests that write an object: one at a time, in the order of the calls.
///
/// Requests in parallel could arrive in another order at the server, which would keep an older edit, as
/// could the store, if the responses did.
final class ObjectRequestGate: Sendable {
    private struct Waiter {
        let number: UInt64
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        /// The waiters of each object that a request is writing, the longest waiting first.
        var waiters: [ManagedObjectID: [Waiter]] = [:]
        var lastNumber: UInt64 = 0
    }

    /// The turn of a request, in which the requests that it sends itself, as its interceptors can, do not
    /// wait: they would wait for its end.
    private final class Turn: Sendable {
        private let isOver = Mutex(false)

        /// A Boolean value that indicates whether the request is in progress.
        ///
        /// A task that it has started may outlive it.
        var isCurrent: Bool { !isOver.withLock(\.self) }

        func end() { isOver.withLock { $0 = true } }
    }

    @TaskLocal private static var turn: Turn?

    private let state = Mutex(State())

    /// Calls a closure when no other request writes an object.
    ///
    /// A request that another request sends does not wait.
    ///
    /// - Parameters:
    ///   - id: The object.
    ///   - isolation: The caller's isolation, in which the closure is called.
    ///   - body: The closure.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure; `CancellationError` if the task is cancelled while it waits.
    func run<Result>(
        for id: ManagedObjectID, isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async throws -> Result {
        if Self.turn?.isCurrent == true { return try await body() }
        guard await begin(id) else { throw CancellationError() }
        let turn = Turn()
        defer {
            turn.end()
            end(id)
        }
        return try await Self.$turn.withValue(turn) {
            // A closure is in the isolation of a parameter that it captures; `withValue` would call another
            // one outside of the caller's isolation.
            _ = isolation
            return try await body()
        }
    }

    /// Waits for the turn.
    ///
    /// - Returns: `false` if the task is cancelled before it has the turn.
    private func begin(_ id: ManagedObjectID) async -> Bool {
        let number: UInt64? = state.withLock { state in
            if state.waiters[id] == nil {
                state.waiters[id] = []
                return nil
            }
            state.lastNumber += 1
            return state.lastNumber
        }
        guard let number else { return true }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = state.withLock { state in
                    // The cancellation handler finds no waiter if it has been called already.
                    if Task.isCancelled { return false }
                    if state.waiters[id] == nil {
                        state.waiters[id] = []
                        return true
                    }
                    state.waiters[id]?.append(Waiter(number: number, continuation: continuation))
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let waiter = state.withLock { state -> Waiter? in
                guard let index = state.waiters[id]?.firstIndex(where: { $0.number == number })
                else { return nil }
                return state.waiters[id]?.remove(at: index)
            }
            waiter?.continuation.resume(returning: false)
        }
    }

    private func end(_ id: ManagedObjectID) {
        let next = state.withLock { state -> Waiter? in
            if state.waiters[id]?.isEmpty == false { return state.waiters[id]?.removeFirst() }
            state.waiters[id] = nil
            return nil
        }
        next?.continuation.resume(returning: true)
    }
}

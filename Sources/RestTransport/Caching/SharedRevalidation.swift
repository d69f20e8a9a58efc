// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A running revalidation of a stored response, and the requests that wait for its outcome.
final class SharedRevalidation: Sendable {
    /// The outcome of a revalidation.
    enum Outcome: Sendable {
        /// The stored response was validated, or this one replaced it.
        case stored(CacheEntry)

        /// The server responded with an error, and the stored response was reused instead.
        case staleIfError

        /// The request failed.
        case failed(TransportError)

        /// The response must not be reused for other requests.
        case notShareable

        /// The request was cancelled or timed out; another request must be sent.
        case abandoned
    }

    private struct State {
        var outcome: Outcome?
        var lastWaiter: UInt64 = 0
        var waiters: [UInt64: CheckedContinuation<Outcome, any Error>] = [:]
    }

    private let state = Mutex(State())

    /// The number of waiting requests.
    var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// Resumes all present and future waiters with an outcome.
    func finish(_ outcome: Outcome) {
        let waiters = state.withLock { state in
            state.outcome = outcome
            defer { state.waiters = [:] }
            return state.waiters
        }
        for waiter in waiters.values { waiter.resume(returning: outcome) }
    }

    /// Waits for the outcome.
    ///
    /// - Parameters:
    ///   - request: The waiting request; the wait ends at its deadline.
    ///   - clock: The clock of the deadline.
    /// - Returns: The outcome.
    /// - Throws: ``TransportError`` with code `timedOut`, or `CancellationError`.
    func outcome(
        for request: TransportRequest, clock: any TransportClock
    ) async throws -> Outcome {
        guard let deadline = request.deadline else { return try await wait() }
        return try await withThrowingTaskGroup(of: Outcome.self) { group in
            group.addTask { try await self.wait() }
            group.addTask {
                try await clock.sleep(until: deadline)
                throw (request.limits ?? .default).totalTimeoutError(request, at: .receivingHeader)
            }
            defer { group.cancelAll() }
            guard let outcome = try await group.next() else { throw CancellationError() }
            return outcome
        }
    }

    private func wait() async throws -> Outcome {
        let id = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome: Result<Outcome, any Error>? = state.withLock { state in
                    if let outcome = state.outcome { return .success(outcome) }
                    if Task.isCancelled { return .failure(CancellationError()) }
                    state.waiters[id] = continuation
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.removeValue(forKey: id) }
            waiter?.resume(throwing: CancellationError())
        }
    }
}

/// The running revalidations by stored response.
final class SharedRevalidations: Sendable {
    /// The role of a request in a revalidation.
    enum Role {
        /// The request is sent, and its outcome is shared.
        case leader(SharedRevalidation)

        /// The request waits for the outcome.
        case follower(SharedRevalidation)
    }

    private let current = Mutex<[CacheEntry.Reference: SharedRevalidation]>([:])

    /// The number of requests that wait for the revalidation of another request.
    var waiterCount: Int { current.withLock { $0.values.reduce(0) { $0 + $1.waiterCount } } }

    /// Joins the revalidation of a stored response, or begins one.
    func join(_ entry: CacheEntry.Reference) -> Role {
        current.withLock { current in
            if let shared = current[entry] { return .follower(shared) }
            let shared = SharedRevalidation()
            current[entry] = shared
            return .leader(shared)
        }
    }

    /// Ends a revalidation with the outcome of its leader.
    func finish(_ entry: CacheEntry.Reference, _ outcome: SharedRevalidation.Outcome) {
        current.withLock { $0.removeValue(forKey: entry) }?.finish(outcome)
    }
}

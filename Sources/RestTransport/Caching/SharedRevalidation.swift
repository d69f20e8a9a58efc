// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// One question to the server about a stored response, and all who wait for what comes of it.
final class SharedRevalidation: Sendable {
    /// What came of it.
    enum Outcome: Sendable {
        /// The stored response holds, or this one took its place.
        case answer(CacheEntry)

        /// The server answered with an error, in whose place the stored response was served.
        case insteadOfError

        /// The server could not be asked.
        case failed(TransportError)

        /// The answer was for who asked only.
        case apart

        /// Who asked gave up; somebody else must ask.
        case abandoned
    }

    private struct State {
        var outcome: Outcome?
        var lastWaiter: UInt64 = 0
        var waiters: [UInt64: CheckedContinuation<Outcome, any Error>] = [:]
    }

    private let state = Mutex(State())

    /// How many wait.
    var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// Tells all who wait, and all who will.
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
    ///   - request: Who waits; not beyond its deadline.
    ///   - clock: What its deadline is measured by.
    /// - Returns: What came of it.
    /// - Throws: ``TransportError`` with code `timedOut`, or `CancellationError`.
    func outcome(
        for request: TransportRequest, clock: any TransportClock
    ) async throws -> Outcome {
        guard let deadline = request.deadline else { return try await wait() }
        return try await withThrowingTaskGroup(of: Outcome.self) { group in
            group.addTask { try await self.wait() }
            group.addTask {
                try await clock.sleep(until: deadline)
                throw (request.limits ?? .default).totalTimeRanOut(request, at: .receivingHeader)
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

/// The questions under way, by the stored response that they are about.
final class SharedRevalidations: Sendable {
    /// What somebody who wants to ask is to do.
    enum Role {
        /// Ask, and tell the others.
        case leader(SharedRevalidation)

        /// Wait for who asks.
        case follower(SharedRevalidation)
    }

    private let current = Mutex<[CacheEntry.Reference: SharedRevalidation]>([:])

    /// How many wait for what somebody else asks.
    var waiterCount: Int { current.withLock { $0.values.reduce(0) { $0 + $1.waiterCount } } }

    /// Takes part in asking about a stored response.
    func join(_ entry: CacheEntry.Reference) -> Role {
        current.withLock { current in
            if let shared = current[entry] { return .follower(shared) }
            let shared = SharedRevalidation()
            current[entry] = shared
            return .leader(shared)
        }
    }

    /// Ends what the leader began.
    func finish(_ entry: CacheEntry.Reference, _ outcome: SharedRevalidation.Outcome) {
        current.withLock { $0.removeValue(forKey: entry) }?.finish(outcome)
    }
}

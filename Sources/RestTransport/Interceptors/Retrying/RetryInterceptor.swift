// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Sends an exchange again that failed in a way that may pass.
///
/// Stands first in ``HTTPClient/networkInterceptors``: each hop of a chain of redirects is repeated
/// by itself, and the cache sees only what the attempts ended with. In ``HTTPClient/interceptors``
/// it repeats the whole request instead, after a cache that may answer errors with what it holds.
///
/// ``RetryPolicy`` says what is repeated. A repetition costs a token of its host; when there is none,
/// or when the delay would pass the request's deadline, or after the last attempt, the outcome is
/// delivered as it is: a response with its status, or the error. A body that cannot be replayed is
/// never sent twice, and nothing is repeated once a response has been delivered.
///
/// A class, so that copies of a client share the budgets.
public final class RetryInterceptor: HTTPInterceptor {
    private let policy: RetryPolicy
    private let budget: RetryBudget
    private let generator: Mutex<any RandomNumberGenerator & Sendable>

    /// Makes an interceptor.
    ///
    /// - Parameters:
    ///   - policy: What is repeated, and when.
    ///   - generator: Where the jitter comes from; a test gives it a seed.
    public init(
        _ policy: RetryPolicy = .default,
        generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        self.policy = policy
        budget = RetryBudget(capacity: policy.budgetPerHost)
        self.generator = Mutex(generator)
    }

    /// Sends a request as often as the policy says.
    public func send(
        _ request: TransportRequest, through next: InterceptorChain
    ) async throws -> TransportResponse {
        var attemptCount = 0
        while true {
            attemptCount += 1
            let instant: ContinuousClock.Instant
            do {
                let response = try await next.send(request)
                guard policy.isTransient(response.head) else {
                    budget.succeed(for: request.url, at: next.clock.now)
                    return response
                }
                let imposed = ImposedDelay.of(response.headerFields, date: next.clock.date)
                guard
                    let next = nextAttempt(
                        of: request, after: attemptCount, imposed: imposed, isUnsent: false, next)
                else { return response }
                instant = next
            } catch let error as TransportError {
                guard RetryPolicy.isTransient(error),
                    let next = nextAttempt(
                        of: request, after: attemptCount, imposed: nil,
                        isUnsent: RetryPolicy.isUnsent(error), next)
                else { throw error }
                instant = next
            }
            try await next.clock.sleep(until: instant)
        }
    }

    /// When the next attempt begins, `nil` when there is none.
    private func nextAttempt(
        of request: TransportRequest, after count: Int, imposed: Duration?, isUnsent: Bool,
        _ next: InterceptorChain
    ) -> ContinuousClock.Instant? {
        guard count < policy.attemptCount,
            policy.allowsRepeating(request, isUnsent: isUnsent)
        else { return nil }
        let delay = generator.withLock {
            policy.delay(afterAttempts: count, imposed: imposed, using: &$0)
        }
        let now = next.clock.now
        let instant = now + delay
        if let deadline = request.deadline, instant >= deadline { return nil }
        return budget.take(for: request.url, at: now) ? instant : nil
    }
}

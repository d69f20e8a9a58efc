// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// An interceptor that retries exchanges after transient failures.
///
/// Place it first in ``HTTPClient/networkInterceptors``: then the exchanges of a chain of redirects
/// are retried individually, and the cache sees only the final outcome. In
/// ``HTTPClient/interceptors`` it retries whole requests instead, after a cache that may serve
/// stale responses in place of errors.
///
/// ``RetryPolicy`` decides what is retried. Each retry takes a token from the budget of its host.
/// Without a token, if the delay would exceed the request's deadline or
/// ``RetryPolicy/maximumRetryAfterDelay``, or after the last attempt, the outcome is returned as it
/// is: a response with its status, or the error. A body that cannot be replayed is never sent twice,
/// and nothing is retried once a response has been returned.
///
/// A class, so that copies of a client share the budgets.
public final class RetryInterceptor: HTTPInterceptor {
    private let policy: RetryPolicy
    private let budget: RetryBudget
    private let generator: Mutex<any RandomNumberGenerator & Sendable>

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - policy: The failures to retry, and the delays.
    ///   - generator: The source of the jitter; tests use a seeded one.
    public init(
        _ policy: RetryPolicy = .default,
        generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        self.policy = policy
        budget = RetryBudget(capacity: policy.budgetPerHost)
        self.generator = Mutex(generator)
    }

    /// Sends a request and retries it according to the policy.
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
                    budget.recordSuccess(for: request.url, at: next.clock.now)
                    return response
                }
                let imposed = policy.imposedDelay(of: response.head, at: next.clock.date)
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

    /// Returns the instant of the next attempt; `nil` if there is none.
    private func nextAttempt(
        of request: TransportRequest, after count: Int, imposed: Duration?, isUnsent: Bool,
        _ next: InterceptorChain
    ) -> ContinuousClock.Instant? {
        guard count < policy.attemptCount,
            policy.allowsRetry(request, isUnsent: isUnsent)
        else { return nil }
        let delay = generator.withLock {
            policy.delay(afterAttempts: count, imposed: imposed, using: &$0)
        }
        guard let delay else { return nil }
        let now = next.clock.now
        let instant = now + delay
        if let deadline = request.deadline, instant >= deadline { return nil }
        return budget.take(for: request.url, at: now) ? instant : nil
    }
}

// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The retry budgets of all hosts: a token bucket for each host, from which each retry takes a
/// token.
///
/// Each success adds a tenth of a token, and each second adds one. So retries during an outage add
/// at most a tenth of the successful requests, and one request a second, to the load of a host.
package final class RetryBudget: Sendable {
    private struct Bucket {
        var tokens: Double
        var time: ContinuousClock.Instant
    }

    private static let tokensPerSuccess = 0.1
    private static let tokensPerSecond = 1.0

    private let capacity: Double
    private let buckets = Mutex<[String: Bucket]>([:])
    /// A Boolean value that indicates whether any bucket is not full; successes skip the lock
    /// otherwise.
    private let hasPartialBuckets = Atomic(false)

    /// Creates a budget with full buckets.
    package init(capacity: Int) {
        self.capacity = Double(capacity)
    }

    /// The number of hosts whose bucket is stored.
    package var hostCount: Int { buckets.withLock { $0.count } }

    /// Takes a token from the bucket of a host.
    ///
    /// - Returns: `true` if there was a token.
    package func take(for url: HTTPURL, at now: ContinuousClock.Instant) -> Bool {
        let host = url.authority
        return buckets.withLock { buckets in
            hasPartialBuckets.store(true, ordering: .relaxed)
            if buckets.count >= 64, buckets[host] == nil { removeFull(&buckets, at: now) }
            var bucket = buckets[host] ?? Bucket(tokens: capacity, time: now)
            fill(&bucket, at: now)
            let hasToken = bucket.tokens >= 1
            if hasToken { bucket.tokens -= 1 }
            buckets[host] = bucket
            return hasToken
        }
    }

    /// Adds the tokens for a success.
    package func recordSuccess(for url: HTTPURL, at now: @autoclosure () -> ContinuousClock.Instant)
    {
        guard hasPartialBuckets.load(ordering: .relaxed) else { return }
        let host = url.authority
        let now = now()
        buckets.withLock { buckets in
            guard var bucket = buckets[host] else { return }
            bucket.tokens += Self.tokensPerSuccess
            fill(&bucket, at: now)
            buckets[host] = bucket.tokens < capacity ? bucket : nil
            if buckets.isEmpty { hasPartialBuckets.store(false, ordering: .relaxed) }
        }
    }

    private func fill(_ bucket: inout Bucket, at now: ContinuousClock.Instant) {
        bucket.tokens += max(0, (now - bucket.time) / .seconds(1)) * Self.tokensPerSecond
        bucket.tokens = min(bucket.tokens, capacity)
        bucket.time = now
    }

    private func removeFull(_ buckets: inout [String: Bucket], at now: ContinuousClock.Instant) {
        buckets = buckets.filter { _, bucket in
            var bucket = bucket
            fill(&bucket, at: now)
            return bucket.tokens < capacity
        }
    }
}

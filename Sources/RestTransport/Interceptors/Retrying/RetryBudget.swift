// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What may be repeated to each host: a bucket of tokens, of which each repetition takes one.
///
/// A tenth of a token comes back with each success and one with each second, so an outage adds a
/// tenth and a trickle to the load, however many requests meet it.
package final class RetryBudget: Sendable {
    private struct Bucket {
        var tokens: Double
        var time: ContinuousClock.Instant
    }

    private static let tokensPerSuccess = 0.1
    private static let tokensPerSecond = 1.0

    private let capacity: Double
    private let buckets = Mutex<[String: Bucket]>([:])
    /// Whether any bucket is not full, so that successes need not look.
    private let isTouched = Atomic(false)

    /// Makes a budget whose buckets are full.
    package init(capacity: Int) {
        self.capacity = Double(capacity)
    }

    /// How many hosts are remembered.
    package var hostCount: Int { buckets.withLock { $0.count } }

    /// Takes a token.
    ///
    /// - Returns: Whether there was one.
    package func take(for url: HTTPURL, at now: ContinuousClock.Instant) -> Bool {
        let host = url.authority
        return buckets.withLock { buckets in
            isTouched.store(true, ordering: .relaxed)
            if buckets.count >= 64, buckets[host] == nil { dropFull(&buckets, at: now) }
            var bucket = buckets[host] ?? Bucket(tokens: capacity, time: now)
            fill(&bucket, at: now)
            let isThere = bucket.tokens >= 1
            if isThere { bucket.tokens -= 1 }
            buckets[host] = bucket
            return isThere
        }
    }

    /// Gives back what a success is worth.
    package func succeed(for url: HTTPURL, at now: @autoclosure () -> ContinuousClock.Instant) {
        guard isTouched.load(ordering: .relaxed) else { return }
        let host = url.authority
        let now = now()
        buckets.withLock { buckets in
            guard var bucket = buckets[host] else { return }
            bucket.tokens += Self.tokensPerSuccess
            fill(&bucket, at: now)
            buckets[host] = bucket.tokens < capacity ? bucket : nil
            if buckets.isEmpty { isTouched.store(false, ordering: .relaxed) }
        }
    }

    private func fill(_ bucket: inout Bucket, at now: ContinuousClock.Instant) {
        bucket.tokens += max(0, (now - bucket.time) / .seconds(1)) * Self.tokensPerSecond
        bucket.tokens = min(bucket.tokens, capacity)
        bucket.time = now
    }

    private func dropFull(_ buckets: inout [String: Bucket], at now: ContinuousClock.Instant) {
        buckets = buckets.filter { _, bucket in
            var bucket = bucket
            fill(&bucket, at: now)
            return bucket.tokens < capacity
        }
    }
}

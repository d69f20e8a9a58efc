// SPDX-License-Identifier: Apache-2.0

import Foundation
package import RestTransport

/// The times of the outbox.
package struct OutboxTiming: Sendable, Hashable {
    /// The longest time after which a server may still execute a request whose answer was lost; 5 minutes by
    /// default.
    package var longestLife: Duration
    /// The longest time after which all replicas of the server have a write; zero by default.
    package var replicaLag = Duration.zero
    /// The number of conflicts with the version of the server after which an entry is parked.
    package var conflictLimit: Int
    /// The bounds of the delays; their number of attempts and their methods do not apply.
    package var delays: RetryPolicy

    package init(longestLife: Duration = .seconds(300), conflictLimit: Int = 5) {
        self.longestLife = longestLife
        self.conflictLimit = conflictLimit
        delays = RetryPolicy()
        delays.baseDelay = .seconds(1)
        delays.maximumDelay = .seconds(300)
        delays.maximumRetryAfterDelay = .seconds(24 * 3600)
    }

    /// Returns the time of the next send.
    ///
    /// - Parameters:
    ///   - count: The number of failures in succession.
    ///   - imposed: The delay that the server imposes; a longer one than the maximum is shortened, because
    ///     entries are kept anyway.
    ///   - date: The current time.
    ///   - generator: The source of the jitter.
    /// - Returns: The time.
    func next(
        afterFailures count: Int, imposed: Duration? = nil, at date: Date,
        using generator: inout some RandomNumberGenerator
    ) -> Date {
        let bounded = imposed.map { min($0, delays.maximumRetryAfterDelay) }
        let delay = delays.delay(
            afterAttempts: max(count, 1), imposed: bounded, using: &generator)
        return date.adding(delay ?? delays.maximumRetryAfterDelay)
    }

    /// Returns a time of the next send that is not later than any delay allows, for a clock that was set
    /// back.
    func bounded(_ notBefore: Date, at date: Date) -> Date {
        min(notBefore, date.adding(max(delays.maximumRetryAfterDelay, longestLife)))
    }
}

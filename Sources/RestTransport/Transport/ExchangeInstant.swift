// SPDX-License-Identifier: Apache-2.0

/// An instant of the continuous clock, stored as one integer.
///
/// Each event of an exchange records an instant. `ContinuousClock.Instant` has a resilient layout,
/// so each copy of one is a function call.
package struct ExchangeInstant: Comparable, Sendable {
    /// The nanoseconds since an arbitrary instant in the life of the process.
    private let nanoseconds: Int64

    private static let origin = ContinuousClock.now

    private init(_ sinceOrigin: Duration) {
        let (seconds, attoseconds) = sinceOrigin.components
        // Limits are at most a century, and 64 bits hold nearly three centuries.
        nanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    /// The current instant.
    package static var now: ExchangeInstant { ExchangeInstant(ContinuousClock.now - origin) }

    package static func < (left: ExchangeInstant, right: ExchangeInstant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    package static func + (instant: ExchangeInstant, duration: Duration) -> ExchangeInstant {
        ExchangeInstant(.nanoseconds(instant.nanoseconds) + duration)
    }

    /// Returns the duration between two instants.
    package static func - (later: ExchangeInstant, earlier: ExchangeInstant) -> Duration {
        .nanoseconds(later.nanoseconds - earlier.nanoseconds)
    }
}

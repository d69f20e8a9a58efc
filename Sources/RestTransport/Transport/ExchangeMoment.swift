// SPDX-License-Identifier: Apache-2.0

/// A moment in the life of an exchange.
///
/// A plain number, as each event notes its moment: `ContinuousClock.Instant` may change its layout
/// with the system, so that a copy of one is a call.
package struct ExchangeMoment: Comparable, Sendable {
    /// Since an arbitrary moment in the life of the process.
    private let nanoseconds: Int64

    private static let origin = ContinuousClock.now

    private init(_ sinceOrigin: Duration) {
        let (seconds, attoseconds) = sinceOrigin.components
        // Limits are at most a century, and 64 bits hold nearly three.
        nanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    /// The present.
    package static var now: ExchangeMoment { ExchangeMoment(ContinuousClock.now - origin) }

    package static func < (left: ExchangeMoment, right: ExchangeMoment) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    package static func + (moment: ExchangeMoment, time: Duration) -> ExchangeMoment {
        ExchangeMoment(.nanoseconds(moment.nanoseconds) + time)
    }

    /// The time that one moment is after another.
    package static func - (later: ExchangeMoment, earlier: ExchangeMoment) -> Duration {
        .nanoseconds(later.nanoseconds - earlier.nanoseconds)
    }
}

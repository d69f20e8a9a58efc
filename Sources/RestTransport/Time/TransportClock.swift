// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A clock for dates and for durations.
///
/// One protocol covers both, so that a test advances them together.
public protocol TransportClock: Sendable {
    /// The wall-clock time, for dates in header fields. It may be set back.
    var date: Date { get }

    /// The monotonic time, for limits and delays.
    var now: ContinuousClock.Instant { get }

    /// Suspends the task until an instant.
    ///
    /// - Throws: `CancellationError` if the task was cancelled.
    func sleep(until instant: ContinuousClock.Instant) async throws
}

extension TransportClock where Self == SystemClock {
    /// The system's clock.
    public static var system: SystemClock { SystemClock() }
}

/// The system's clock.
public struct SystemClock: TransportClock {
    /// Creates the clock.
    public init() {}

    /// The system's wall-clock time.
    public var date: Date { Date() }

    /// The system's continuous time.
    public var now: ContinuousClock.Instant { .now }

    /// Suspends the task in real time.
    ///
    /// All tasks wait on one timer of the process, which keeps nothing of a cancelled wait.
    public func sleep(until instant: ContinuousClock.Instant) async throws {
        try await SharedTimer.shared.sleep(until: instant)
    }
}

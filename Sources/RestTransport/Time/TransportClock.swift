// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The time as this package asks for it: what day it is, and how long something takes.
///
/// One clock for both, so that a test moves them together.
public protocol TransportClock: Sendable {
    /// The wall-clock time, for dates in header fields; it may be set back.
    var date: Date { get }

    /// The time that only goes forward, for limits and delays.
    var now: ContinuousClock.Instant { get }

    /// Waits.
    ///
    /// - Throws: `CancellationError` when the task was cancelled.
    func sleep(until instant: ContinuousClock.Instant) async throws
}

extension TransportClock where Self == SystemClock {
    /// The system's clock.
    public static var system: SystemClock { SystemClock() }
}

/// The system's clock.
public struct SystemClock: TransportClock {
    /// Makes the clock.
    public init() {}

    /// The system's wall-clock time.
    public var date: Date { Date() }

    /// The system's continuous time.
    public var now: ContinuousClock.Instant { .now }

    /// Waits in real time.
    public func sleep(until instant: ContinuousClock.Instant) async throws {
        try await ContinuousClock().sleep(until: instant)
    }
}

// SPDX-License-Identifier: Apache-2.0

/// What the time limits of one exchange are judged by.
///
/// A pure value for transports that count limits themselves; whoever holds it sets the alarm.
package struct ExchangeTimes: Sendable {
    /// How far the exchange has come.
    package private(set) var stage: TransportError.Stage

    private let limits: TransportLimits
    private let start: ContinuousClock.Instant
    private var activity: ContinuousClock.Instant
    private var isReaderSlow = false
    private var isSourceSlow = false

    /// Starts the times.
    ///
    /// - Parameters:
    ///   - limits: The limits.
    ///   - stage: The first stage the transport can tell. While it is `connecting`, the connect limit
    ///     stands in the place of the idle limit.
    ///   - now: The time.
    package init(
        limits: TransportLimits, stage: TransportError.Stage, now: ContinuousClock.Instant = .now
    ) {
        self.limits = limits
        self.stage = stage
        start = now
        activity = now
    }

    /// Notes that bytes have moved.
    package mutating func noteActivity(
        _ stage: TransportError.Stage? = nil, at now: ContinuousClock.Instant = .now
    ) {
        activity = now
        if let stage { self.stage = stage }
    }

    /// Stops the idle time: it is the reader who is slow.
    ///
    /// - Returns: Whether it ran before.
    package mutating func suspend() -> Bool {
        defer { isReaderSlow = true }
        return !isReaderSlow
    }

    /// Lets the idle time run again.
    ///
    /// - Returns: Whether it had been stopped.
    package mutating func resume(at now: ContinuousClock.Instant = .now) -> Bool {
        activity = now
        defer { isReaderSlow = false }
        return isReaderSlow
    }

    /// Notes that the source of the request's body is asked for more, or has given it.
    package mutating func noteSource(isSlow: Bool, at now: ContinuousClock.Instant = .now) {
        activity = now
        isSourceSlow = isSlow
    }

    /// Whether it is not the server who is waited for.
    private var isServerWaiting: Bool { isReaderSlow || isSourceSlow }

    /// The first time at which a limit could have run out, also one that is not running yet.
    package func earliestDeadline(
        at now: ContinuousClock.Instant = .now
    ) -> ContinuousClock.Instant? {
        let total = limits.totalTimeout.map { start + $0 }
        let connect = stage == .connecting ? limits.connectTimeout.map { start + $0 } : nil
        // It may begin to run at any time: nobody sets the alarm anew for that.
        let isIdleStopped = isServerWaiting || stage == .connecting
        let idle = limits.idleTimeout.map { (isIdleStopped ? now : activity) + $0 }
        return [total, connect, idle].compactMap { $0 }.min()
    }

    /// The error of the limit that has run out.
    package func expiry(
        of request: TransportRequest, at now: ContinuousClock.Instant = .now
    ) -> TransportError? {
        if let total = limits.totalTimeout, start + total <= now {
            return limits.totalTimeRanOut(request, at: stage)
        }
        if stage == .connecting {
            guard let connect = limits.connectTimeout, start + connect <= now else { return nil }
            return limits.connectTimeRanOut(request)
        }
        if let idle = limits.idleTimeout, !isServerWaiting, activity + idle <= now {
            return limits.idleTimeRanOut(request, at: stage)
        }
        return nil
    }
}

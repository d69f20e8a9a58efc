// SPDX-License-Identifier: Apache-2.0

/// What the time limits of one exchange are judged by.
///
/// A pure value for transports that count limits themselves; whoever holds it sets the alarm.
package struct ExchangeTimes: Sendable {
    /// How far the exchange has come.
    package private(set) var stage: TransportError.Stage

    private let limits: TransportLimits
    private let start: ExchangeMoment
    /// When connecting began; `nil` while the exchange waits its turn for a connection.
    private var connectStart: ExchangeMoment?
    private var activity: ExchangeMoment

    /// Whether the idle time stands still because of the reader.
    package private(set) var isReaderSlow = false
    private var isSourceSlow = false

    /// Whether the server has answered that it wants nothing more of the request's body.
    package private(set) var isRefused = false

    /// Starts the times.
    ///
    /// - Parameters:
    ///   - limits: The limits.
    ///   - stage: The first stage the transport can tell. While it is `connecting`, the connect limit
    ///     stands in the place of the idle limit.
    ///   - isWaiting: Whether a connection may have to be waited for; ``noteConnecting(at:)`` says
    ///     when that is over.
    ///   - now: The time.
    package init(
        limits: TransportLimits, stage: TransportError.Stage, isWaiting: Bool = false,
        now: ExchangeMoment = .now
    ) {
        self.limits = limits
        self.stage = stage
        start = now
        connectStart = isWaiting ? nil : now
        activity = now
    }

    /// Notes that a connection is looked for, by its host's name or its address.
    package mutating func noteConnecting(at now: ExchangeMoment) {
        if connectStart == nil { connectStart = now }
    }

    /// Notes that bytes have moved.
    package mutating func noteActivity(
        _ stage: TransportError.Stage? = nil, at now: ExchangeMoment = .now
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
    package mutating func resume(at now: ExchangeMoment = .now) -> Bool {
        guard isReaderSlow else { return false }
        isReaderSlow = false
        activity = now
        return true
    }

    /// Notes that the source of the request's body is asked for more, or has given it.
    package mutating func noteSource(isSlow: Bool, at now: ExchangeMoment = .now) {
        activity = now
        isSourceSlow = isSlow
    }

    /// Notes that the header has come.
    ///
    /// A server that answers with anything but success wants nothing more of the request's body: from
    /// now on it is waited for, whatever the source does.
    package mutating func noteAnswer(status: Int, at now: ExchangeMoment = .now) {
        noteActivity(.receivingBody, at: now)
        isRefused = status >= 300
    }

    /// Whether it is not the server who is waited for.
    private var isServerWaiting: Bool { isReaderSlow || isSourceSlow && !isRefused }

    /// The first time at which a limit could have run out, also one that is not running yet.
    package func earliestDeadline(
        at now: ExchangeMoment = .now
    ) -> ExchangeMoment? {
        var earliest = limits.totalTimeout.map { start + $0 }
        func consider(_ deadline: ExchangeMoment) {
            earliest = min(earliest ?? deadline, deadline)
        }
        let isConnecting = stage == .connecting
        if isConnecting, let connect = limits.connectTimeout {
            consider((connectStart ?? now) + connect)
        }
        // It may begin to run at any time: nobody sets the alarm anew for that.
        let isIdleStopped = isServerWaiting || isConnecting
        if let idle = limits.idleTimeout { consider((isIdleStopped ? now : activity) + idle) }
        return earliest
    }

    /// The error of the limit that has run out.
    package func expiry(
        of request: TransportRequest, at now: ExchangeMoment = .now
    ) -> TransportError? {
        if let total = limits.totalTimeout, start + total <= now {
            return limits.totalTimeRanOut(request, at: stage)
        }
        if stage == .connecting {
            guard let connectStart, let connect = limits.connectTimeout,
                connectStart + connect <= now
            else { return nil }
            return limits.connectTimeRanOut(request)
        }
        if let idle = limits.idleTimeout, !isServerWaiting, activity + idle <= now {
            return limits.idleTimeRanOut(request, at: stage)
        }
        return nil
    }
}

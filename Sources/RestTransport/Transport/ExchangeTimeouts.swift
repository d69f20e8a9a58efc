// SPDX-License-Identifier: Apache-2.0

/// The state of one exchange's timeouts.
///
/// A pure value for transports that enforce limits themselves; the transport sets the timer.
package struct ExchangeTimeouts: Sendable {
    /// The stage that the exchange has reached.
    package private(set) var stage: TransportError.Stage

    private let limits: TransportLimits
    private let start: ExchangeInstant
    /// The instant when connecting began; `nil` while the exchange waits for a connection.
    private var connectStart: ExchangeInstant?
    private var activity: ExchangeInstant

    /// A Boolean value that indicates whether the idle timeout is suspended because of the reader.
    package private(set) var isReaderSlow = false
    private var isSourceSlow = false

    /// A Boolean value that indicates whether the server's response makes the rest of the request's
    /// body unnecessary.
    package private(set) var isRefused = false

    /// Creates the timeouts of an exchange that starts now.
    ///
    /// - Parameters:
    ///   - limits: The limits.
    ///   - stage: The first stage that the transport can distinguish. In stage `connecting`, the
    ///     connect timeout replaces the idle timeout.
    ///   - isWaiting: Whether the exchange may wait for a connection until ``noteConnecting(at:)``.
    ///   - now: The current instant.
    package init(
        limits: TransportLimits, stage: TransportError.Stage, isWaiting: Bool = false,
        now: ExchangeInstant = .now
    ) {
        self.limits = limits
        self.stage = stage
        start = now
        connectStart = isWaiting ? nil : now
        activity = now
    }

    /// Notes that the transport resolves a host name or connects to an address.
    package mutating func noteConnecting(at now: ExchangeInstant) {
        if connectStart == nil { connectStart = now }
    }

    /// Notes that bytes have been sent or received.
    package mutating func noteActivity(
        _ stage: TransportError.Stage? = nil, at now: ExchangeInstant = .now
    ) {
        activity = now
        if let stage { self.stage = stage }
    }

    /// Suspends the idle timeout because the reader of the response is slow.
    ///
    /// - Returns: `true` if it was running.
    package mutating func suspend() -> Bool {
        defer { isReaderSlow = true }
        return !isReaderSlow
    }

    /// Resumes the idle timeout.
    ///
    /// - Returns: `true` if it was suspended.
    package mutating func resume(at now: ExchangeInstant = .now) -> Bool {
        guard isReaderSlow else { return false }
        isReaderSlow = false
        activity = now
        return true
    }

    /// Notes whether the transport waits for the source of the request's body.
    package mutating func noteSource(isSlow: Bool, at now: ExchangeInstant = .now) {
        activity = now
        isSourceSlow = isSlow
    }

    /// Notes that the header of the response has been received.
    ///
    /// After another status than success, the server needs no more of the request's body, so the
    /// idle timeout runs even if the source of that body is slow.
    package mutating func noteResponse(status: Int, at now: ExchangeInstant = .now) {
        noteActivity(.receivingBody, at: now)
        isRefused = status >= 300
    }

    /// A Boolean value that indicates whether the exchange waits for the reader or the source, not
    /// for the server.
    private var isWaitingLocally: Bool { isReaderSlow || isSourceSlow && !isRefused }

    /// Returns the earliest instant at which a timeout may expire, also one that is suspended.
    package func earliestDeadline(
        at now: ExchangeInstant = .now
    ) -> ExchangeInstant? {
        var earliest = limits.totalTimeout.map { start + $0 }
        func consider(_ deadline: ExchangeInstant) {
            earliest = min(earliest ?? deadline, deadline)
        }
        let isConnecting = stage == .connecting
        if isConnecting, let connect = limits.connectTimeout {
            consider((connectStart ?? now) + connect)
        }
        // It may resume at any time, and resuming does not reset the timer.
        let isIdleSuspended = isWaitingLocally || isConnecting
        if let idle = limits.idleTimeout { consider((isIdleSuspended ? now : activity) + idle) }
        return earliest
    }

    /// Returns the error of the timeout that has expired, or `nil` if none has.
    package func expiry(
        of request: TransportRequest, at now: ExchangeInstant = .now
    ) -> TransportError? {
        if let total = limits.totalTimeout, start + total <= now {
            return limits.totalTimeoutError(request, at: stage)
        }
        if stage == .connecting {
            guard let connectStart, let connect = limits.connectTimeout,
                connectStart + connect <= now
            else { return nil }
            return limits.connectTimeoutError(request)
        }
        if let idle = limits.idleTimeout, !isWaitingLocally, activity + idle <= now {
            return limits.idleTimeoutError(request, at: stage)
        }
        return nil
    }
}

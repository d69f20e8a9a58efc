// SPDX-License-Identifier: Apache-2.0

import RestTransport

/// A moment in the life of a loop.
///
/// A plain number, as each event of each transfer notes its moment: `ContinuousClock.Instant` may
/// change its layout with the system, so that a copy of one is a call.
struct LoopTime: Comparable {
    /// Since the loop began.
    private var nanoseconds: Int64

    static let beginning = LoopTime(nanoseconds: 0)

    private init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The moment so long after the loop began.
    init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        // Limits are at most a century, and 64 bits hold nearly three.
        nanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    static func < (left: LoopTime, right: LoopTime) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    static func + (left: LoopTime, right: LoopTime) -> LoopTime {
        LoopTime(nanoseconds: left.nanoseconds + right.nanoseconds)
    }

    /// The whole milliseconds until another moment, none when it has passed.
    func milliseconds(until other: LoopTime) -> Int64 {
        max(0, (other.nanoseconds - nanoseconds) / 1_000_000)
    }
}

/// When what happened to one transfer, and which of its limits runs out when.
struct TransferTimes {
    /// A limit that has run out.
    enum Expiry {
        case connect
        case idle
        case total
    }

    private var start = LoopTime.beginning
    private var connectStart: LoopTime?
    private var activity: LoopTime?
    private var connectLimit: LoopTime?
    private var idleLimit: LoopTime?
    private var totalLimit: LoopTime?

    mutating func begin(_ limits: TransportLimits, at now: LoopTime) {
        start = now
        connectStart = nil
        activity = nil
        connectLimit = limits.connectTimeout.map { LoopTime($0) }
        idleLimit = limits.idleTimeout.map { LoopTime($0) }
        totalLimit = limits.totalTimeout.map { LoopTime($0) }
    }

    mutating func noteConnecting(at now: LoopTime) {
        if connectStart == nil { connectStart = now }
    }

    mutating func noteActivity(at now: LoopTime) {
        activity = now
    }

    /// The first time at which a limit could have run out, also one that is not running yet.
    func earliestDeadline(isServerWaiting: Bool, at now: LoopTime) -> LoopTime? {
        var earliest = totalLimit.map { start + $0 }
        func consider(_ deadline: LoopTime) {
            earliest = min(earliest ?? deadline, deadline)
        }
        if let idleLimit { consider((isServerWaiting ? now : activity ?? now) + idleLimit) }
        if activity == nil, let connectLimit { consider((connectStart ?? now) + connectLimit) }
        return earliest
    }

    /// The limit that has run out.
    func expiry(isServerWaiting: Bool, at now: LoopTime) -> Expiry? {
        if let totalLimit, start + totalLimit <= now { return .total }
        if let activity {
            guard let idleLimit, !isServerWaiting, activity + idleLimit <= now else { return nil }
            return .idle
        }
        guard let connectStart, let connectLimit, connectStart + connectLimit <= now else {
            return nil
        }
        return .connect
    }
}

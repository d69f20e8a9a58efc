// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import RestTransport

/// Something that goes wrong with one exchange, as a client meets it above a transport.
public struct TransportFault: Sendable, Hashable, CustomStringConvertible {
    enum Storage: Hashable {
        case reset(TransportError.Stage)
        case truncation(Int)
        case wrongLength(Int)
        case slowBody(Int, Duration)
        case garbage
        case garbageBody(UInt64)
        case status(HTTPResponse.Status, HTTPFields)
        case delay(Duration, TransportError.Stage)
    }

    let storage: Storage

    /// The connection is refused, or ends at a stage: while connecting with code `connectionFailed`,
    /// then with `connectionLost`, and in the middle of the body with `incompleteBody`.
    ///
    /// From the header on the request has reached the inner transport, and so the server.
    public static func reset(at stage: TransportError.Stage) -> Self {
        Self(storage: .reset(stage))
    }

    /// The body ends after some bytes, with code `incompleteBody`; one that is not longer is whole.
    public static func truncation(after byteCount: Int) -> Self {
        Self(storage: .truncation(byteCount))
    }

    /// The header announces more bytes than come, or fewer, and the transport does not notice.
    public static func wrongLength(by difference: Int) -> Self {
        Self(storage: .wrongLength(difference))
    }

    /// The body comes in small pieces with a pause before each.
    public static func slowBody(byteCount: Int = 1, every pause: Duration) -> Self {
        Self(storage: .slowBody(byteCount, pause))
    }

    /// What comes in place of a header is none: code `malformedResponse`.
    public static let garbage = Self(storage: .garbage)

    /// The body has its length, and other bytes: random ones of a seed.
    public static func garbageBody(seed: UInt64) -> Self {
        Self(storage: .garbageBody(seed))
    }

    /// The server, or a proxy before it, answers with a status and no body; the inner transport is
    /// not asked.
    public static func status(
        _ status: HTTPResponse.Status, headerFields: HTTPFields = [:]
    ) -> Self {
        Self(storage: .status(status, headerFields))
    }

    /// Nothing happens for a time, before a stage; then the exchange goes on.
    public static func delay(_ time: Duration, at stage: TransportError.Stage) -> Self {
        Self(storage: .delay(time, stage))
    }

    /// What goes wrong, in words.
    public var description: String {
        switch storage {
        case .reset(let stage): "reset while \(stage)"
        case .truncation(let count): "truncation after \(count) bytes"
        case .wrongLength(let difference): "length wrong by \(difference)"
        case .slowBody(let count, let pause): "\(count) bytes every \(pause)"
        case .garbage: "garbage for a header"
        case .garbageBody(let seed): "garbage for a body, seed \(seed)"
        case .status(let status, _): "status \(status.code)"
        case .delay(let time, let stage): "\(time) before \(stage)"
        }
    }
}

/// Which exchange meets which fault.
///
/// ```swift
/// let flaky = FaultPlan.inOrder([.reset(at: .connecting), .status(.serviceUnavailable), nil])
/// let chaos = FaultPlan.random(seed: 42, probability: 0.3, of: [.garbage, .truncation(after: 10)])
/// ```
public struct FaultPlan: Sendable {
    /// Chooses the fault of an exchange, given its place among all, counted from 0.
    public typealias Choice = @Sendable (TransportRequest, _ position: Int) -> TransportFault?

    let choice: Choice

    /// Makes a plan of one's own.
    ///
    /// - Parameter choice: Chooses, for `nil` that nothing goes wrong; several tasks may ask at
    ///   once.
    public init(_ choice: @escaping Choice) {
        self.choice = choice
    }

    /// Every exchange meets the same fault.
    public static func always(_ fault: TransportFault) -> FaultPlan {
        FaultPlan { _, _ in fault }
    }

    /// Each exchange meets the next fault, and nothing goes wrong after the last.
    public static func inOrder(_ faults: [TransportFault?]) -> FaultPlan {
        FaultPlan { _, position in position < faults.count ? faults[position] : nil }
    }

    /// Exchanges meet faults at random, the same ones for the same seed and place.
    ///
    /// - Parameters:
    ///   - seed: Chooses the sequence.
    ///   - probability: How many of the exchanges meet one, from 0 to 1.
    ///   - faults: What can go wrong, each as likely as the other; at least one.
    /// - Returns: The plan.
    public static func random(
        seed: UInt64, probability: Double, of faults: [TransportFault]
    ) -> FaultPlan {
        precondition(!faults.isEmpty, "there is a fault to choose")
        return FaultPlan { _, position in
            var random = SplitMix64(seed: seed)
            var own = SplitMix64(seed: random.next() ^ UInt64(position))
            guard Double.random(in: 0..<1, using: &own) < probability else { return nil }
            return faults[own.next(below: faults.count)]
        }
    }
}

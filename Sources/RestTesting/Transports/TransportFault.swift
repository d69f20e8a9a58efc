// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import RestTransport

/// A fault of one exchange, as a client observes it above a transport.
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

    /// Returns a fault in which the connection is refused or ends at a stage.
    ///
    /// The code is `connectionFailed` while connecting, `incompleteBody` in the middle of the body, and
    /// `connectionLost` otherwise. At the stages of the header and the body, the request has reached
    /// the inner transport.
    public static func reset(at stage: TransportError.Stage) -> Self {
        Self(storage: .reset(stage))
    }

    /// Returns a fault in which the body ends after some bytes, with code `incompleteBody`.
    ///
    /// A body that is not longer is delivered completely.
    public static func truncation(after byteCount: Int) -> Self {
        Self(storage: .truncation(byteCount))
    }

    /// Returns a fault in which `Content-Length` differs from the length of the body, and the transport
    /// does not detect it.
    public static func wrongLength(by difference: Int) -> Self {
        Self(storage: .wrongLength(difference))
    }

    /// Returns a fault in which the body arrives in small pieces with a pause before each.
    public static func slowBody(byteCount: Int = 1, every pause: Duration) -> Self {
        Self(storage: .slowBody(byteCount, pause))
    }

    /// A fault in which the response has no valid header, with code `malformedResponse`.
    public static let garbage = Self(storage: .garbage)

    /// Returns a fault in which the body has the right length, but pseudorandom bytes of a seed.
    public static func garbageBody(seed: UInt64) -> Self {
        Self(storage: .garbageBody(seed))
    }

    /// Returns a fault in which the server or a proxy responds with a status and no body.
    ///
    /// The request does not reach the inner transport.
    public static func status(
        _ status: HTTPResponse.Status, headerFields: HTTPFields = [:]
    ) -> Self {
        Self(storage: .status(status, headerFields))
    }

    /// Returns a fault in which the exchange is delayed before a stage.
    public static func delay(_ time: Duration, at stage: TransportError.Stage) -> Self {
        Self(storage: .delay(time, stage))
    }

    /// The fault in words.
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

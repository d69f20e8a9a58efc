// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// A fault of one exchange with a simulated server.
///
/// Unlike a ``TransportFault``, it says whether the server executes the request.
public struct SimulatedFault: Sendable, Hashable, CustomStringConvertible {
    enum Storage: Sendable, Hashable {
        case unreachable
        case lostRequest
        case lostAnswer
        case lateExecution(Duration)
        case duplicate
        case slowRequest(Duration)
        case slowAnswer(Duration)
        case status(Int, fields: HTTPFields, body: String, isExecuted: Bool)
        case restart
    }

    let storage: Storage

    /// The fault in which no connection is established.
    public static let unreachable = Self(storage: .unreachable)

    /// The fault in which the request is lost after it was sent.
    public static let lostRequest = Self(storage: .lostRequest)

    /// The fault in which the server executes the request, and the answer is lost.
    public static let lostAnswer = Self(storage: .lostAnswer)

    /// The fault in which a proxy sends the request twice and delivers the second answer.
    public static let duplicate = Self(storage: .duplicate)

    /// The fault in which the server restarts before it executes the request, so that the connection is cut.
    public static let restart = Self(storage: .restart)

    /// Returns the fault in which the client waits in vain, and the server executes the request later.
    ///
    /// - Parameter delay: The time after which the request is executed, by the clock of the server.
    /// - Returns: The fault.
    public static func lateExecution(after delay: Duration) -> Self {
        Self(storage: .lateExecution(delay))
    }

    /// Returns the fault in which the request takes some time until it is executed.
    public static func slowRequest(_ delay: Duration) -> Self {
        Self(storage: .slowRequest(delay))
    }

    /// Returns the fault in which the answer takes some time after the request was executed.
    public static func slowAnswer(_ delay: Duration) -> Self { Self(storage: .slowAnswer(delay)) }

    /// Returns the fault in which the server answers with a status.
    ///
    /// - Parameters:
    ///   - status: The status code.
    ///   - headerFields: Header fields, such as `Retry-After`.
    ///   - body: The body, JSON.
    ///   - isExecuted: A Boolean value that indicates whether the request has its effect nevertheless.
    /// - Returns: The fault.
    public static func status(
        _ status: Int, headerFields: HTTPFields = [:], body: String = "{}", isExecuted: Bool = false
    ) -> Self {
        Self(
            storage: .status(status, fields: headerFields, body: body, isExecuted: isExecuted))
    }

    /// The fault in words.
    public var description: String {
        switch storage {
        case .unreachable: "unreachable"
        case .lostRequest: "request lost"
        case .lostAnswer: "answer lost"
        case .lateExecution(let delay): "answer lost, executed after \(delay)"
        case .duplicate: "request sent twice"
        case .slowRequest(let delay): "request slowed by \(delay)"
        case .slowAnswer(let delay): "answer slowed by \(delay)"
        case .status(let status, _, _, let isExecuted):
            "status \(status)\(isExecuted ? " after execution" : "")"
        case .restart: "server restarted"
        }
    }
}

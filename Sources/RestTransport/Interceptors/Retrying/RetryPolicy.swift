// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// Which failures are worth another attempt, and how long to wait before it.
///
/// - Source: RFC 9110 §9.2.2 for what may be repeated, §10.2.3 for Retry-After.
public struct RetryPolicy: Sendable, Hashable {
    /// Statuses after which a request is sent again: 408, 425, 429, 502, 503 and 504 by default.
    ///
    /// They say that the server was not reached, was busy, or wants the request later. 500 is not
    /// among them: it says that the server failed over this very request, and mostly will again. A
    /// 403 counts as 429 when `X-RateLimit-Remaining` is 0.
    public var statusCodes: Set<Int> = [408, 425, 429, 502, 503, 504]

    /// Methods that may be repeated: GET, HEAD, OPTIONS, PUT and DELETE by default.
    ///
    /// Others may be repeated when the request has an `Idempotency-Key` field, or when it failed
    /// before anything could have been sent.
    public var methods: Set<HTTPRequest.Method> = [.get, .head, .options, .put, .delete]

    /// Most attempts, the first one included; 8 by default.
    ///
    /// A last resort: as a rule the deadline of the request or the budget of the host ends them.
    public var attemptCount = 8

    /// The mean of the first delay is half of this; default 250 ms.
    public var baseDelay: Duration = .milliseconds(250)

    /// Longest delay of our own choice; default 20 s.
    public var longestDelay: Duration = .seconds(20)

    /// Longest delay that a server may impose, by `Retry-After` or by the fields of a rate limit;
    /// default 60 s.
    ///
    /// A server that asks for more is asked again after this time.
    public var longestImposedDelay: Duration = .seconds(60)

    /// Attempts that may be repeated to one host without a successful one; default 10.
    public var budgetPerHost = 10

    /// The policy of this package's defaults.
    public static let `default` = RetryPolicy()

    /// Makes a policy with the documented defaults.
    public init() {}

    /// Whether repeating an attempt can do no more than the attempt.
    package func allowsRepeating(_ request: TransportRequest, isUnsent: Bool) -> Bool {
        guard request.body.isReplayable else { return false }
        return isUnsent || methods.contains(request.method)
            || request.headerFields.contains(.idempotencyKey)
    }

    /// Whether a response asks for another attempt.
    package func isTransient(_ head: HTTPResponse) -> Bool {
        let code = head.status.code
        if code < 400 { return false }
        if statusCodes.contains(code) { return true }
        return code == 403 && head.headerFields[.legacyRateLimitRemaining] == "0"
    }

    /// Whether an error may not happen again.
    package static func isTransient(_ error: TransportError) -> Bool {
        switch error.code {
        case .connectionFailed, .connectionLost, .timedOut, .incompleteBody: true
        default: false
        }
    }

    /// Whether an attempt failed before anything of the request could have been sent.
    package static func isUnsent(_ error: TransportError) -> Bool {
        error.stage == .preparing || error.stage == .connecting
    }

    /// The delay before an attempt.
    ///
    /// Our own delay is drawn from zero up to a bound that doubles with each attempt; an imposed
    /// one is kept and a draw added to it, so that not all come back at the same moment.
    ///
    /// - Parameters:
    ///   - count: How many attempts have been made.
    ///   - imposed: The delay that the server asked for.
    ///   - generator: Where the draw comes from.
    /// - Returns: The delay, never negative.
    package func delay(
        afterAttempts count: Int, imposed: Duration?,
        using generator: inout some RandomNumberGenerator
    ) -> Duration {
        let share = Double.random(in: 0..<1, using: &generator)
        if let imposed {
            return min(max(imposed, .zero), longestImposedDelay) + baseDelay * share
        }
        let bound = min(longestDelay / baseDelay, Double(UInt64(1) << UInt64(min(count - 1, 62))))
        return baseDelay * bound * share
    }
}

// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The failures to retry, and the delays between attempts.
///
/// - Source: RFC 9110 §9.2.2 for idempotent methods, §10.2.3 for Retry-After.
public struct RetryPolicy: Sendable, Hashable {
    /// The status codes to retry: 408, 425, 429, 502, 503 and 504 by default.
    ///
    /// They indicate that the server was not reached, was busy, or requests a later attempt. 500 is
    /// not among them: it indicates that the server failed on this request and would probably fail
    /// again. 403 is treated as 429 if it has a `Retry-After` field, as for secondary rate limits, or
    /// if `X-RateLimit-Remaining` is 0.
    public var statusCodes: Set<Int> = [408, 425, 429, 502, 503, 504]

    /// The methods to retry: the idempotent ones by default, which are GET, HEAD, OPTIONS, TRACE, QUERY,
    /// SEARCH, PROPFIND, REPORT, PUT and DELETE.
    ///
    /// Requests with another method are retried if they have an `Idempotency-Key` field, or if they
    /// failed before anything could have been sent.
    public var methods: Set<HTTPRequest.Method> = HTTPRequest.Method.idempotent

    /// The maximum number of attempts, including the first one; 8 by default.
    ///
    /// Usually the deadline of the request or the budget of the host ends the retries earlier.
    public var attemptCount = 8

    /// The upper bound of the first delay; 250 ms by default.
    ///
    /// The mean delay is half of it.
    public var baseDelay: Duration = .milliseconds(250)

    /// The maximum delay if the server imposes none; 20 s by default.
    public var maximumDelay: Duration = .seconds(20)

    /// The maximum delay that a server may impose with `Retry-After` or the fields of a rate limit;
    /// 60 s by default.
    ///
    /// If a server imposes a longer delay, the response is returned at once: an attempt before the
    /// delay has passed would fail again, and can prolong it.
    public var maximumRetryAfterDelay: Duration = .seconds(60)

    /// The number of retries to one host without a success; 10 by default.
    public var budgetPerHost = 10

    /// The default policy.
    public static let `default` = RetryPolicy()

    /// Creates a policy with the documented defaults.
    public init() {}

    /// Returns a Boolean value that indicates whether a request may be sent again.
    package func allowsRetry(_ request: TransportRequest, isUnsent: Bool) -> Bool {
        guard request.body.isReplayable else { return false }
        return isUnsent || methods.contains(request.method)
            || request.headerFields.contains(.idempotencyKey)
    }

    /// Returns a Boolean value that indicates whether a response is a transient failure.
    package func isTransient(_ head: HTTPResponse) -> Bool {
        let code = head.status.code
        if code < 400 { return false }
        if statusCodes.contains(code) { return true }
        return code == 403
            && (head.headerFields.contains(.retryAfter)
                || head.headerFields[.legacyRateLimitRemaining] == "0")
    }

    /// Returns a Boolean value that indicates whether an error is transient.
    package static func isTransient(_ error: TransportError) -> Bool {
        switch error.code {
        case .connectionFailed, .connectionLost, .timedOut, .incompleteBody: true
        default: false
        }
    }

    /// Returns a Boolean value that indicates whether an attempt failed before any part of the
    /// request could have been sent.
    package static func isUnsent(_ error: TransportError) -> Bool {
        error.stage == .preparing || error.stage == .connecting
    }

    /// Returns the delay that a response imposes; `nil` if it imposes none.
    ///
    /// The fields of a rate limit impose one only if the response says that the limit is exceeded: some
    /// servers send them with every response.
    package func imposedDelay(of head: HTTPResponse, at date: Date) -> Duration? {
        let isLimited = head.status.code == 429 || head.status.code == 403
        return RetryAfter.delay(in: head.headerFields, isLimited: isLimited, date: date)
    }

    /// Returns the delay before the next attempt.
    ///
    /// Jitter is added to a delay from the server, so that clients do not retry simultaneously.
    ///
    /// - Parameters:
    ///   - count: The number of attempts so far.
    ///   - imposed: The delay that the server imposed.
    ///   - generator: The source of the jitter.
    /// - Returns: The delay, never negative; `nil` if the server imposed a longer one than
    ///   ``maximumRetryAfterDelay``.
    package func delay(
        afterAttempts count: Int, imposed: Duration?,
        using generator: inout some RandomNumberGenerator
    ) -> Duration? {
        guard let imposed else { return backoff(afterAttempts: count, using: &generator) }
        guard imposed <= maximumRetryAfterDelay else { return nil }
        let jitter = Double.random(in: 0..<1, using: &generator)
        return max(imposed, .zero) + baseDelay * jitter
    }

    /// Returns the delay before the next attempt if the server imposes none.
    ///
    /// It is random between zero and a bound that doubles with each attempt (exponential backoff with
    /// full jitter).
    package func backoff(
        afterAttempts count: Int, using generator: inout some RandomNumberGenerator
    ) -> Duration {
        let jitter = Double.random(in: 0..<1, using: &generator)
        let bound = min(maximumDelay / baseDelay, Double(UInt64(1) << UInt64(min(count - 1, 62))))
        return baseDelay * bound * jitter
    }
}

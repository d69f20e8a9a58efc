// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The delay that a response asks for.
///
/// - Source: RFC 9110 §10.2.3 for Retry-After; draft-ietf-httpapi-ratelimit-headers, all versions,
///   for `RateLimit` and `RateLimit-Reset`; the usage of public APIs for `X-RateLimit-Reset`.
package enum ImposedDelay {
    /// Reads the delay.
    ///
    /// - Parameters:
    ///   - fields: The fields of the response.
    ///   - date: The time of day, from which dates are counted.
    /// - Returns: The delay, never negative; `nil` when none is named that can be read.
    package static func of(_ fields: HTTPFields, date: Date) -> Duration? {
        if let value = fields[.retryAfter] {
            if let seconds = seconds(value[...]) { return seconds }
            if let then = HTTPDate.parse(value, now: date) {
                return until(then.timeIntervalSince(date))
            }
        }
        if let value = fields[.rateLimit], let seconds = parameter(of: value) { return seconds }
        if let value = fields[.rateLimitReset], let seconds = seconds(value[...]) {
            return seconds
        }
        guard let value = fields[.legacyRateLimitReset], let time = seconds(value[...]) else {
            return nil
        }
        // A number this large is a time of day, in seconds since 1970; others are seconds from now.
        return time < .seconds(1_000_000_000)
            ? time : until(time / .seconds(1) - date.timeIntervalSince1970)
    }

    private static func until(_ interval: TimeInterval) -> Duration {
        .seconds(min(max(interval, 0), 1e9))
    }

    /// The time until the reset: `t` of the later versions, `reset` of the earlier ones.
    private static func parameter(of value: String) -> Duration? {
        for part in value.split(whereSeparator: { $0 == ";" || $0 == "," }) {
            let pair = part.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
            if pair.count == 2, pair[0] == "t" || pair[0] == "reset" { return seconds(pair[1]) }
        }
        return nil
    }

    /// Digits, of which those behind a point are dropped.
    private static func seconds(_ text: Substring) -> Duration? {
        let digits = text.utf8.prefix { $0.isDigit }
        let rest = text.utf8.dropFirst(digits.count)
        guard !digits.isEmpty, rest.first == UInt8(ascii: ".") || rest.allSatisfy({ $0 == 0x20 })
        else { return nil }
        // What does not fit is as good as never.
        return .seconds(min(Int64(Substring(digits)) ?? .max, 10_000_000_000))
    }
}

// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
import RestSyntax

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The parser of delays that a response imposes.
///
/// - Source: RFC 9110 §10.2.3 for Retry-After; draft-ietf-httpapi-ratelimit-headers, all versions,
///   for `RateLimit` and `RateLimit-Reset`; the usage of public APIs for `X-RateLimit-Reset`.
package enum RetryAfter {
    /// Returns the delay that header fields impose.
    ///
    /// - Parameters:
    ///   - fields: The fields of the response.
    ///   - isLimited: A Boolean value that indicates whether the fields of a rate limit count.
    ///   - date: The current date, from which dates are counted.
    /// - Returns: The delay, never negative; `nil` if no field contains a valid delay.
    package static func delay(
        in fields: HTTPFields, isLimited: Bool = true, date: Date
    ) -> Duration? {
        if let value = fields[.retryAfter] {
            if let seconds = seconds(value[...]) { return seconds }
            if let then = HTTPDate.parse(value, now: date) {
                return until(then.timeIntervalSince(date))
            }
        }
        guard isLimited else { return nil }
        if let value = fields[.rateLimit], let seconds = parameter(of: value) { return seconds }
        if let value = fields[.rateLimitReset], let seconds = seconds(value[...]) {
            return seconds
        }
        guard let value = fields[.legacyRateLimitReset], let time = seconds(value[...]) else {
            return nil
        }
        // A number this large is a date in seconds since 1970; others are seconds from now.
        return time < .seconds(1_000_000_000)
            ? time : until(time / .seconds(1) - date.timeIntervalSince1970)
    }

    private static func until(_ interval: TimeInterval) -> Duration {
        .seconds(min(max(interval, 0), 1e9))
    }

    /// Returns the time until the reset: parameter `t` in later versions, `reset` in earlier ones.
    private static func parameter(of value: String) -> Duration? {
        for part in value.split(whereSeparator: { $0 == ";" || $0 == "," }) {
            let pair = part.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
            if pair.count == 2, pair[0] == "t" || pair[0] == "reset" { return seconds(pair[1]) }
        }
        return nil
    }

    /// Returns a number of seconds; digits after a decimal point are ignored.
    private static func seconds(_ text: Substring) -> Duration? {
        let digits = text.utf8.prefix { $0.isDigit }
        let rest = text.utf8.dropFirst(digits.count)
        guard !digits.isEmpty, rest.first == UInt8(ascii: ".") || rest.allSatisfy({ $0 == 0x20 })
        else { return nil }
        // Larger values, also those that do not fit, are clamped.
        return .seconds(min(Int64(Substring(digits)) ?? .max, 10_000_000_000))
    }
}

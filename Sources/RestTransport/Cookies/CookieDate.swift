// SPDX-License-Identifier: Apache-2.0

import RestSyntax

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The lenient date format of a cookie's `Expires` attribute.
///
/// - Source: RFC 6265bis §5.1.1.
enum CookieDate {
    private struct Parts {
        var time: (hour: Int, minute: Int, second: Int)?
        var day: Int?
        var month: Int?
        var year: Int?
    }

    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    /// Returns the date in a text, or `nil` if the text has none.
    static func date(_ text: some StringProtocol) -> Date? {
        var parts = Parts()
        for token in text.utf8.split(whereSeparator: { isDelimiter($0) }) {
            read(Array(token), into: &parts)
        }
        guard let time = parts.time, let day = parts.day, let month = parts.month,
            var year = parts.year
        else { return nil }
        if (70...99).contains(year) { year += 1900 }
        if (0...69).contains(year) { year += 2000 }
        guard year >= 1601, time.hour <= 23, time.second <= 59 else { return nil }
        return CivilDate(
            year: year, month: month, day: day, hour: time.hour, minute: time.minute,
            second: time.second
        ).map { Date(timeIntervalSince1970: Double($0.seconds)) }
    }

    private static func read(_ token: [UInt8], into parts: inout Parts) {
        let leading = token.prefix { $0.isDigit }
        if parts.time == nil, let time = time(token) {
            parts.time = time
        } else if parts.day == nil, (1...2).contains(leading.count) {
            parts.day = number(leading)
        } else if parts.month == nil, token.count >= 3,
            let index = months.firstIndex(
                of: String(decoding: token.prefix(3).map { $0.asciiLowercased }, as: UTF8.self))
        {
            parts.month = index + 1
        } else if parts.year == nil, (2...4).contains(leading.count) {
            parts.year = number(leading)
        }
    }

    private static func time(_ token: [UInt8]) -> (hour: Int, minute: Int, second: Int)? {
        let fields = token.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard fields.count >= 3 else { return nil }
        // The grammar allows any bytes after the digits of the seconds.
        let second = fields[2].prefix { $0.isDigit }
        let digits = [fields[0], fields[1], second]
        guard digits.allSatisfy({ (1...2).contains($0.count) && $0.allSatisfy { $0.isDigit } })
        else { return nil }
        return (number(fields[0]), number(fields[1]), number(second))
    }

    private static func number(_ digits: some Sequence<UInt8>) -> Int {
        digits.reduce(0) { $0 * 10 + Int($1 &- UInt8(ascii: "0")) }
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }
}

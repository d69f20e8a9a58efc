// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// A time of day with an offset from UTC: `08:30:06.25+02:00`.
///
/// A leap second (second 60) is valid only in the last minute of a UTC day.
///
/// Source: RFC 3339 section 5.6, `full-time`.
public struct TimeOfDay: Sendable, Hashable {
    /// The hour, 0 to 23.
    public let hour: Int
    /// The minute, 0 to 59.
    public let minute: Int
    /// The second, 0 to 60.
    public let second: Int
    /// The fraction of the second in nanoseconds.
    public let nanosecond: Int
    /// The offset in seconds east of Greenwich, in whole minutes.
    public let offset: Int

    /// Creates a time; nil if there is no such time.
    public init?(
        hour: Int, minute: Int, second: Int = 0, nanosecond: Int = 0, offset: Int = 0
    ) {
        guard 0...23 ~= hour, 0...59 ~= minute, 0...60 ~= second,
            0...999_999_999 ~= nanosecond, abs(offset) < 86_400, offset % 60 == 0,
            second < 60 || Self.isLast(hour * 60 + minute - offset / 60)
        else { return nil }
        self.hour = hour
        self.minute = minute
        self.second = second
        self.nanosecond = nanosecond
        self.offset = offset
    }

    /// Returns a Boolean value that indicates whether a number of minutes since midnight is the
    /// last minute of a UTC day.
    private static func isLast(_ minutes: Int) -> Bool { (minutes % 1440 + 1440) % 1440 == 1439 }
}

extension TimeOfDay: LosslessStringConvertible {
    /// Creates a time from text such as `08:30:06Z`, with or without a fraction, which is rounded
    /// to nine digits; nil for any other text.
    public init?(_ description: String) {
        let bytes = Array("1970-01-01T".utf8) + Array(description.utf8)
        guard let fields = DateText.iso8601(bytes.span), fields.isRFC3339 else {
            return nil
        }
        self.init(
            hour: fields.hour, minute: fields.minute, second: fields.second,
            nanosecond: min(Int((fields.fraction * 1e9).rounded()), 999_999_999),
            offset: fields.offset ?? 0)
    }

    /// The time as `08:30:06Z`, with as many fraction digits as necessary.
    public var description: String {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        var text = "\(two(hour)):\(two(minute)):\(two(second))"
        if nanosecond > 0 {
            var digits = String(1_000_000_000 + nanosecond).dropFirst()
            while digits.last == "0" { digits = digits.dropLast() }
            text += ".\(digits)"
        }
        if offset == 0 { return text + "Z" }
        let minutes = abs(offset) / 60
        return text + "\(offset < 0 ? "-" : "+")\(two(minutes / 60)):\(two(minutes % 60))"
    }
}

extension TimeOfDay: MappableValue {
    /// Converts text such as `08:30:06Z`.
    public static func map(from source: ValueSource) throws(MappingFailure) -> TimeOfDay {
        try source.lossless("a time such as 08:30:06Z")
    }

    /// Writes the text of the description.
    public func write(to writer: inout RequestWriter) {
        writer.string(description)
    }
}

// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestSyntax

/// A day without a time and zone, such as a birthday: `1982-11-27`.
///
/// Source: RFC 3339 section 5.6, `full-date`.
public struct CalendarDate: Sendable, Hashable, Comparable {
    /// The year of the Gregorian calendar, 0 to 9999.
    public let year: Int
    /// The month, 1 to 12.
    public let month: Int
    /// The day of the month, from 1.
    public let day: Int

    /// Creates a day; nil if the calendar has no such day.
    public init?(year: Int, month: Int, day: Int) {
        guard 0...9999 ~= year, CivilDate(year: year, month: month, day: day) != nil else {
            return nil
        }
        self.year = year
        self.month = month
        self.day = day
    }

    /// Returns a Boolean value that indicates whether a day is before another.
    public static func < (left: CalendarDate, right: CalendarDate) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }
}

extension CalendarDate: LosslessStringConvertible {
    /// Creates a day from text such as `1982-11-27`; nil for any other text.
    public init?(_ description: String) {
        let bytes = Array(description.utf8)
        guard bytes.count == 10, let fields = DateText.iso8601(bytes.span) else { return nil }
        self.init(year: fields.year, month: fields.month, day: fields.day)
    }

    /// The day as `1982-11-27`.
    public var description: String {
        CivilDate(year: year, month: month, day: day)
            .map { DatePattern.yearMonthDay.text(of: $0, offset: 0) } ?? ""
    }
}

extension CalendarDate: MappableValue {
    /// Converts text such as `1982-11-27`.
    public static func map(from source: ValueSource) throws(MappingFailure) -> CalendarDate {
        try source.lossless("a day such as 1982-11-27")
    }

    /// Writes the text of the description.
    public func write(to writer: inout RequestWriter) {
        writer.string(description)
    }
}

extension ValueSource {
    /// Converts text to the value it describes losslessly.
    func lossless<Value: LosslessStringConvertible>(
        _ expected: String
    ) throws(MappingFailure) -> Value {
        guard let text = view.string() else { throw mismatch(expected) }
        guard let value = Value(text) else { throw failure(.malformedValue, expected) }
        return value
    }
}

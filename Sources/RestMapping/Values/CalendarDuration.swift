// SPDX-License-Identifier: Apache-2.0

/// A duration in units of calendars and clocks: `P1Y2M3DT4H5M6S`, or `P2W`.
///
/// Its length depends on its beginning, so units are not combined.
///
/// Source: RFC 3339 appendix A, `duration`.
public struct CalendarDuration: Sendable, Hashable {
    /// The number of years.
    public private(set) var years: UInt = 0
    /// The number of months.
    public private(set) var months: UInt = 0
    /// The number of weeks, which excludes all other units.
    public private(set) var weeks: UInt = 0
    /// The number of days.
    public private(set) var days: UInt = 0
    /// The number of hours.
    public private(set) var hours: UInt = 0
    /// The number of minutes.
    public private(set) var minutes: UInt = 0
    /// The number of seconds.
    public private(set) var seconds: UInt = 0

    /// Creates a duration in weeks.
    public init(weeks: UInt) { self.weeks = weeks }

    /// Creates a duration in other units.
    public init(
        years: UInt = 0, months: UInt = 0, days: UInt = 0, hours: UInt = 0, minutes: UInt = 0,
        seconds: UInt = 0
    ) {
        self.years = years
        self.months = months
        self.days = days
        self.hours = hours
        self.minutes = minutes
        self.seconds = seconds
    }
}

extension CalendarDuration: LosslessStringConvertible {
    /// Creates a duration from text with whole numbers of adjacent units; nil for any other text.
    ///
    /// Also nil for a number beyond `UInt`, which the grammar allows.
    public init?(_ description: String) {
        var rest = Array(description.utf8)[...]
        self.init()
        guard rest.popFirst() == UInt8(ascii: "P") else { return nil }
        if rest.last == UInt8(ascii: "W") {
            guard Self.take(&rest, UInt8(ascii: "W"), &weeks), rest.isEmpty else { return nil }
            return
        }
        let time = rest.firstIndex(of: UInt8(ascii: "T"))
        var dates = rest[..<(time ?? rest.endIndex)]
        guard
            Self.read(
                &dates,
                [
                    (UInt8(ascii: "Y"), \.years), (UInt8(ascii: "M"), \.months),
                    (UInt8(ascii: "D"), \.days),
                ],
                into: &self)
        else { return nil }
        guard let time else {
            if rest.isEmpty { return nil }
            return
        }
        var times = rest[(time + 1)...]
        guard !times.isEmpty,
            Self.read(
                &times,
                [
                    (UInt8(ascii: "H"), \.hours), (UInt8(ascii: "M"), \.minutes),
                    (UInt8(ascii: "S"), \.seconds),
                ], into: &self)
        else { return nil }
    }

    private typealias Unit = (letter: UInt8, part: WritableKeyPath<CalendarDuration, UInt>)

    /// Parses numbers with their units, in order and without a gap between two units.
    private static func read(
        _ text: inout ArraySlice<UInt8>, _ units: [Unit], into duration: inout CalendarDuration
    ) -> Bool {
        var hasUnit = false
        for unit in units where !text.isEmpty {
            if take(&text, unit.letter, &duration[keyPath: unit.part]) {
                hasUnit = true
            } else if hasUnit {
                return false
            }
        }
        return text.isEmpty
    }

    /// Parses a number that ends with a unit.
    private static func take(
        _ text: inout ArraySlice<UInt8>, _ unit: UInt8, _ number: inout UInt
    ) -> Bool {
        let digits = text.prefix { $0 &- UInt8(ascii: "0") < 10 }
        guard let value = UInt(String(decoding: digits, as: UTF8.self)),
            text.dropFirst(digits.count).first == unit
        else { return false }
        number = value
        text = text.dropFirst(digits.count + 1)
        return true
    }

    /// The duration with the units that it needs; `PT0S` for an empty one.
    ///
    /// A zero between two other units is written, as the grammar requires.
    public var description: String {
        if weeks != 0 { return "P\(weeks)W" }
        let date = Self.text([(years, "Y"), (months, "M"), (days, "D")])
        let time = Self.text([(hours, "H"), (minutes, "M"), (seconds, "S")])
        if date.isEmpty, time.isEmpty { return "PT0S" }
        return time.isEmpty ? "P\(date)" : "P\(date)T\(time)"
    }

    private static func text(_ units: [(number: UInt, letter: String)]) -> String {
        guard let first = units.firstIndex(where: { $0.number != 0 }),
            let last = units.lastIndex(where: { $0.number != 0 })
        else { return "" }
        return units[first...last].map { "\($0.number)\($0.letter)" }.joined()
    }
}

extension CalendarDuration: MappableValue {
    /// Converts text such as `P1DT12H`.
    public static func map(from source: ValueSource) throws(MappingFailure) -> CalendarDuration {
        try source.lossless("a duration such as P1DT12H")
    }

    /// Writes the text of the description.
    public func write(to writer: inout RequestWriter) {
        writer.string(description)
    }
}

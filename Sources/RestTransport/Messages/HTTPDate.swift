// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The dates of header fields.
///
/// - Source: RFC 9110 §5.6.7.
public enum HTTPDate {
    /// Reads a date in one of the three forms of the RFC.
    ///
    /// `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` and
    /// `Sun Nov  6 08:49:37 1994`, with names in any case, and nothing else: no other zone, no other
    /// number of digits or blanks. The name of the day must be one but is not compared with the
    /// date.
    ///
    /// - Parameters:
    ///   - text: The value of a field.
    ///   - now: What a year of two digits is at most 50 years after; the present by default.
    /// - Returns: The exact instant, or `nil` when the text is not such a date.
    public static func parse(_ text: String, now: Date? = nil) -> Date? {
        var reader = HTTPDateReader(text)
        guard let fields = reader.read() else { return nil }
        var year = fields.year
        if fields.hasShortYear {
            let now = now ?? Date()
            let present = CivilDate(
                dayNumber: Int((now.timeIntervalSince1970 / 86_400).rounded(.down)))
            year += present.year - present.year % 100
            // More than 50 years ahead means the most recent such year.
            if let date = date(fields, year: year), date > now.addingTimeInterval(fiftyYears) {
                year -= 100
            }
        }
        return date(fields, year: year)
    }

    /// Writes a date in the form that the RFC wants written, `Sun, 06 Nov 1994 08:49:37 GMT`.
    ///
    /// - Parameter date: An instant in the years 0 to 9999, else the nearest one; fractions of a
    ///   second are dropped.
    /// - Returns: 29 characters.
    public static func format(_ date: Date) -> String {
        let limits = -62_167_219_200.0...253_402_300_799.0
        let time = min(max(date.timeIntervalSince1970, limits.lowerBound), limits.upperBound)
        let seconds = Int(time.rounded(.down))
        let dayNumber = Int((Double(seconds) / 86_400).rounded(.down))
        let second = seconds - dayNumber * 86_400
        let day = CivilDate(dayNumber: dayNumber)
        let weekday = ((dayNumber + 4) % 7 + 7) % 7
        return "\(weekdays[weekday].prefix(3)), \(digits(day.day)) \(months[day.month - 1]) "
            + "\(digits(day.year / 100))\(digits(day.year % 100)) "
            + "\(digits(second / 3600)):\(digits(second / 60 % 60)):\(digits(second % 60)) GMT"
    }

    static let weekdays = [
        "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
    ]

    static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static let fiftyYears = 50 * 365.2425 * 86_400

    private static func digits(_ value: Int) -> String {
        value < 10 ? "0\(value)" : "\(value)"
    }

    private static func date(_ fields: HTTPDateReader.Fields, year: Int) -> Date? {
        let day = CivilDate(year: year, month: fields.month, day: fields.day)
        guard CivilDate(dayNumber: day.dayNumber) == day else { return nil }
        return Date(timeIntervalSince1970: Double(day.dayNumber * 86_400 + fields.second))
    }
}

/// A day of the Gregorian calendar.
///
/// - Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
private struct CivilDate: Equatable {
    var year: Int
    var month: Int
    var day: Int

    init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// The day so many days after 1970-01-01.
    init(dayNumber: Int) {
        let shifted = dayNumber + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// How many days it is after 1970-01-01.
    var dayNumber: Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}

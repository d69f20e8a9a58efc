// SPDX-License-Identifier: Apache-2.0

import RestSyntax

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The date format of HTTP header fields.
///
/// - Source: RFC 9110 §5.6.7.
public enum HTTPDate {
    /// Returns the instant of a date in one of the three formats of RFC 9110.
    ///
    /// The formats are `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` and
    /// `Sun Nov  6 08:49:37 1994`, with names in any case. Other zones and other numbers of digits
    /// or spaces are invalid. The day's name must be valid, but is not compared with the date.
    ///
    /// - Parameters:
    ///   - text: A field value.
    ///   - now: The instant that a two-digit year is at most 50 years after; the present by
    ///     default.
    /// - Returns: The exact instant, or `nil` if the text is not such a date.
    public static func parse(_ text: String, now: Date? = nil) -> Date? {
        var reader = HTTPDateReader(text)
        guard let fields = reader.read() else { return nil }
        var year = fields.year
        if fields.hasShortYear {
            let now = now ?? Date()
            let present = CivilDay(
                dayNumber: Int((now.timeIntervalSince1970 / 86_400).rounded(.down)))
            year += present.year - present.year % 100
            // A year more than 50 years ahead is in the most recent century instead.
            if let date = date(fields, year: year), date > now.addingTimeInterval(fiftyYears) {
                year -= 100
            }
        }
        return date(fields, year: year)
    }

    /// Returns a date in the preferred format, `Sun, 06 Nov 1994 08:49:37 GMT`.
    ///
    /// - Parameter date: An instant. Instants outside of the years 0 to 9999 are clamped to them;
    ///   fractions of a second are truncated.
    /// - Returns: A text of 29 characters.
    public static func format(_ date: Date) -> String {
        let limits = Double(CivilDate.firstSecond)...Double(CivilDate.endSecond - 1)
        let time = min(max(date.timeIntervalSince1970, limits.lowerBound), limits.upperBound)
        let seconds = Int(time.rounded(.down))
        let dayNumber = Int((Double(seconds) / 86_400).rounded(.down))
        let second = seconds - dayNumber * 86_400
        let day = CivilDay(dayNumber: dayNumber)
        let weekday = CivilDay.weekday(ofDayNumber: dayNumber)
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
        CivilDay(year: year, month: fields.month, day: fields.day).map {
            Date(timeIntervalSince1970: Double($0.dayNumber * 86_400 + fields.secondOfDay))
        }
    }
}

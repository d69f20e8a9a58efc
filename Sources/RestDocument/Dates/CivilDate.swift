// SPDX-License-Identifier: Apache-2.0

/// A moment read off text, in whole seconds and a fraction since 1970-01-01T00:00:00Z.
///
/// The proleptic Gregorian calendar, no time zone data, no locale: formatters cost a thousand times
/// more on Linux.
package struct CivilDate: Sendable {
    package var seconds: Int
    package var fraction: Double = 0

    /// Seconds since 1970 as the standard library's dates count them.
    package var secondsSince1970: Double { Double(seconds) + fraction }

    /// The moment of a date and time of day in UTC, or nil if there is no such date.
    ///
    /// A leap second (23:59:60) is the first second of the next minute.
    package init?(
        year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0,
        fraction: Double = 0, offset: Int = 0
    ) {
        guard 1...12 ~= month, day >= 1, day <= Self.days(in: month, of: year),
            0...23 ~= hour || (hour == 24 && minute == 0 && second == 0),
            0...59 ~= minute, 0...60 ~= second
        else { return nil }
        let time = hour * 3600 + minute * 60 + second
        seconds = Self.days(to: year, month, day) * 86_400 + time - offset
        self.fraction = fraction
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
        case 4, 6, 9, 11: return 30
        default: return 31
        }
    }

    /// Days from 1970-01-01, counting years from March so that the leap day comes last.
    private static func days(to year: Int, _ month: Int, _ day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}

// SPDX-License-Identifier: Apache-2.0

/// A day of the proleptic Gregorian calendar.
package struct CivilDay: Sendable, Hashable {
    /// The year; 0 is 1 BC.
    package let year: Int

    /// The month, from 1 to 12.
    package let month: Int

    /// The day of the month, from 1.
    package let day: Int

    /// The supported years.
    @inlinable package static var years: ClosedRange<Int> { -9_999...9_999_999 }

    /// Creates a day, or returns `nil` if the calendar has no such day or the year is not
    /// supported.
    @inlinable
    package init?(year: Int, month: Int, day: Int) {
        guard Self.years ~= year, 1...12 ~= month, day >= 1,
            day <= Self.dayCount(ofMonth: month, in: year)
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// Creates the day that is a number of days after 1970-01-01.
    ///
    /// - Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
    @inlinable
    package init(dayNumber: Int) {
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

    /// The number of days since 1970-01-01.
    @inlinable package var dayNumber: Int { Self.dayNumber(year, month, day) }

    /// Returns the day of the week that a day number falls on, from 0 for Sunday to 6 for Saturday.
    @inlinable
    package static func weekday(ofDayNumber dayNumber: Int) -> Int {
        ((dayNumber + 4) % 7 + 7) % 7
    }

    /// Returns the number of days in a month.
    @inlinable
    package static func dayCount(ofMonth month: Int, in year: Int) -> Int {
        switch month {
        case 2: return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
        case 4, 6, 9, 11: return 30
        default: return 31
        }
    }

    /// Returns the number of days from 1970-01-01 to a valid day of a supported year.
    ///
    /// Years are counted from March, so that the leap day comes last, and from 10,000 years before
    /// the year 0, so that no count is negative.
    ///
    /// - Source: Neri and Schneider, "Euclidean affine functions and their application to calendar
    ///   algorithms", 2022.
    @inlinable
    package static func dayNumber(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let isBeforeMarch = month <= 2
        let years = UInt(year &+ 10_000 &- (isBeforeMarch ? 1 : 0))
        let months = UInt(isBeforeMarch ? month &+ 12 : month)
        let centuries = years / 100
        let days =
            (1461 &* years) >> 2 &- centuries &+ centuries >> 2 &+ (979 &* months &- 2919) >> 5
        return Int(days) &+ day &- 4_371_894
    }
}

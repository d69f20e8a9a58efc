// SPDX-License-Identifier: Apache-2.0

/// An instant, counted in whole seconds and a fraction since 1970-01-01T00:00:00Z.
///
/// The calendar is the proleptic Gregorian one, without time zones and locales: Foundation's
/// formatters take a thousand times as long on Linux.
package struct CivilDate: Sendable {
    /// The whole seconds since 1970-01-01T00:00:00Z.
    package var seconds: Int

    /// The fraction of a second, from 0 to less than 1.
    package var fraction: Double = 0

    /// The seconds since 1970-01-01T00:00:00Z with their fraction.
    @inlinable package var secondsSince1970: Double { Double(seconds) + fraction }

    /// Creates the instant of a date and time of day, or returns `nil` if the calendar has no such
    /// date or the year is not one of ``CivilDay/years``.
    ///
    /// A leap second (23:59:60) becomes the first second of the next minute.
    ///
    /// - Parameters:
    ///   - year: The year.
    ///   - month: The month, from 1.
    ///   - day: The day of the month, from 1.
    ///   - hour: The hour, from 0 to 23, or 24 at the end of a day.
    ///   - minute: The minute, from 0.
    ///   - second: The second, from 0 to 60.
    ///   - fraction: The fraction of a second.
    ///   - offset: The seconds east of Greenwich.
    @inlinable
    package init?(
        year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0,
        fraction: Double = 0, offset: Int = 0
    ) {
        guard let date = CivilDay(year: year, month: month, day: day),
            0...23 ~= hour || (hour == 24 && minute == 0 && second == 0),
            0...59 ~= minute, 0...60 ~= second
        else { return nil }
        let time = hour * 3600 + minute * 60 + second
        seconds = date.dayNumber * 86_400 + time - offset
        self.fraction = fraction
    }

    /// Creates the instant of a date in UTC, or returns `nil` if the calendar has no such date.
    ///
    /// - Parameters:
    ///   - year: A year from 0 to 9999.
    ///   - month: The month; any number.
    ///   - day: The day of the month; any number.
    ///   - time: The seconds since midnight, less than a day.
    @inlinable @inline(__always)
    package init?(year: Int, month: Int, day: Int, time: Int) {
        guard 1...12 ~= month, day >= 1,
            day <= 28 || day <= CivilDay.dayCount(ofMonth: month, in: year)
        else { return nil }
        seconds = CivilDay.dayNumber(year, month, day) &* 86_400 &+ time
    }

    /// Creates an instant, rounded to a number of decimals, or returns `nil` outside of the years 0
    /// to 9999, which have four digits.
    ///
    /// An instant that would round to the year 10,000 is truncated instead.
    ///
    /// - Parameters:
    ///   - interval: The seconds since 1970-01-01T00:00:00Z.
    ///   - digits: The number of decimals, at most nine; 0 truncates, `nil` does not round.
    @inlinable
    package init?(secondsSince1970 interval: Double, digits: Int? = nil) {
        guard interval >= Double(Self.firstSecond), interval < Double(Self.endSecond) else {
            return nil
        }
        let whole = interval.rounded(.down)
        seconds = Int(whole)
        guard let digits else {
            fraction = interval - whole
            return
        }
        guard digits > 0 else { return }
        let scale = Self.scale(digits)
        let units = ((interval - whole) * scale).rounded()
        if units < scale {
            fraction = units / scale
        } else if seconds + 1 < Self.endSecond {
            seconds += 1
        } else {
            // The last instant of the year 9999 stays in it.
            fraction = (scale - 1) / scale
        }
    }

    /// Returns ten to the power of a number of digits.
    @inlinable
    package static func scale(_ digits: Int) -> Double {
        var scale = 1.0
        for _ in 0..<digits { scale *= 10 }
        return scale
    }

    /// The first second of the year 0.
    @inlinable package static var firstSecond: Int { -62_167_219_200 }

    /// The first second of the year 10,000.
    @inlinable package static var endSecond: Int { 253_402_300_800 }
}

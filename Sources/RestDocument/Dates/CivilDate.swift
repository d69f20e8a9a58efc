// SPDX-License-Identifier: Apache-2.0

/// A moment in whole seconds and a fraction since 1970-01-01T00:00:00Z.
///
/// The proleptic Gregorian calendar, no time zone data, no locale: formatters cost a thousand times
/// more on Linux.
package struct CivilDate: Sendable {
    package var seconds: Int
    package var fraction: Double = 0

    /// Seconds since 1970 as the standard library's dates count them.
    package var secondsSince1970: Double { Double(seconds) + fraction }

    /// The moment of a date and time of day in UTC, or nil if there is no such date, or none that is
    /// counted here: years are -9999 to 9,999,999.
    ///
    /// A leap second (23:59:60) is the first second of the next minute.
    package init?(
        year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0,
        fraction: Double = 0, offset: Int = 0
    ) {
        guard -9_999...9_999_999 ~= year, 1...12 ~= month, day >= 1,
            day <= Self.days(in: month, of: year),
            0...23 ~= hour || (hour == 24 && minute == 0 && second == 0),
            0...59 ~= minute, 0...60 ~= second
        else { return nil }
        let time = hour * 3600 + minute * 60 + second
        seconds = Self.days(to: year, month, day) * 86_400 + time - offset
        self.fraction = fraction
    }

    /// The moment of a date and so many seconds of a day in UTC, or nil if there is no such date.
    ///
    /// - Parameters:
    ///   - year: Of four digits.
    ///   - month: Any number, here and below.
    ///   - day: Any number.
    ///   - time: Less than a day.
    @inline(__always)
    init?(year: Int, month: Int, day: Int, time: Int) {
        guard 1...12 ~= month, day >= 1, day <= 28 || day <= Self.days(in: month, of: year) else {
            return nil
        }
        seconds = Self.days(to: year, month, day) &* 86_400 &+ time
    }

    /// The moment that written fields name, in their zone or else in another.
    package init?(_ fields: DateFields, offset: Int = 0) {
        self.init(
            year: fields.year, month: fields.month, day: fields.day, hour: fields.hour,
            minute: fields.minute, second: fields.second, fraction: fields.fraction,
            offset: fields.offset ?? offset)
    }

    /// A moment rounded to so many digits of a second, at most nine; for none it is cut, and for
    /// nil it is as it is.
    ///
    /// - Returns: Nil outside of the years 0 to 9999, which texts have no room for.
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
        if units >= scale {
            guard seconds + 1 < Self.endSecond else { return nil }
            seconds += 1
        } else {
            fraction = units / scale
        }
    }

    /// Ten to the number of digits.
    package static func scale(_ digits: Int) -> Double {
        var scale = 1.0
        for _ in 0..<digits { scale *= 10 }
        return scale
    }

    private static let firstSecond = -62_167_219_200  // 0000-01-01T00:00:00Z
    static let endSecond = 253_402_300_800  // 10000-01-01T00:00:00Z

    /// How many days a month has.
    package static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
        case 4, 6, 9, 11: return 30
        default: return 31
        }
    }

    /// Days from 1970-01-01, counting years from March so that the leap day comes last.
    ///
    /// Source: Neri and Schneider, Euclidean affine functions and their application to calendar
    /// algorithms, 2022.
    private static func days(to year: Int, _ month: Int, _ day: Int) -> Int {
        let isBeforeMarch = month <= 2
        let years = UInt(year &+ yearsBefore &- (isBeforeMarch ? 1 : 0))
        let months = UInt(isBeforeMarch ? month &+ 12 : month)
        let centuries = years / 100
        let days =
            (1461 &* years) >> 2 &- centuries &+ centuries >> 2 &+ (979 &* months &- 2919) >> 5
        return Int(days) &+ day &- 4_371_894
    }

    /// Years that are counted from, in front of the year 0, so that none is less than zero.
    private static let yearsBefore = 10_000
}

/// A date and time of day as they are written down.
package struct DateFields: Sendable {
    package var year = 1970
    package var month = 1
    package var day = 1
    package var hour = 0
    package var minute = 0
    package var second = 0
    package var fraction = 0.0
    /// Seconds east of Greenwich; nil where no zone is written.
    package var offset: Int?
    /// What the text had of ISO 8601's parts.
    package var form = ISOForm.day
    /// Whether they are those of RFC 3339.
    package var isRFC3339: Bool { form == .rfc3339 }

    package init() {}

    /// The fields of a moment as clocks show them at an offset.
    package init(_ moment: CivilDate, offset: Int) {
        let local = moment.seconds + offset
        var days = local / 86_400
        var rest = local % 86_400
        if rest < 0 {
            rest += 86_400
            days -= 1
        }
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        hour = rest / 3600
        minute = rest / 60 % 60
        second = rest % 60
        fraction = moment.fraction
        self.offset = offset
    }

    /// Days since Sunday.
    package var weekday: Int {
        guard let date = CivilDate(year: year, month: month, day: day) else { return 0 }
        let day = date.seconds / 86_400 + 4
        return (day % 7 + 7) % 7
    }

    /// Whether this is the second before midnight UTC, where leap seconds are put in.
    ///
    /// Whether there was one at that very midnight is not known.
    var isLeapSecond: Bool {
        let minutes = hour * 60 + minute - (offset ?? 0) / 60
        return (minutes % 1440 + 1440) % 1440 == 1439
    }
}

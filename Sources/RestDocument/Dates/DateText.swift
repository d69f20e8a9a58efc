// SPDX-License-Identifier: Apache-2.0

package import RestSyntax

/// A parser for dates in the formats of the default chain.
///
/// The formats are, in order: ISO 8601 and RFC 3339, `MM/dd/yyyy`, RFC 1123, RFC 850, C's
/// `asctime`. Parsing is linear in the text, of which at most 64 bytes are read.
///
/// Source: RFC 3339 section 5.6, RFC 9110 section 5.6.7, specification rows M048 to M055.
package enum DateText {
    /// Returns the moment of a date, in UTC unless it has a time zone; `nil` if no format matches
    /// the whole text.
    package static func read(_ text: borrowing Span<UInt8>) -> CivilDate? {
        var isRFC3339 = false
        return read(text, &isRFC3339)
    }

    /// Returns the moment of a date, and whether its text is an RFC 3339 date-time with a `T`.
    package static func read(
        _ text: borrowing Span<UInt8>, _ isRFC3339: inout Bool
    ) -> CivilDate? {
        isRFC3339 = false
        guard text.count >= 8, text.count <= 64 else { return nil }
        if text[4] == UInt8(ascii: "-") {
            if let date = timestamp(text) ?? plain(text) {
                isRFC3339 = text.count > 10
                return date
            }
            guard let fields = iso8601(text) else { return nil }
            isRFC3339 = fields.isRFC3339
            return CivilDate(fields)
        }
        if text[0] &- UInt8(ascii: "0") < 10 {
            guard text[1] == UInt8(ascii: "/") || text[2] == UInt8(ascii: "/") else { return nil }
            return DatePattern.monthDayYear.read(text).flatMap { CivilDate($0) }
        }
        let fields =
            DatePattern.rfc1123.read(text) ?? DatePattern.rfc850.read(text)
            ?? DatePattern.asctime.read(text)
        return fields.flatMap { CivilDate($0) }
    }

    /// Parses the most common form, `2011-08-09T07:53:08Z`, in three words; `nil` for any other.
    @inline(__always)
    private static func timestamp(_ text: borrowing Span<UInt8>) -> CivilDate? {
        guard text.count == 20 else { return nil }
        // XOR with the expected text leaves the digit values, 0 to 9. `t` and `z` may be of either
        // case.
        let date = text.word(at: 0) ^ 0x2D30_302D_3030_3030
        let time = (text.word(at: 8) | 0x20_0000) ^ 0x3030_3A30_3074_3030
        let end = (text.word(at: 12) >> 32 | 0x2000_0000) ^ 0x7A30_303A
        guard isDigits(date) && isDigits(time) && isDigits(end),
            date & 0xFF00_00FF_0000_0000 | time & 0x0000_FF00_00FF_0000 | end & 0xFF00_00FF == 0
        else { return nil }
        // Each byte becomes the number that it and the next byte form.
        let (dates, times) = (date &* 10 &+ date >> 8, time &* 10 &+ time >> 8)
        @inline(__always) func number(_ word: UInt64, _ position: UInt64) -> Int {
            Int(truncatingIfNeeded: word >> (position &* 8) & 0xFF)
        }
        let (hour, minute) = (number(times, 3), number(times, 6))
        let second = number(end &* 10 &+ end >> 8, 1)
        guard hour < 24, minute < 60, second < 60 else { return nil }
        return CivilDate(
            year: number(dates, 0) &* 100 &+ number(dates, 2), month: number(dates, 5),
            day: number(times, 0), time: (hour &* 60 &+ minute) &* 60 &+ second)
    }

    /// Returns a Boolean value that indicates whether every byte is in 0 through 9.
    @inline(__always)
    private static func isDigits(_ word: UInt64) -> Bool {
        ((word &+ 0x7676_7676_7676_7676) | word) & 0x8080_8080_8080_8080 == 0
    }

    /// Parses `2011-08-09` and `2011-08-09T07:53:08.123Z`, the forms of nearly all dates, at fixed
    /// positions; `nil` for other forms and for leap seconds.
    private static func plain(_ text: borrowing Span<UInt8>) -> CivilDate? {
        let count = text.count
        guard count == 10 || count >= 20, text[7] == UInt8(ascii: "-") else { return nil }
        let century = twoDigits(text, 0)
        let year = twoDigits(text, 2)
        let month = twoDigits(text, 5)
        let day = twoDigits(text, 8)
        guard century | year | month | day >= 0 else { return nil }
        if count == 10 { return CivilDate(year: century * 100 + year, month: month, day: day) }
        let hour = twoDigits(text, 11)
        let minute = twoDigits(text, 14)
        let second = twoDigits(text, 17)
        guard text[10] | 0x20 == UInt8(ascii: "t"), text[13] == UInt8(ascii: ":"),
            text[16] == UInt8(ascii: ":"), hour | minute | second >= 0, hour < 24, second < 60
        else { return nil }
        var position = 19
        var fraction = 0.0
        if text[19] == UInt8(ascii: ".") {
            var reader = DateReader(position: 20)
            guard let value = reader.decimals(text) else { return nil }
            fraction = value
            position = reader.position
        }
        guard position < count else { return nil }
        var offset = 0
        if count == position + 6, text[position + 3] == UInt8(ascii: ":") {
            let hours = twoDigits(text, position + 1)
            let minutes = twoDigits(text, position + 4)
            guard hours | minutes >= 0, hours < 24, minutes < 60 else { return nil }
            offset = hours * 3600 + minutes * 60
            if text[position] == UInt8(ascii: "-") {
                offset = -offset
            } else {
                guard text[position] == UInt8(ascii: "+") else { return nil }
            }
        } else {
            guard count == position + 1, text[position] | 0x20 == UInt8(ascii: "z") else {
                return nil
            }
        }
        return CivilDate(
            year: century * 100 + year, month: month, day: day, hour: hour, minute: minute,
            second: second, fraction: fraction, offset: offset)
    }

    /// Returns the number that twoDigits digits form; a negative number for other bytes.
    @inline(__always)
    private static func twoDigits(_ text: borrowing Span<UInt8>, _ position: Int) -> Int {
        let tens = text[position] &- UInt8(ascii: "0")
        let ones = text[position + 1] &- UInt8(ascii: "0")
        return tens < 10 && ones < 10 ? Int(tens) &* 10 &+ Int(ones) : -1
    }

    /// Returns the fields of an ISO 8601 date: `2011-08-09`, `2011-08-09T00:00Z`, `2011-08-09
    /// 00:00:00.123+02:00` and the forms between them.
    package static func iso8601(_ text: borrowing Span<UInt8>) -> DateFields? {
        guard text.count >= 10, text.count <= 64 else { return nil }
        var reader = DateReader()
        var fields = DateFields()
        guard let year = reader.number(text, 4), reader.skip(text, "-"),
            let month = reader.number(text, 2), reader.skip(text, "-"),
            let day = reader.number(text, 2)
        else { return nil }
        fields.year = year
        fields.month = month
        fields.day = day
        if reader.position == text.count { return fields }
        if reader.skip(text, "T") || reader.skip(text, "t") {
            fields.form.insert(.letter)
        } else {
            guard reader.skip(text, " ") else { return nil }
        }
        fields.form.insert(.time)
        guard reader.time(text, into: &fields), reader.offset(text, into: &fields),
            reader.position == text.count
        else { return nil }
        if fields.second == 60, !fields.isLeapSecond { fields.form.insert(.odd) }
        return fields
    }
}

extension DateReader {
    /// Reads a time of day: `00:00`, `00:00:00`, `00:00:00.123`.
    mutating func time(_ text: borrowing Span<UInt8>, into fields: inout DateFields) -> Bool {
        guard let hour = number(text, 2), skip(text, ":"), let minute = number(text, 2) else {
            return false
        }
        fields.hour = hour
        fields.minute = minute
        if hour > 23 { fields.form.insert(.odd) }
        guard skip(text, ":") else { return true }
        guard let second = number(text, 2) else { return false }
        fields.second = second
        fields.form.insert(.seconds)
        let hasComma = skip(text, ",")
        if hasComma { fields.form.insert(.odd) }
        if hasComma || skip(text, ".") {
            guard let value = decimals(text) else { return false }
            fields.fraction = value
        }
        return true
    }

    /// Reads an offset: `Z`, `+02:00`, `+0200`, `+02` or nothing.
    mutating func offset(_ text: borrowing Span<UInt8>, into fields: inout DateFields) -> Bool {
        if position == text.count { return true }
        if skip(text, "Z") || skip(text, "z") {
            fields.offset = 0
            fields.form.insert(.zone)
            return true
        }
        if skip(text, " ") { fields.form.insert(.odd) }
        let sign = skip(text, "-") ? -1 : 1
        guard sign < 0 || skip(text, "+"), let hours = number(text, 2), hours < 24 else {
            return false
        }
        var minutes = 0
        if position < text.count {
            if skip(text, ":") { fields.form.insert(.zone) }
            guard let value = number(text, 2), value < 60 else { return false }
            minutes = value
        } else {
            fields.form.insert(.odd)
        }
        fields.offset = sign * (hours * 3600 + minutes * 60)
        return true
    }
}

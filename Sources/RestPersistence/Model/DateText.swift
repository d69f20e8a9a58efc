// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Dates as columns hold them: `2024-05-01T12:00:00.123456Z`.
enum DateText {
    private static let length = 27
    private static let firstSecond: Int64 = -62_167_219_200  // 0000-01-01T00:00:00Z
    private static let lastSecond: Int64 = 253_402_300_799  // 9999-12-31T23:59:59Z

    /// Whether a date can be written without being moved.
    static func holds(_ date: Date) -> Bool {
        let seconds = date.timeIntervalSince1970
        return seconds >= Double(firstSecond) && seconds < Double(lastSecond + 1)
    }

    /// The text of a date; outside the years 0000 to 9999 that of the nearest one inside.
    static func canonical(_ date: Date) -> String {
        let interval = date.timeIntervalSince1970
        var seconds: Int64
        var micros: Int64
        if interval.isNaN || interval < Double(firstSecond) {
            (seconds, micros) = (firstSecond, 0)
        } else if interval >= Double(lastSecond + 1) {
            (seconds, micros) = (lastSecond, 999_999)
        } else {
            let whole = interval.rounded(.down)
            seconds = Int64(whole)
            micros = Int64(((interval - whole) * 1e6).rounded())
            if micros == 1_000_000 {
                if seconds == lastSecond {
                    micros = 999_999
                } else {
                    (seconds, micros) = (seconds + 1, 0)
                }
            }
        }
        return text(seconds: seconds, micros: micros)
    }

    /// The date a text of this form stands for; `nil` for any other text.
    static func date(_ text: String) -> Date? {
        var digits: [Int64] = []
        digits.reserveCapacity(7)
        var number: Int64 = 0
        var position = 0
        for byte in text.utf8 {
            switch (position, byte) {
            case (4, UInt8(ascii: "-")), (7, UInt8(ascii: "-")), (10, UInt8(ascii: "T")),
                (13, UInt8(ascii: ":")), (16, UInt8(ascii: ":")), (19, UInt8(ascii: ".")),
                (26, UInt8(ascii: "Z")):
                digits.append(number)
                number = 0
            case (_, UInt8(ascii: "0")...UInt8(ascii: "9")) where position < 26:
                number = number * 10 + Int64(byte - UInt8(ascii: "0"))
            default: return nil
            }
            position += 1
        }
        guard position == length, digits.count == 7, (1...12).contains(digits[1]),
            (1...31).contains(digits[2]), digits[3] < 24, digits[4] < 60, digits[5] < 60
        else { return nil }
        let day = daysSince1970(year: digits[0], month: digits[1], day: digits[2])
        let seconds = day * 86_400 + digits[3] * 3600 + digits[4] * 60 + digits[5]
        return Date(timeIntervalSince1970: Double(seconds) + Double(digits[6]) / 1e6)
    }

    private static func text(seconds: Int64, micros: Int64) -> String {
        var day = seconds / 86_400
        var rest = seconds % 86_400
        if rest < 0 {
            rest += 86_400
            day -= 1
        }
        let (year, month, date) = civil(day)
        return unsafe String(unsafeUninitializedCapacity: length) { buffer in
            func put(_ value: Int64, _ start: Int, _ count: Int) {
                var value = value
                for index in stride(from: start + count - 1, through: start, by: -1) {
                    unsafe buffer[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value % 10)
                    value /= 10
                }
            }
            put(year, 0, 4)
            unsafe buffer[4] = UInt8(ascii: "-")
            put(month, 5, 2)
            unsafe buffer[7] = UInt8(ascii: "-")
            put(date, 8, 2)
            unsafe buffer[10] = UInt8(ascii: "T")
            put(rest / 3600, 11, 2)
            unsafe buffer[13] = UInt8(ascii: ":")
            put(rest / 60 % 60, 14, 2)
            unsafe buffer[16] = UInt8(ascii: ":")
            put(rest % 60, 17, 2)
            unsafe buffer[19] = UInt8(ascii: ".")
            put(micros, 20, 6)
            unsafe buffer[26] = UInt8(ascii: "Z")
            return length
        }
    }

    // Days and civil dates of the proleptic Gregorian calendar, in eras of 400 years from March 1st.
    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let ofEra = shifted - era * 146_097
        let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * ofYear + 2) / 153
        let day = ofYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    private static func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + ofYear - 719_468
    }
}

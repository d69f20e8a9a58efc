// SPDX-License-Identifier: Apache-2.0

import RestSyntax

/// A parser of HTTP dates.
struct HTTPDateReader {
    /// The fields of a date; a short year has no century.
    struct Fields {
        var year = 0
        var hasShortYear = false
        var month = 0
        var day = 0
        var secondOfDay = 0
    }

    private let bytes: [UInt8]
    private var position = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// Returns the fields of the whole text, or `nil` if it is not an HTTP date.
    mutating func read() -> Fields? {
        var fields = Fields()
        guard let comma = bytes.firstIndex(of: UInt8(ascii: ",")) else {
            guard bytes.count == 24, readWeekday(byteCount: 3), skip(" "),
                readMonth(into: &fields), skip(" "), readSpacePaddedDay(into: &fields), skip(" "),
                readTime(into: &fields), skip(" "), let year = readNumber(digitCount: 4)
            else { return nil }
            fields.year = year
            return fields
        }
        guard readWeekday(byteCount: comma), skip(","), skip(" "),
            let day = readNumber(digitCount: 2)
        else { return nil }
        fields.day = day
        fields.hasShortYear = comma != 3
        let separator = fields.hasShortYear ? "-" : " "
        guard skip(separator), readMonth(into: &fields), skip(separator),
            let year = readNumber(digitCount: fields.hasShortYear ? 2 : 4), skip(" "),
            readTime(into: &fields), skip(" "), skip("gmt"), position == bytes.count
        else { return nil }
        fields.year = year
        return fields
    }

    private mutating func readWeekday(byteCount: Int) -> Bool {
        HTTPDate.weekdays.contains { name in
            guard byteCount == 3 || byteCount == name.utf8.count else { return false }
            return matches(name.utf8.prefix(byteCount))
        } && advance(by: byteCount)
    }

    private mutating func readMonth(into fields: inout Fields) -> Bool {
        guard let index = HTTPDate.months.firstIndex(where: { matches($0.utf8.prefix(3)) }) else {
            return false
        }
        fields.month = index + 1
        return advance(by: 3)
    }

    private mutating func readSpacePaddedDay(into fields: inout Fields) -> Bool {
        let day = skip(" ") ? readNumber(digitCount: 1) : readNumber(digitCount: 2)
        fields.day = day ?? 0
        return day != nil
    }

    private mutating func readTime(into fields: inout Fields) -> Bool {
        guard let hour = readNumber(digitCount: 2), hour < 24, skip(":"),
            let minute = readNumber(digitCount: 2), minute < 60, skip(":"),
            let second = readNumber(digitCount: 2), second <= 60
        else { return false }
        fields.secondOfDay = hour * 3600 + minute * 60 + second
        return true
    }

    private mutating func readNumber(digitCount: Int) -> Int? {
        guard position + digitCount <= bytes.count else { return nil }
        var number = 0
        for byte in bytes[position..<(position + digitCount)] {
            guard byte.isDigit else { return nil }
            number = number * 10 + Int(byte - UInt8(ascii: "0"))
        }
        position += digitCount
        return number
    }

    private mutating func skip(_ text: String) -> Bool {
        matches(text.utf8.prefix(text.utf8.count)) && advance(by: text.utf8.count)
    }

    private mutating func advance(by count: Int) -> Bool {
        position += count
        return true
    }

    private func matches(_ name: Substring.UTF8View) -> Bool {
        guard position + name.count <= bytes.count else { return false }
        return zip(bytes[position...], name).allSatisfy {
            $0.asciiLowercased == $1.asciiLowercased
        }
    }
}

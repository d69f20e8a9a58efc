// SPDX-License-Identifier: Apache-2.0

/// A cursor in the text of a date.
struct DateReader {
    private(set) var position = 0

    init(position: Int = 0) { self.position = position }

    mutating func skip(_ text: borrowing Span<UInt8>, _ byte: Unicode.Scalar) -> Bool {
        skip(text, UInt8(ascii: byte))
    }

    mutating func skip(_ text: borrowing Span<UInt8>, _ byte: UInt8) -> Bool {
        guard position < text.count, text[position] == byte else { return false }
        position += 1
        return true
    }

    /// Reads exactly the given number of digits.
    mutating func number(_ text: borrowing Span<UInt8>, _ count: Int) -> Int? {
        guard position + count <= text.count else { return nil }
        var value = 0
        for index in position..<position + count {
            let digit = text[index] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            value = value &* 10 &+ Int(digit)
        }
        position += count
        return value
    }

    /// Reads as many digits as there are, within bounds.
    mutating func number(_ text: borrowing Span<UInt8>, _ counts: ClosedRange<Int>) -> Int? {
        var count = 0
        while count < counts.upperBound, position + count < text.count,
            text[position + count] &- UInt8(ascii: "0") < 10
        {
            count += 1
        }
        return count < counts.lowerBound ? nil : number(text, count)
    }

    /// Reads the given number of digits, or one or two.
    mutating func number(_ text: borrowing Span<UInt8>, _ count: Int?) -> Int? {
        if let count { return number(text, count) }
        return number(text, 1...2)
    }

    /// Reads the digits after a decimal point as a fraction.
    ///
    /// Digits after the 15th are ignored.
    mutating func decimals(_ text: borrowing Span<UInt8>) -> Double? {
        let start = position
        var value = 0
        var scale = 1
        while position < text.count {
            let digit = text[position] &- UInt8(ascii: "0")
            guard digit < 10 else { break }
            if position - start < 15 {
                value = value &* 10 &+ Int(digit)
                scale = scale &* 10
            }
            position += 1
        }
        return position > start ? Double(value) / Double(scale) : nil
    }

    /// Reads the longest of the names that matches, ignoring case, and returns its index.
    mutating func name(_ text: borrowing Span<UInt8>, among names: [[UInt8]]) -> Int? {
        var found: Int?
        var length = 0
        for (index, name) in names.enumerated()
        where name.count > length && position + name.count <= text.count {
            var isSame = true
            for (distance, byte) in name.enumerated()
            where text[position + distance] | 0x20 != byte | 0x20 {
                isSame = false
                break
            }
            if isSame {
                found = index
                length = name.count
            }
        }
        position += length
        return found
    }
}

/// The English names that internet date formats use.
enum DateNames {
    static let months = bytes([
        "January", "February", "March", "April", "May", "June", "July", "August", "September",
        "October", "November", "December",
    ])
    static let weekdays = bytes([
        "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
    ])
    static let dayPeriods = bytes(["AM", "PM"])

    /// The names of time zones and their offsets from UTC in hours, from RFC 822 section 5.
    static let zones: [(name: [UInt8], hours: Int)] = [
        ("GMT", 0), ("UTC", 0), ("UT", 0), ("Z", 0), ("EST", -5), ("EDT", -4), ("CST", -6),
        ("CDT", -5), ("MST", -7), ("MDT", -6), ("PST", -8), ("PDT", -7),
    ].map { (Array($0.0.utf8), $0.1) }

    static let zoneNames = zones.map(\.name)

    /// The full names, followed by their first three letters.
    static let anyMonths = months + months.map { Array($0.prefix(3)) }
    static let anyWeekdays = weekdays + weekdays.map { Array($0.prefix(3)) }

    private static func bytes(_ names: [String]) -> [[UInt8]] { names.map { Array($0.utf8) } }
}

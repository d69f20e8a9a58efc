// SPDX-License-Identifier: Apache-2.0

/// Reads the date formats of the default chain from bytes.
///
/// In order: ISO 8601 and RFC 3339, `MM/dd/yyyy`, RFC 1123, RFC 850, C's `asctime`. A reading is
/// linear in the text and looks at no more than 64 bytes.
///
/// Source: RFC 3339 section 5.6, RFC 9110 section 5.6.7, specification rows M048 to M055.
package enum DateText {
    /// The moment a text names, or nil if no format fits it whole.
    package static func read(_ text: borrowing Span<UInt8>) -> CivilDate? {
        guard text.count >= 8, text.count <= 64 else { return nil }
        var reader = DateReader()
        if text[4] == UInt8(ascii: "-") { return reader.iso8601(text) }
        if text[2] == UInt8(ascii: "/") { return reader.slashes(text) }
        return reader.httpDate(text)
    }
}

/// A position in a text and the steps that move it.
private struct DateReader {
    private var position = 0

    // MARK: Formats

    /// `2011-08-09`, `2011-08-09T00:00Z`, `2011-08-09 00:00:00.123+02:00`; without a zone UTC.
    mutating func iso8601(_ text: borrowing Span<UInt8>) -> CivilDate? {
        guard let year = number(text, 4), skip(text, "-"), let month = number(text, 2),
            skip(text, "-"), let day = number(text, 2)
        else { return nil }
        if position == text.count { return CivilDate(year: year, month: month, day: day) }
        guard skip(text, "T") || skip(text, "t") || skip(text, " "),
            let hour = number(text, 2), skip(text, ":"), let minute = number(text, 2)
        else { return nil }
        var second = 0
        var fraction = 0.0
        if skip(text, ":") {
            guard let value = number(text, 2) else { return nil }
            second = value
            if skip(text, ".") || skip(text, ",") {
                guard let value = decimals(text) else { return nil }
                fraction = value
            }
        }
        guard let offset = isoOffset(text), position == text.count else { return nil }
        return CivilDate(
            year: year, month: month, day: day, hour: hour, minute: minute, second: second,
            fraction: fraction, offset: offset)
    }

    /// `11/27/1982`: month, day, year at midnight UTC.
    mutating func slashes(_ text: borrowing Span<UInt8>) -> CivilDate? {
        guard let month = number(text, 2), skip(text, "/"), let day = number(text, 2),
            skip(text, "/"), let year = number(text, 4), position == text.count
        else { return nil }
        return CivilDate(year: year, month: month, day: day)
    }

    /// `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT`, `Sun Nov  6 08:49:37 1994`.
    mutating func httpDate(_ text: borrowing Span<UInt8>) -> CivilDate? {
        guard let weekday = word(text), isWeekday(weekday) else { return nil }
        if skip(text, ",") {
            guard skip(text, " "), let day = number(text, 2) else { return nil }
            let isDashed = skip(text, "-")
            guard isDashed || skip(text, " "), let month = month(text),
                skip(text, isDashed ? "-" : " "),
                let year = isDashed ? shortYear(text) : number(text, 4),
                skip(text, " "), let time = time(text), skip(text, " "),
                let offset = zone(text), position == text.count
            else { return nil }
            return CivilDate(
                year: year, month: month, day: day, hour: time.0, minute: time.1, second: time.2,
                offset: offset)
        }
        guard skip(text, " "), let month = month(text), skip(text, " ") else { return nil }
        let isPadded = skip(text, " ")
        guard let day = number(text, isPadded ? 1 : 2), skip(text, " "), let time = time(text),
            skip(text, " "), let year = number(text, 4), position == text.count
        else { return nil }
        return CivilDate(
            year: year, month: month, day: day, hour: time.0, minute: time.1, second: time.2)
    }

    // MARK: Parts

    private mutating func skip(_ text: borrowing Span<UInt8>, _ byte: Unicode.Scalar) -> Bool {
        guard position < text.count, text[position] == UInt8(ascii: byte) else { return false }
        position += 1
        return true
    }

    /// Exactly so many digits.
    private mutating func number(_ text: borrowing Span<UInt8>, _ count: Int) -> Int? {
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

    /// The digits after a decimal point as a fraction; those past the 15th are passed over.
    private mutating func decimals(_ text: borrowing Span<UInt8>) -> Double? {
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

    /// `Z`, `+02:00`, `+0200`, `+02` or nothing, in seconds east of Greenwich.
    private mutating func isoOffset(_ text: borrowing Span<UInt8>) -> Int? {
        if position == text.count || skip(text, "Z") || skip(text, "z") { return 0 }
        _ = skip(text, " ")
        let sign = skip(text, "-") ? -1 : 1
        guard sign < 0 || skip(text, "+"), let hours = number(text, 2), hours < 24 else {
            return nil
        }
        var minutes = 0
        if position < text.count {
            _ = skip(text, ":")
            guard let value = number(text, 2), value < 60 else { return nil }
            minutes = value
        }
        return sign * (hours * 3600 + minutes * 60)
    }

    private mutating func time(_ text: borrowing Span<UInt8>) -> (Int, Int, Int)? {
        guard let hour = number(text, 2), skip(text, ":"), let minute = number(text, 2),
            skip(text, ":"), let second = number(text, 2)
        else { return nil }
        return (hour, minute, second)
    }

    /// `94`: a two-digit year is 1970 to 2069, as POSIX reads it.
    private mutating func shortYear(_ text: borrowing Span<UInt8>) -> Int? {
        number(text, 2).map { $0 < 70 ? 2000 + $0 : 1900 + $0 }
    }

    /// `GMT`, `UTC`, `Z` or a numeric offset.
    private mutating func zone(_ text: borrowing Span<UInt8>) -> Int? {
        if position < text.count, text[position] &- UInt8(ascii: "A") < 26 {
            guard let name = word(text) else { return nil }
            return ["GMT", "UTC", "UT", "Z"].contains(name) ? 0 : nil
        }
        return isoOffset(text)
    }

    private mutating func word(_ text: borrowing Span<UInt8>) -> String? {
        var scalars = String.UnicodeScalarView()
        while position < text.count, (text[position] | 0x20) &- UInt8(ascii: "a") < 26 {
            scalars.append(Unicode.Scalar(text[position]))
            position += 1
        }
        return scalars.isEmpty ? nil : String(scalars)
    }

    private mutating func month(_ text: borrowing Span<UInt8>) -> Int? {
        guard let name = word(text)?.lowercased() else { return nil }
        let names = [
            "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
        ]
        return names.firstIndex(of: name).map { $0 + 1 }
    }

    private func isWeekday(_ name: String) -> Bool {
        let names = [
            "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
        ]
        let name = name.lowercased()
        return name.count >= 3 && names.contains { $0 == name || $0.prefix(3) == name }
    }
}

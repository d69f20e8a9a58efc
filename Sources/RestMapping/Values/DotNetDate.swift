// SPDX-License-Identifier: Apache-2.0

/// The date format of ASP.NET's JSON: `/Date(1000212360000-0400)/`.
///
/// Source: specification section 3.9.
enum DotNetDate {
    private static let digitLimit = 18

    /// Returns the milliseconds since 1970 in a text, regardless of letter case; the offset is
    /// skipped.
    static func milliseconds(_ text: borrowing Span<UInt8>) -> Double? {
        let opening = Array("/date(".utf8)
        guard text.count > opening.count else { return nil }
        for start in 0..<text.count - opening.count {
            var isMatch = true
            for (distance, byte) in opening.enumerated()
            where lowercased(text[start + distance]) != byte {
                isMatch = false
                break
            }
            if isMatch { return milliseconds(text, from: start + opening.count) }
        }
        return nil
    }

    /// Parses the text after the opening parenthesis: `1000212360000-0400)/`.
    private static func milliseconds(_ text: borrowing Span<UInt8>, from start: Int) -> Double? {
        var position = start
        let isNegative = text[position] == UInt8(ascii: "-")
        if isNegative { position += 1 }
        guard let value = digits(text, &position, atMost: digitLimit) else { return nil }
        if position < text.count,
            text[position] == UInt8(ascii: "-") || text[position] == UInt8(ascii: "+")
        {
            position += 1
            let offset = position
            guard digits(text, &position, atMost: 4) != nil, position == offset + 4 else {
                return nil
            }
        }
        guard position + 1 < text.count, text[position] == UInt8(ascii: ")"),
            text[position + 1] == UInt8(ascii: "/")
        else { return nil }
        return Double(isNegative ? -value : value)
    }

    /// The milliseconds from which on a `Date` has more than one text: its seconds, which count
    /// from 2001, are rounded in both directions, and only below this bound by less than half a
    /// millisecond.
    private static let endOfMilliseconds = 0x1p51

    /// Returns the text of a date in whole milliseconds, with an offset in seconds east of
    /// Greenwich; nil for dates more than 71,000 years from 1970, which a `Date` does not resolve
    /// to milliseconds.
    static func text(milliseconds: Double, offset: Int) -> String? {
        guard milliseconds.magnitude < endOfMilliseconds else { return nil }
        let whole = Int(milliseconds.rounded())
        let minutes = abs(offset) / 60
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "/Date(\(whole)\(offset < 0 ? "-" : "+")\(two(minutes / 60))\(two(minutes % 60)))/"
    }

    private static func digits(
        _ text: borrowing Span<UInt8>, _ position: inout Int, atMost limit: Int
    ) -> Int? {
        let start = position
        var value = 0
        while position < text.count, position - start < limit {
            let digit = text[position] &- UInt8(ascii: "0")
            guard digit < 10 else { break }
            value = value * 10 + Int(digit)
            position += 1
        }
        return position == start ? nil : value
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
    }
}

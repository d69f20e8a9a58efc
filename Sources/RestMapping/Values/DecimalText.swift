// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The text of decimal numbers, without loss: every digit counts, or there is no result.
package enum DecimalText {
    /// Returns the number of a text, or nil if the text is not a number or needs more than 38
    /// digits.
    ///
    /// The grammar is that of JSON, with an optional plus sign and leading zeros.
    package static func read(_ text: borrowing Span<UInt8>) -> Decimal? {
        var position = 0
        var isNegative = false
        if text.count > 0, text[0] == UInt8(ascii: "-") || text[0] == UInt8(ascii: "+") {
            isNegative = text[0] == UInt8(ascii: "-")
            position = 1
        }
        var digits: UInt64 = 0
        var significant = 0
        var exponent = 0
        var digitCount = 0
        var isFraction = false
        while position < text.count {
            let byte = text[position]
            if byte == UInt8(ascii: "."), !isFraction {
                isFraction = true
            } else {
                let digit = byte &- UInt8(ascii: "0")
                guard digit < 10 else { break }
                digitCount += 1
                if significant > 0 || digit > 0 { significant += 1 }
                if significant > 19 { return readLong(text) }
                digits = digits &* 10 &+ UInt64(digit)
                if isFraction { exponent -= 1 }
            }
            position += 1
        }
        guard digitCount > 0 else { return nil }
        if position < text.count {
            guard let written = writtenExponent(text, position) else { return nil }
            exponent += written
        }
        if digits == 0 { return 0 }
        guard -128...127 ~= exponent else { return nil }
        let value = Decimal(
            sign: isNegative ? .minus : .plus, exponent: exponent, significand: Decimal(digits))
        return value.isNaN ? nil : value
    }

    /// Parses an exponent such as `e-7` up to the end of the text.
    private static func writtenExponent(_ text: borrowing Span<UInt8>, _ start: Int) -> Int? {
        guard text[start] | 0x20 == UInt8(ascii: "e") else { return nil }
        var position = start + 1
        var isNegative = false
        if position < text.count,
            text[position] == UInt8(ascii: "-") || text[position] == UInt8(ascii: "+")
        {
            isNegative = text[position] == UInt8(ascii: "-")
            position += 1
        }
        guard position < text.count else { return nil }
        var value = 0
        while position < text.count {
            let digit = text[position] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            value = min(value * 10 + Int(digit), 10_000)
            position += 1
        }
        return isNegative ? -value : value
    }

    /// Returns the whole number of a text such as `187.0`, or nil if it is not a whole number or
    /// does not fit.
    static func wholeNumber<Value: FixedWidthInteger>(_ text: String) -> Value? {
        guard let decimal = read(Array(text.utf8).span) else { return nil }
        return Value(self.text(of: decimal))
    }

    /// Returns the digits of a decimal, without trailing zeros in its fraction.
    package static func text(of decimal: Decimal) -> String {
        var digits = "\(decimal)"
        if digits.contains(".") {
            while digits.last == "0" { digits.removeLast() }
            if digits.last == "." { digits.removeLast() }
        }
        return digits
    }

    /// Returns the double nearest to the number of a text, or nil if the text is not a number or is
    /// out of range.
    static func double(_ text: String) -> Double? {
        guard isNumber(Array(text.utf8).span), let value = Double(text), value.isFinite else {
            return nil
        }
        return value
    }

    /// Returns the double nearest to the number of UTF-8 text, or nil if the text is not a number
    /// or is out of range.
    static func double(_ text: borrowing Span<UInt8>) -> Double? {
        guard text.count <= 4096 else { return nil }
        var bytes: [UInt8] = []
        for index in 0..<text.count { bytes.append(text[index]) }
        return double(String(decoding: bytes, as: UTF8.self))
    }

    /// Returns a Boolean value that indicates whether a text is a decimal number; hexadecimal
    /// numbers and names such as `nan` are not.
    static func isNumber(_ text: borrowing Span<UInt8>) -> Bool {
        var position = 0
        if text.count > 0, text[0] == UInt8(ascii: "-") || text[0] == UInt8(ascii: "+") {
            position = 1
        }
        var digitCount = 0
        var pointCount = 0
        while position < text.count {
            if text[position] == UInt8(ascii: ".") {
                pointCount += 1
            } else if text[position] &- UInt8(ascii: "0") < 10 {
                digitCount += 1
            } else {
                break
            }
            position += 1
        }
        guard digitCount > 0, pointCount <= 1 else { return false }
        return position == text.count || writtenExponent(text, position) != nil
    }

    /// Parses twenty or more digits with Foundation, and returns nil if it has to round.
    private static func readLong(_ text: borrowing Span<UInt8>) -> Decimal? {
        guard text.count <= 4096, isNumber(text) else { return nil }
        var bytes: [UInt8] = []
        for index in 0..<text.count { bytes.append(text[index]) }
        let digits = bytes.prefix { $0 | 0x20 != UInt8(ascii: "e") }.filter {
            $0 &- UInt8(ascii: "0") < 10
        }
        let first = digits.firstIndex { $0 != UInt8(ascii: "0") } ?? digits.endIndex
        let last = digits.lastIndex { $0 != UInt8(ascii: "0") } ?? digits.startIndex
        guard last - first < 38, let value = Decimal(string: String(decoding: bytes, as: UTF8.self))
        else { return nil }
        return value
    }
}

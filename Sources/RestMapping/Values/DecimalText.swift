// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Reads a decimal number exactly: every digit counts, or there is no result.
package enum DecimalText {
    /// The number a text is, or nil if it is none or does not fit 38 digits.
    ///
    /// The grammar is JSON's, and a leading plus or zeros are let pass.
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

    /// `e-7`, up to the end of the text.
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

    /// The whole number a text such as `187.0` is, or nil if it is none or does not fit.
    static func wholeNumber<Value: FixedWidthInteger>(_ text: String) -> Value? {
        guard let decimal = read(Array(text.utf8).span) else { return nil }
        return Value(self.text(of: decimal))
    }

    /// The digits of a decimal, without zeros at the end of its fraction.
    static func text(of decimal: Decimal) -> String {
        var digits = "\(decimal)"
        if digits.contains(".") {
            while digits.last == "0" { digits.removeLast() }
            if digits.last == "." { digits.removeLast() }
        }
        return digits
    }

    /// The double nearest to the number a text is, or nil if it is none or beyond the range.
    static func double(_ text: String) -> Double? {
        guard isNumber(Array(text.utf8).span), let value = Double(text), value.isFinite else {
            return nil
        }
        return value
    }

    /// The double nearest to the number that bytes are, or nil if they are none or beyond the range.
    static func double(_ text: borrowing Span<UInt8>) -> Double? {
        guard text.count <= 4096 else { return nil }
        var bytes: [UInt8] = []
        for index in 0..<text.count { bytes.append(text[index]) }
        return double(String(decoding: bytes, as: UTF8.self))
    }

    /// Whether a text is a decimal number and nothing else; hexadecimal ones and names are not.
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

    /// Twenty digits and more: read by Foundation, and refused if it had to round.
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

// SPDX-License-Identifier: Apache-2.0

/// A parser of numbers in text: exact, or lossy as RestKit's, which finds a number in any text.
///
/// Source: specification section 3.3, the row from text to number.
enum NumberText {
    /// Returns the whole number of a text such as `187`, ` 187 ` or `1.87e2`; nil if it is not a
    /// whole number or does not fit.
    static func whole<Value: FixedWidthInteger>(_ text: String) -> Value? {
        let text = text.trimmed
        return Value(text) ?? DecimalText.wholeNumber(text)
    }

    /// Returns the double nearest to the number of a text; nil if the text is not a number or is
    /// out of range.
    static func double(_ text: String) -> Double? { DecimalText.double(text.trimmed) }

    /// Returns the whole number that a text begins with, or the nearest one that fits; 1 or 0 for
    /// the text of a boolean, 0 for any other text.
    static func leadingWhole<Value: FixedWidthInteger>(_ text: String) -> Value {
        let text = text.trimmed
        if let value: Value = whole(text) { return value }
        if let word = BooleanText.read(text) { return word ? 1 : 0 }
        if DecimalText.isNumber(Array(text.utf8).span) { return nearest(Double(text) ?? 0) }
        let number = leadingNumber(text)
        if number.contains(".") { return nearest(DecimalText.double(number) ?? 0) }
        let isNegative = number.first == "-"
        var value: Value = 0
        for digit in number.utf8 where digit &- UInt8(ascii: "0") < 10 {
            let digit = Value(truncatingIfNeeded: digit &- UInt8(ascii: "0"))
            let (shifted, isHigh) = value.multipliedReportingOverflow(by: 10)
            let (sum, isOver) =
                isNegative
                ? shifted.subtractingReportingOverflow(digit)
                : shifted.addingReportingOverflow(digit)
            if isHigh || isOver { return isNegative ? .min : .max }
            value = sum
        }
        return value
    }

    /// Returns the number that a text begins with, or the nearest one that fits; 1 or 0 for the
    /// text of a boolean, 0 for any other text.
    static func leadingDouble(_ text: String) -> Double {
        let text = text.trimmed
        if let word = BooleanText.read(text) { return word ? 1 : 0 }
        let isNumber = DecimalText.isNumber(Array(text.utf8).span)
        let value = Double(isNumber ? text : leadingNumber(text)) ?? 0
        return min(max(value, -.greatestFiniteMagnitude), .greatestFiniteMagnitude)
    }

    /// Returns a number rounded toward zero, or the nearest bound of the type.
    static func nearest<Value: FixedWidthInteger>(_ number: Double) -> Value {
        if let value = Value(exactly: number.rounded(.towardZero)) { return value }
        if number.isNaN { return 0 }
        return number < 0 ? .min : .max
    }

    /// Returns the text of a number, without a fraction if it is whole: `0`, `0.5`, `1e+20`.
    static func text(of number: Double) -> String {
        Int64(exactly: number).map(\.description) ?? number.description
    }

    /// Returns the longest prefix of a text that consists of a sign, digits and one decimal point.
    private static func leadingNumber(_ text: String) -> String {
        var length = 0
        var hasPoint = false
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): break
            case UInt8(ascii: "-") where length == 0, UInt8(ascii: "+") where length == 0: break
            case UInt8(ascii: ".") where !hasPoint: hasPoint = true
            default: return String(text.utf8.prefix(length)) ?? ""
            }
            length += 1
        }
        return text
    }
}

/// A parser of booleans in text.
enum BooleanText {
    /// Returns the boolean of `true`, `t`, `yes`, `y`, `1` or their opposites, in any case; nil for
    /// any other text.
    static func read(_ text: String) -> Bool? {
        let text = text.trimmed
        if text.utf8.count > 5 { return nil }
        switch text.lowercased() {
        case "true", "t", "yes", "y", "1": return true
        case "false", "f", "no", "n", "0": return false
        default: return nil
        }
    }

    /// Returns the word for a boolean.
    static func text(of value: Bool) -> String { value ? "true" : "false" }
}

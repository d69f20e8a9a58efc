// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A number type or `Bool`, of which only the metatype is known.
protocol NumberType {
    /// Returns the number of a text; nil if the text is not a number and the coercions do not allow
    /// a lossy conversion.
    static func number(of text: String, allowing coercions: Coercions) -> Self?

    /// Returns the number with the value of another, or nil if it does not fit.
    static func number(of value: Decimal) -> Self?

    /// Returns the number with the value of another, or nil if it does not fit.
    static func number(of value: Double) -> Self?

    /// The number as text; a boolean is a word.
    var numberText: String { get }

    /// The double nearest to the number.
    var nearestDouble: Double { get }
}

extension NumberType {
    /// The decimal with the digits of the number's text.
    var decimal: Decimal? { DecimalText.read(Array(numberText.utf8).span) }
}

extension NumberType where Self: FixedWidthInteger {
    static func number(of text: String, allowing coercions: Coercions) -> Self? {
        if let value: Self = NumberText.whole(text) { return value }
        return coercions.allows(.lossyTextToNumber) ? NumberText.leadingWhole(text) : nil
    }

    static func number(of value: Decimal) -> Self? {
        DecimalText.wholeNumber(DecimalText.text(of: value))
    }

    static func number(of value: Double) -> Self? { Self(exactly: value) }

    var numberText: String { description }
    var nearestDouble: Double { Double(self) }
}

extension Int: NumberType {}
extension Int8: NumberType {}
extension Int16: NumberType {}
extension Int32: NumberType {}
extension Int64: NumberType {}
extension UInt: NumberType {}
extension UInt8: NumberType {}
extension UInt16: NumberType {}
extension UInt32: NumberType {}
extension UInt64: NumberType {}

extension Double: NumberType {
    static func number(of text: String, allowing coercions: Coercions) -> Double? {
        if let value = NumberText.double(text) { return value }
        return coercions.allows(.lossyTextToNumber) ? NumberText.leadingDouble(text) : nil
    }

    static func number(of value: Decimal) -> Double? {
        DecimalText.double(DecimalText.text(of: value))
    }

    static func number(of value: Double) -> Double? { value }

    var numberText: String { NumberText.text(of: self) }
    var nearestDouble: Double { self }
}

extension Float: NumberType {
    static func number(of text: String, allowing coercions: Coercions) -> Float? {
        Double.number(of: text, allowing: coercions).flatMap { number(of: $0) }
    }

    static func number(of value: Decimal) -> Float? {
        Double.number(of: value).flatMap { number(of: $0) }
    }

    static func number(of value: Double) -> Float? {
        let nearest = Float(value)
        return nearest.isFinite ? nearest : nil
    }

    var numberText: String { Int64(exactly: self).map(\.description) ?? description }
    var nearestDouble: Double { Double(self) }
}

extension Bool: NumberType {
    static func number(of text: String, allowing coercions: Coercions) -> Bool? {
        if let value = BooleanText.read(text) { return value }
        return coercions.allows(.lossyTextToNumber) ? NumberText.leadingDouble(text) != 0 : nil
    }

    static func number(of value: Decimal) -> Bool? { value != 0 }
    static func number(of value: Double) -> Bool? { value != 0 }

    var numberText: String { BooleanText.text(of: self) }
    var nearestDouble: Double { self ? 1 : 0 }
}

// SPDX-License-Identifier: Apache-2.0

/// A placeholder for an attribute in a predicate, an ordering or a projection.
public struct FetchAttribute<Value: AttributeValue>: Sendable {
    package let expression: FetchExpression

    package init(_ expression: FetchExpression) { self.expression = expression }

    private func compare(_ kind: FetchOperator, _ value: Value) -> FetchPredicate {
        FetchPredicate(term: .compare(expression, kind, .value(value.storedValue)))
    }

    private func compare(_ kind: FetchOperator, _ other: FetchAttribute) -> FetchPredicate {
        FetchPredicate(term: .compare(expression, kind, other.expression))
    }

    /// The attribute as an optional value, for projections through optional relationships.
    public var optional: FetchAttribute<Value?> { FetchAttribute<Value?>(expression) }

    /// Returns a predicate that matches if the attribute has one of several values.
    ///
    /// The number of values is not limited.
    public func isIn(_ values: some Sequence<Value>) -> FetchPredicate {
        FetchPredicate(term: .isIn(expression, Set(values.map(\.storedValue))))
    }

    /// Returns a predicate that matches equal values; null equals null.
    public static func == (left: FetchAttribute, right: Value) -> FetchPredicate {
        left.compare(.equal, right)
    }

    /// Returns a predicate that matches different values, including null.
    public static func != (left: FetchAttribute, right: Value) -> FetchPredicate {
        left.compare(.notEqual, right)
    }

    /// Returns a predicate that matches lesser values.
    public static func < (left: FetchAttribute, right: Value) -> FetchPredicate {
        left.compare(.less, right)
    }

    /// Returns a predicate that matches lesser and equal values.
    public static func <= (left: FetchAttribute, right: Value) -> FetchPredicate {
        left.compare(.lessOrEqual, right)
    }

    /// Returns a predicate that matches greater values.
    public static func > (left: FetchAttribute, right: Value) -> FetchPredicate {
        left.compare(.greater, right)
    }

    /// Returns a predicate that matches greater and equal values.
    public static func >= (left: FetchAttribute, right: Value) -> FetchPredicate {
        left.compare(.greaterOrEqual, right)
    }

    // MARK: Two attributes

    /// Returns a predicate that matches equal attributes; null equals null.
    public static func == (left: FetchAttribute, right: FetchAttribute) -> FetchPredicate {
        left.compare(.equal, right)
    }

    /// Returns a predicate that matches different attributes.
    public static func != (left: FetchAttribute, right: FetchAttribute) -> FetchPredicate {
        left.compare(.notEqual, right)
    }

    /// Returns a predicate that matches if the left attribute is less.
    public static func < (left: FetchAttribute, right: FetchAttribute) -> FetchPredicate {
        left.compare(.less, right)
    }

    /// Returns a predicate that matches if the left attribute is less or equal.
    public static func <= (left: FetchAttribute, right: FetchAttribute) -> FetchPredicate {
        left.compare(.lessOrEqual, right)
    }

    /// Returns a predicate that matches if the left attribute is greater.
    public static func > (left: FetchAttribute, right: FetchAttribute) -> FetchPredicate {
        left.compare(.greater, right)
    }

    /// Returns a predicate that matches if the left attribute is greater or equal.
    public static func >= (left: FetchAttribute, right: FetchAttribute) -> FetchPredicate {
        left.compare(.greaterOrEqual, right)
    }
}

// MARK: - Arithmetic

/// A type of attributes with which SQLite calculates: integers and floating-point numbers.
public protocol NumericAttributeValue: AttributeValue {
    /// The type of a sum of values: `Int` and `Double` for narrower types, which could not represent it.
    associatedtype Sum: AttributeValue & Numeric = Self
}

extension Optional: NumericAttributeValue where Wrapped: NumericAttributeValue {
    /// The type of a sum of the values that are not `nil`.
    public typealias Sum = Wrapped.Sum
}

extension Int: NumericAttributeValue {}

extension Int64: NumericAttributeValue {}

extension Int32: NumericAttributeValue {
    /// An integer of 64 bits, as a sum of narrow ones can exceed their range.
    public typealias Sum = Int
}

extension Int16: NumericAttributeValue {
    /// An integer of 64 bits, as a sum of narrow ones can exceed their range.
    public typealias Sum = Int
}

extension Int8: NumericAttributeValue {
    /// An integer of 64 bits, as a sum of narrow ones can exceed their range.
    public typealias Sum = Int
}

extension UInt32: NumericAttributeValue {
    /// An integer of 64 bits, as a sum of narrow ones can exceed their range.
    public typealias Sum = Int
}

extension UInt16: NumericAttributeValue {
    /// An integer of 64 bits, as a sum of narrow ones can exceed their range.
    public typealias Sum = Int
}

extension UInt8: NumericAttributeValue {
    /// An integer of 64 bits, as a sum of narrow ones can exceed their range.
    public typealias Sum = Int
}

extension Double: NumericAttributeValue {}

extension Float: NumericAttributeValue {
    /// A number with the precision with which SQLite adds.
    public typealias Sum = Double
}

extension FetchAttribute where Value: NumericAttributeValue {
    private func combined(_ symbol: FetchArithmetic, _ value: Value) -> FetchAttribute {
        FetchAttribute(.arithmetic(expression, symbol, .value(value.storedValue)))
    }

    private func combined(_ symbol: FetchArithmetic, _ other: FetchAttribute) -> FetchAttribute {
        FetchAttribute(.arithmetic(expression, symbol, other.expression))
    }

    /// Returns the sum of an attribute and a value.
    public static func + (left: FetchAttribute, right: Value) -> FetchAttribute {
        left.combined(.add, right)
    }

    /// Returns the difference of an attribute and a value.
    public static func - (left: FetchAttribute, right: Value) -> FetchAttribute {
        left.combined(.subtract, right)
    }

    /// Returns the product of an attribute and a value.
    public static func * (left: FetchAttribute, right: Value) -> FetchAttribute {
        left.combined(.multiply, right)
    }

    /// Returns the quotient of an attribute and a value; null for a division by zero.
    public static func / (left: FetchAttribute, right: Value) -> FetchAttribute {
        left.combined(.divide, right)
    }

    /// Returns the sum of two attributes.
    public static func + (left: FetchAttribute, right: FetchAttribute) -> FetchAttribute {
        left.combined(.add, right)
    }

    /// Returns the difference of two attributes.
    public static func - (left: FetchAttribute, right: FetchAttribute) -> FetchAttribute {
        left.combined(.subtract, right)
    }

    /// Returns the product of two attributes.
    public static func * (left: FetchAttribute, right: FetchAttribute) -> FetchAttribute {
        left.combined(.multiply, right)
    }

    /// Returns the quotient of two attributes; null for a division by zero.
    public static func / (left: FetchAttribute, right: FetchAttribute) -> FetchAttribute {
        left.combined(.divide, right)
    }
}

extension FetchAttribute where Value: NumericAttributeValue & BinaryInteger {
    /// Returns the remainder of an attribute and a value; null for a division by zero.
    public static func % (left: FetchAttribute, right: Value) -> FetchAttribute {
        left.combined(.remainder, right)
    }
}

// MARK: - Text

/// A type of attributes whose stored values are texts.
public protocol TextAttributeValue: AttributeValue {}

extension String: TextAttributeValue {}

extension Optional: TextAttributeValue where Wrapped: TextAttributeValue {}

extension FetchAttribute where Value: TextAttributeValue {
    private func matches(
        _ kind: TextMatch.Kind, _ text: String, _ options: TextOptions
    ) -> FetchPredicate {
        FetchPredicate(term: .text(expression, TextMatch(kind, text, options)))
    }

    /// Returns a predicate that matches attributes that contain a text.
    public func contains(_ text: String, _ options: TextOptions = []) -> FetchPredicate {
        matches(.contains, text, options)
    }

    /// Returns a predicate that matches attributes that begin with a text.
    ///
    /// Without options, the index of the attribute is used.
    public func hasPrefix(_ text: String, _ options: TextOptions = []) -> FetchPredicate {
        matches(.prefix, text, options)
    }

    /// Returns a predicate that matches attributes that end with a text.
    public func hasSuffix(_ text: String, _ options: TextOptions = []) -> FetchPredicate {
        matches(.suffix, text, options)
    }

    /// Returns a predicate that matches attributes that equal a text but for ignored differences.
    public func isEqual(to text: String, _ options: TextOptions) -> FetchPredicate {
        matches(.equal, text, options)
    }
}

// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension AnyValueTransform {
    /// A transform between text and the numbers of the standard library, including `Bool`.
    ///
    /// A boolean becomes `true` or `false`; in text `t`, `yes`, `y`, `1` and their opposites are
    /// also accepted, in any case.
    public static let numberString = numberString(coercions: .standard)

    /// Returns the transform between text and numbers under some coercions: with
    /// ``Coercion/lossyTextToNumber``, text that is not a number becomes 0.
    public static func numberString(coercions: Coercions) -> AnyValueTransform {
        AnyValueTransform(
            "number/string",
            [
                Direction(input: .type(String.self), output: .numbers) { value, output in
                    guard let text = value as? String,
                        let type = output as? any NumberType.Type
                    else { return .failed }
                    return Outcome(type.number(of: text, allowing: coercions))
                },
                Direction(input: .numbers, output: .type(String.self)) { value, _ in
                    Outcome((value as? any NumberType)?.numberText)
                },
            ])
    }

    /// A transform between text and decimals, with all digits; text that is not a number always
    /// fails.
    ///
    /// The text of a decimal has no trailing zeros in its fraction.
    public static let decimalString = AnyValueTransform(
        "decimal/string", between: String.self, and: Decimal.self
    ) { text in
        DecimalText.read(Array(text.trimmed.utf8).span)
    } back: { decimal in
        DecimalText.text(of: decimal)
    }

    /// A transform between decimals and the numbers of the standard library, except for `Bool`.
    ///
    /// A double becomes the decimal of its text, not of its binary fraction; a decimal with a
    /// fraction does not become an integer. A decimal is also converted to itself, because a
    /// document's number with more digits than a double has is a decimal.
    public static let decimalNumber = AnyValueTransform(
        "decimal/number",
        [
            Direction(
                input: .type(Decimal.self), output: quantities.union(.type(Decimal.self))
            ) { value, output in
                guard let decimal = value as? Decimal else { return .failed }
                guard let type = output as? any NumberType.Type else { return .value(decimal) }
                return Outcome(type.number(of: decimal))
            },
            Direction(input: quantities, output: .type(Decimal.self)) { value, _ in
                Outcome((value as? any NumberType)?.decimal)
            },
        ])

    /// A transform between numbers of the standard library with the same value.
    ///
    /// For a boolean every number except zero is true, and a boolean becomes 1 or 0.
    public static let number = AnyValueTransform("number", from: .numbers, to: .numbers) {
        value, output in
        guard let number = value as? any NumberType, let type = output as? any NumberType.Type
        else { return nil }
        return type.number(equal: number)
    }

    private static let quantities = TypeSet.numbers.subtracting(.type(Bool.self))
}

extension NumberType {
    /// Returns the number with the value of another type's number, or nil if it does not fit.
    ///
    /// Integers are converted by their digits, because doubles would lose some.
    fileprivate static func number(equal other: any NumberType) -> Self? {
        if let boolean = other as? Bool { return number(of: boolean ? 1.0 : 0.0) }
        if Self.self == Bool.self || other is any BinaryFloatingPoint {
            return number(of: other.nearestDouble)
        }
        return number(of: other.numberText, allowing: .strict)
    }
}

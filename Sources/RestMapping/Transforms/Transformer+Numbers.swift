// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Transformer {
    /// Between text and numbers of the standard library, booleans among them.
    ///
    /// A boolean is `true` or `false`; of text for one `t`, `yes`, `y`, `1` and their opposites are
    /// understood too, in any case.
    public static let numberString = numberString(coercions: .standard)

    /// The same, with what may be made of text that is no number: 0 of nonsense, where
    /// ``Coercion/nonsenseToNumber`` is allowed.
    public static func numberString(coercions: Coercions) -> Transformer {
        Transformer(
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

    /// Between text and decimals, with every digit; no nonsense is ever 0.
    ///
    /// The text of a decimal has no zeros at the end of its fraction.
    public static let decimalString = Transformer(
        "decimal/string", between: String.self, and: Decimal.self
    ) { text in
        DecimalText.read(Array(text.trimmed.utf8).span)
    } back: { decimal in
        DecimalText.text(of: decimal)
    }

    /// Between decimals and numbers of the standard library, but not booleans.
    ///
    /// A double becomes the decimal it is written as, not the binary fraction it is; a decimal that
    /// is no whole number becomes no integer. A decimal stays one, as a document's number with more
    /// digits than a double has comes as such.
    public static let decimalNumber = Transformer(
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

    /// Between numbers of the standard library that hold the same value; to a boolean every number
    /// but zero is true, and of one 1 or 0.
    public static let number = Transformer("number", from: .numbers, to: .numbers) {
        value, output in
        guard let number = value as? any NumberType, let type = output as? any NumberType.Type
        else { return nil }
        return type.number(equal: number)
    }

    private static let quantities = TypeSet.numbers.subtracting(.type(Bool.self))
}

extension NumberType {
    /// The number with the value of another type's, or nil if it does not fit.
    ///
    /// Integers take the way over their digits, which loses none where doubles would.
    fileprivate static func number(equal other: any NumberType) -> Self? {
        if let boolean = other as? Bool { return number(of: boolean ? 1.0 : 0.0) }
        if Self.self == Bool.self || other is any BinaryFloatingPoint {
            return number(of: other.nearestDouble)
        }
        return number(of: other.numberText, allowing: .strict)
    }
}

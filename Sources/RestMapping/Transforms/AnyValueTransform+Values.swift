// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension AnyValueTransform {
    /// A transform of values that are of the requested type already.
    public static let identity = AnyValueTransform(
        "identity",
        [
            Direction(
                input: .any, output: .any,
                isPair: { input, output in input == output || output == Any.self },
                convert: { value, output in Outcome(value.flatMap { cast($0, to: output) }) })
        ])

    /// A transform of null to nil of any type, which accepts nothing else.
    public static let null = AnyValueTransform(
        "null",
        [
            Direction(
                input: .any, output: .any, accepts: { $0 == nil }, convert: { _, _ in .null })
        ])

    /// A transform between text and URLs; nothing is percent-encoded to make text valid.
    public static let url = AnyValueTransform("URL", between: String.self, and: URL.self) { text in
        URL(wellFormed: text)
    } back: { url in
        url.absoluteString
    }

    /// A transform of values with a lossless textual description to that text.
    public static let stringValue = AnyValueTransform(
        "string value",
        from: TypeSet { $0 is any LosslessStringConvertible.Type }.union(.type(UUID.self)),
        to: .type(String.self)
    ) { value, _ in
        switch value {
        case let number as any NumberType: number.numberText
        case let value as any LosslessStringConvertible: value.description
        case let value as UUID: value.uuidString
        default: nil
        }
    }

    /// A transform of a value to an object with the value as its only key and an empty object
    /// inside: `{key: {}}`.
    ///
    /// Inverse mappings of nesting keys need it. It is not part of the default chain, where it
    /// would turn any text into an object.
    public static let keyOfObject = AnyValueTransform(
        "key of object", from: TypeSet { $0 is any Hashable.Type },
        to: TypeSet { $0 is any KeyedType.Type }
    ) { value, output in
        guard let key = value as? any Hashable, let type = output as? any KeyedType.Type else {
            return nil
        }
        return type.object(holding: key)
    }
}

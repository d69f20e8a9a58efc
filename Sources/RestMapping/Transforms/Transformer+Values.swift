// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Transformer {
    /// A value that is of the wanted type already.
    public static let identity = Transformer(
        "identity",
        [
            Direction(
                input: .any, output: .any,
                isPair: { input, output in input == output || output == Any.self },
                convert: { value, output in Outcome(value.flatMap { cast($0, to: output) }) })
        ])

    /// Null, whatever type is wanted; nothing else.
    public static let null = Transformer(
        "null",
        [
            Direction(
                input: .any, output: .any, accepts: { $0 == nil }, convert: { _, _ in .null })
        ])

    /// Between text and URLs; nothing is percent-encoded to make text one.
    public static let url = Transformer("URL", between: String.self, and: URL.self) { text in
        URL(wellFormed: text)
    } back: { url in
        url.absoluteString
    }

    /// Whatever has a lossless text to that.
    public static let stringValue = Transformer(
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

    /// A value to an object that has it as its only key, and an empty object in it: `{key: {}}`.
    ///
    /// What nesting by key needs on its way back; not part of the default chain, where any text
    /// would become an object.
    public static let keyOfObject = Transformer(
        "key of object", from: TypeSet { $0 is any Hashable.Type },
        to: TypeSet { $0 is any KeyedType.Type }
    ) { value, output in
        guard let key = value as? any Hashable, let type = output as? any KeyedType.Type else {
            return nil
        }
        return type.object(holding: key)
    }
}

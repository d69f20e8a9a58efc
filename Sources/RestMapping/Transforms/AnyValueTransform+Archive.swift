// SPDX-License-Identifier: Apache-2.0

public import RestDocument

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension AnyValueTransform {
    /// A transform between `Codable` values and data that contains them as JSON.
    ///
    /// The arrays and objects of documents are also archived, with all their contents. Equal values have
    /// equal data.
    public static let archive = archive(of: encodables, .sorted, DocumentDecoder())

    /// Returns a transform between `Codable` values and data, with a custom encoder and decoder.
    public static func archive(
        encoder: DocumentEncoder = DocumentEncoder(), decoder: DocumentDecoder = DocumentDecoder()
    ) -> AnyValueTransform {
        archive(of: encodables, encoder, decoder)
    }

    /// A transform between Base64 text and data.
    public static let base64 = AnyValueTransform(
        "Base64", between: String.self, and: Data.self
    ) { text in
        Data(base64Encoded: text)
    } back: { data in
        data.base64EncodedString()
    }

    /// An archive of values other than text, as text for data is Base64.
    static let structureArchive = archive(
        of: encodables.subtracting(.type(String.self)), .sorted, DocumentDecoder())

    private static func archive(
        of values: TypeSet, _ encoder: DocumentEncoder, _ decoder: DocumentDecoder
    ) -> AnyValueTransform {
        AnyValueTransform(
            "archive",
            [
                Direction(
                    input: values, output: .type(Data.self),
                    accepts: { $0.map { PlainArchive.holds($0) } ?? false },
                    convert: { value, _ in
                        guard let value else { return .failed }
                        let content = value as? any Encodable ?? PlainArchive(value: value)
                        return Outcome(try? Data(encoder.bytes(of: content)))
                    }),
                Direction(
                    input: .type(Data.self), output: TypeSet { $0 is any Decodable.Type }
                ) { value, output in
                    guard let data = value as? Data, let type = output as? any Decodable.Type
                    else { return .failed }
                    return Outcome(try? decoder.decode(type, from: data))
                },
            ])
    }

    private static let encodables = TypeSet {
        $0 is any Encodable.Type || $0 == [Any].self || $0 == [String: Any].self
    }.subtracting(.type(Data.self))
}

/// A value of a document in plain Swift types, whose arrays and objects are not typed.
private struct PlainArchive: Encodable {
    let value: Any

    /// Returns a Boolean value that indicates whether a value and all its contents can be encoded.
    static func holds(_ value: Any) -> Bool {
        switch value {
        case is any Encodable: true
        case let optional as any OptionalType: optional.isEmptyOptional
        case let elements as [Any]: elements.allSatisfy { holds($0) }
        case let members as [String: Any]: members.values.allSatisfy { holds($0) }
        default: false
        }
    }

    func encode(to encoder: any Encoder) throws {
        switch value {
        case let value as any Encodable:
            var container = encoder.singleValueContainer()
            try container.encode(value)
        case let elements as [Any]:
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(PlainArchive(value: element)) }
        case let members as [String: Any]:
            var container = encoder.container(keyedBy: ArchiveKey.self)
            for (key, member) in members {
                try container.encode(
                    PlainArchive(value: member), forKey: ArchiveKey(stringValue: key))
            }
        default:
            // The remaining values are null.
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        }
    }
}

private struct ArchiveKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

// SPDX-License-Identifier: Apache-2.0

import RestDocument

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The invariants of decoding and encoding.
package enum CodingInvariants {
    /// Decodes an input as a value of any shape, and parts of it as members of a type.
    ///
    /// - Returns: A Boolean value that indicates whether the input is a document.
    @discardableResult
    package static func check(_ input: [UInt8]) throws(BrokenInvariant) -> Bool {
        try checkTyped(input)
        guard let document = try? Document(parsing: input) else { return false }
        try checkUntyped(document, input)
        return true
    }

    // MARK: Values of any shape

    private static func checkUntyped(
        _ document: Document, _ input: [UInt8]
    ) throws(BrokenInvariant) {
        guard let value = try decode(AnyShape.self, document, DocumentDecoder()) else { return }
        let again = try encode(value, DocumentEncoder())
        // Values may differ: 1.00000000000000000001 is a double, and an integer once rounded.
        guard let copy = try decode(AnyShape.self, again, DocumentDecoder()) else {
            throw BrokenInvariant(description: "what was encoded can be decoded")
        }
        let third = try encode(copy, DocumentEncoder())
        try require(third == again, "encoding comes to rest")
        // Canonically equivalent keys are one key of a dictionary.
        let isPlain = input.allSatisfy { $0 < 0x80 && $0 != UInt8(ascii: "\\") }
        if isPlain, document.issues.isEmpty, value.isExact {
            try require(again == document, "exact values are encoded as they were")
        }
    }

    // MARK: Members of a type

    private static func checkTyped(_ input: [UInt8]) throws(BrokenInvariant) {
        var source = ByteSource(input)
        var decoder = DocumentDecoder()
        var encoder = DocumentEncoder()
        if source.byte() & 1 == 1 {
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            encoder.keyEncodingStrategy = .convertToSnakeCase
        }
        guard let document = SampleText.document(&source),
            let value = try decode(Sample.self, document, decoder)
        else { return }
        let first = try encode(value, encoder)
        guard let copy = try decode(Sample.self, first, decoder) else {
            throw BrokenInvariant(description: "what was encoded can be decoded")
        }
        let second = try encode(copy, encoder)
        try require(first == second, "encoding comes to rest")
        try require(
            (try? encoder.bytes(of: value)) == JSONWriter.compact.bytes(of: first),
            "bytes are those of the document")
    }

    // MARK: Coding

    private static func decode<T: Decodable>(
        _ type: T.Type, _ document: Document, _ decoder: DocumentDecoder
    ) throws(BrokenInvariant) -> T? {
        do throws(DocumentError) {
            return try decoder.decode(type, from: document)
        } catch {
            let isExpected = error.code == .notDecodable || error.code == .limitExceeded
            try require(isExpected, "a code of decoding: \(error.code)")
            try require(!error.description.utf8.contains(0x0A), "an error of one line")
            try require(error.description.utf8.count < 4_096, "a short description")
            return nil
        }
    }

    private static func encode(
        _ value: some Encodable, _ encoder: DocumentEncoder
    ) throws(BrokenInvariant) -> Document {
        do throws(DocumentError) {
            return try encoder.encode(value)
        } catch {
            throw BrokenInvariant(description: "what was decoded can be encoded: \(error)")
        }
    }
}

/// A value of any shape.
private indirect enum AnyShape: Codable {
    case null
    case bool(Bool)
    case integer(Int64)
    case unsigned(UInt64)
    case double(Double)
    case text(String)
    case array([AnyShape])
    case object([String: AnyShape])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(UInt64.self) {
            self = .unsigned(value)
        } else if let value = try? container.decode(Double.self) {
            self = .double(value)
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if var elements = try? decoder.unkeyedContainer() {
            var array: [AnyShape] = []
            while !elements.isAtEnd { array.append(try elements.decode(AnyShape.self)) }
            self = .array(array)
        } else {
            self = .object(try container.decode([String: AnyShape].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .unsigned(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .text(let value): try container.encode(value)
        case .array(let values): try container.encode(values)
        case .object(let members): try container.encode(members)
        }
    }

    /// A Boolean value that indicates whether all numbers are exact.
    var isExact: Bool {
        switch self {
        case .double: false
        case .array(let values): values.allSatisfy(\.isExact)
        case .object(let members): members.values.allSatisfy(\.isExact)
        default: true
        }
    }
}

/// Members of many types.
private struct Sample: Codable {
    var id: Int?
    var small: Int8?
    var unsigned: UInt64?
    var wide: UInt16?
    var ratio: Double?
    var single: Float?
    var isOpen: Bool?
    var fullName: String?
    var createdAt: Date?
    var rawData: Data?
    var homePage: URL?
    var unitPrice: Decimal?
    var tagList: [String]?
    var scores: [String: Int]?
    var children: [Sample]?
    var identifier: UUID?
}

/// A text with the members of a sample and values that nearly fit.
private enum SampleText {
    private static let keys = [
        "id", "small", "unsigned", "wide", "ratio", "single", "isOpen", "fullName", "createdAt",
        "rawData", "homePage", "unitPrice", "tagList", "scores", "children", "identifier",
        "is_open", "full_name", "created_at", "raw_data", "home_page", "unit_price", "tag_list",
    ]

    private static let values = [
        "null", "true", "0", "-1", "127", "128", "65535", "1.5", "1e2", "18446744073709551615",
        "1e400", "0.1", "19.99", "16777217", "\"\"", "\"text\"", "\"2024-05-01T12:00:00.5+02:00\"",
        "\"1969-12-31\"", "\"AQID\"", "\"https://example.org/?q=1\"", "[]", "[\"a\",\"b\"]",
        "{\"a\":1,\"b\":2}", "[{\"id\":1,\"children\":[{\"small\":2}]},{}]", "[null]", "[1,2]",
        "\"E621E1F8-C36C-495A-93FC-0C247A3E6E5F\"", "-0", "{}", "\"\\u00e9\\n\"",
    ]

    /// Returns an object whose members an input chooses.
    static func document(_ source: inout ByteSource) -> Document? {
        var members: [String] = []
        while !source.isEmpty, members.count < 24 {
            let key = keys[Int(source.byte()) % keys.count]
            let choice = Int(source.byte())
            let value =
                choice < 0xC0 ? values[choice % values.count] : source.text(choice & 0x1F)
            members.append("\"\(key)\":\(value)")
        }
        return try? Document(parsing: "{\(members.joined(separator: ","))}")
    }
}

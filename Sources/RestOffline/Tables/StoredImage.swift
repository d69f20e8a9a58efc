// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestOutbox
import RestPersistence

/// Values of an object as text that can be read in the file.
///
/// Integers, texts and null are those of JSON; a floating-point number is `{"double": "1.5"}`, binary data
/// `{"data": "…"}` in hexadecimal digits.
struct StoredImage {
    let image: ObjectImage

    init(_ image: ObjectImage) { self.image = image }

    /// Creates the values of a text; returns `nil` if it is not one of this type.
    init?(text: String) {
        guard let document = try? Document(parsing: text, limits: .none),
            document.root.kind == .object
        else { return nil }
        var image: ObjectImage = [:]
        for (property, node) in document.root.members {
            guard let value = Self.value(of: node) else { return nil }
            image[property] = value
        }
        self.image = image
    }

    /// The text, with the properties in the order of their names.
    var text: StoredValue {
        if image.isEmpty { return .text("{}") }
        var builder = DocumentBuilder()
        builder.beginObject()
        for (property, value) in image.sorted(by: { $0.key < $1.key }) {
            builder.key(property)
            Self.append(value, to: &builder)
        }
        builder.end()
        return .text(JSONWriter.compact.text(of: builder.finish()))
    }

    private static func value(of node: Node) -> StoredValue? {
        switch node.kind {
        case .null: return .null
        case .number: return node.int64.map { .integer($0) }
        case .string: return node.string.map { .text($0) }
        case .object:
            if let text = node["double"]?.string { return Double(text).map { .double($0) } }
            let bytes = node["data"]?.string.flatMap { Data(hexadecimal: $0) }
            return bytes.map { .data($0) }
        default: return nil
        }
    }

    private static func append(_ value: StoredValue, to builder: inout DocumentBuilder) {
        switch value {
        case .null: builder.null()
        case .integer(let value): builder.number(value)
        case .text(let value): builder.string(value)
        case .double(let value):
            builder.beginObject()
            builder.key("double")
            builder.string(String(value))
            builder.end()
        case .data(let value):
            builder.beginObject()
            builder.key("data")
            builder.string(value.hexadecimal)
            builder.end()
        }
    }
}

/// Header fields as text: an object of JSON, in the order of the names.
enum FieldText {
    static func encode(_ fields: [String: String]) -> StoredValue {
        var builder = DocumentBuilder()
        builder.beginObject()
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            builder.key(name)
            builder.string(value)
        }
        builder.end()
        return .text(JSONWriter.compact.text(of: builder.finish()))
    }

    /// Returns the fields; `nil` for another text.
    static func decode(_ text: String) -> [String: String]? {
        guard let document = try? Document(parsing: text, limits: .none),
            document.root.kind == .object
        else { return nil }
        var fields: [String: String] = [:]
        for (name, node) in document.root.members {
            guard let value = node.string else { return nil }
            fields[name] = value
        }
        return fields
    }
}

extension Data {
    /// The bytes as pairs of digits, as SQLite's `hex` writes them.
    fileprivate var hexadecimal: String {
        map { byte in
            let digits = String(byte, radix: 16, uppercase: true)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    fileprivate init?(hexadecimal text: String) {
        let digits = Array(text)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes = Data(capacity: digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = UInt8(String(digits[index...index + 1]), radix: 16) else { return nil }
            bytes.append(byte)
        }
        self = bytes
    }
}

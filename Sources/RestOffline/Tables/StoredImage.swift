// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestOutbox
import RestPersistence

/// Values of an object as text that can be read in the file.
///
/// Integers, texts and null are those of JSON; a floating-point number is `{"double": "1.5"}`, binary data
/// `{"data": "…"}` in hexadecimal digits.
struct StoredImage: Codable, Hashable {
    private struct Value: Codable, Hashable {
        let stored: StoredValue

        private enum Key: String, CodingKey {
            case double
            case data
        }

        init(_ stored: StoredValue) { self.stored = stored }

        init(from decoder: any Decoder) throws {
            if let container = try? decoder.container(keyedBy: Key.self) {
                if let text = try container.decodeIfPresent(String.self, forKey: .double) {
                    guard let number = Double(text) else {
                        throw DecodingError.dataCorruptedError(
                            forKey: .double, in: container, debugDescription: "no number")
                    }
                    stored = .double(number)
                } else {
                    let digits = try container.decode(String.self, forKey: .data)
                    guard let bytes = Data(hexadecimal: digits) else {
                        throw DecodingError.dataCorruptedError(
                            forKey: .data, in: container, debugDescription: "no bytes")
                    }
                    stored = .data(bytes)
                }
                return
            }
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                stored = .null
            } else if let integer = try? container.decode(Int64.self) {
                stored = .integer(integer)
            } else {
                stored = .text(try container.decode(String.self))
            }
        }

        func encode(to encoder: any Encoder) throws {
            switch stored {
            case .null:
                var container = encoder.singleValueContainer()
                try container.encodeNil()
            case .integer(let value):
                var container = encoder.singleValueContainer()
                try container.encode(value)
            case .text(let value):
                var container = encoder.singleValueContainer()
                try container.encode(value)
            case .double(let value):
                var container = encoder.container(keyedBy: Key.self)
                try container.encode(String(value), forKey: .double)
            case .data(let value):
                var container = encoder.container(keyedBy: Key.self)
                try container.encode(value.hexadecimal, forKey: .data)
            }
        }
    }

    private let values: [String: Value]

    init(_ image: ObjectImage) { values = image.mapValues(Value.init) }

    init(from decoder: any Decoder) throws {
        values = try decoder.singleValueContainer().decode([String: Value].self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(values)
    }

    var image: ObjectImage { values.mapValues(\.stored) }

    /// Creates the values of a text; returns `nil` if it is not one of this type.
    init?(text: String) {
        guard let image = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)) else {
            return nil
        }
        self = image
    }

    /// The text, with the properties in the order of their names.
    var text: StoredValue {
        if values.isEmpty { return .text("{}") }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(self) else { return .text("{}") }
        return .text(String(decoding: data, as: UTF8.self))
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

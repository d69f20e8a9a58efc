// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// A document with the keys of the fuzzed mappings.
enum FuzzedDocument {
    private static let keys: [[UInt8]] = [
        "id", "name", "count", "small", "ratio", "is_open", "day", "price", "kind", "tags",
        "scores", "label", "leaf", "leaves", "parent", "branches", "a", "b", "é", "a.b", "",
        "__proto__", "description", "isOpen",
    ].map { Array("\"\($0)\":".utf8) }

    private static let values: [[UInt8]] = [
        "null", "true", "false", "0", "1", "-7", "256", "1.5", "1e400", "9223372036854775808",
        "0.1", "\"\"", "\" \"", "\"text\"", "\"12\"", "\"small\"", "\"large\"", "\"nowhere\"",
        "\"2024-05-01T12:00:00Z\"", "\"Sun, 06 Nov 1994 08:49:37 GMT\"", "\"/Date(1000)/\"",
        "\"19.99\"", "[]", "[1,\"a\",null]", "{}", "{\"a\":1}", "{\"x\":{\"id\":2}}", "\"true\"",
        "[{\"id\":3},{\"id\":\"4\",\"name\":\"n\"}]", "{\"id\":5,\"leaf\":{\"name\":1}}", "-0",
    ].map { Array($0.utf8) }

    /// Returns the input parsed as JSON, or else a document built from its bytes.
    static func document(of input: ArraySlice<UInt8>) -> Document? {
        var limits = ParseLimits()
        limits.depth = 24
        // Only containers are parsed: an error takes longer than building a document.
        if let first = input.first, first == UInt8(ascii: "{") || first == UInt8(ascii: "["),
            let document = try? Document(parsing: Array(input), limits: limits)
        {
            return document
        }
        var source = ByteSource(input)
        var text: [UInt8] = []
        text.reserveCapacity(1024)
        append(&source, 0, to: &text)
        return try? Document(parsing: text, limits: limits)
    }

    private static func append(_ source: inout ByteSource, _ depth: Int, to text: inout [UInt8]) {
        let choice = source.byte()
        switch choice & 7 {
        case 0...1 where depth < 8 && !source.isEmpty:
            text.append(UInt8(ascii: "["))
            for position in 0...(choice >> 3 & 3) {
                if position > 0 { text.append(UInt8(ascii: ",")) }
                append(&source, depth + 1, to: &text)
            }
            text.append(UInt8(ascii: "]"))
        case 2...4 where depth < 8 && !source.isEmpty:
            text.append(UInt8(ascii: "{"))
            for position in 0...(choice >> 3 & 7) {
                if position > 0 { text.append(UInt8(ascii: ",")) }
                text += keys[Int(source.byte()) % keys.count]
                append(&source, depth + 1, to: &text)
            }
            text.append(UInt8(ascii: "}"))
        default: text += values[Int(source.byte()) % values.count]
        }
    }
}

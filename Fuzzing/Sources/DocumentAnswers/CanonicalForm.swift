// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// The canonical form of a value, identical for both parsers.
///
/// `n`, `t` and `f` are null, true and false; `i12;` is a 64-bit integer, `d` the bits of any other
/// number, `x1e999;` a number beyond the range of `Double`; `s5:` is a string of five bytes. Members
/// are ordered by the bytes of their keys; of equal keys only the last is kept.
struct CanonicalForm {
    /// The bytes written so far.
    private(set) var bytes: [UInt8] = []

    /// Writes a value; recursion is bounded by the parser's nesting limit.
    mutating func append(_ node: Node) {
        switch node.kind {
        case .null: bytes += "n".utf8
        case .boolean: bytes += (node.bool == true ? "t" : "f").utf8
        case .number: appendNumber(node)
        case .string: appendText(node.string ?? "")
        case .array:
            bytes += "[".utf8
            for element in node.elements { append(element) }
            bytes += "]".utf8
        case .object:
            var members: [[UInt8]: Node] = [:]
            for (key, value) in node.members { members[Array(key.utf8)] = value }
            bytes += "{".utf8
            for (key, value) in members.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
                appendText(String(decoding: key, as: UTF8.self))
                append(value)
            }
            bytes += "}".utf8
        }
    }

    private mutating func appendNumber(_ node: Node) {
        let text = node.numberText ?? ""
        let isWhole = !text.utf8.contains { ".eE".utf8.contains($0) }
        if isWhole, let value = node.int64 {
            bytes += "i\(value);".utf8
        } else if isWhole, let value = node.uint64 {
            bytes += "i\(value);".utf8
        } else if let value = node.double {
            bytes += "d\(String(value.bitPattern, radix: 16));".utf8
        } else {
            bytes += "x\(text);".utf8
        }
    }

    private mutating func appendText(_ text: String) {
        bytes += "s\(text.utf8.count):".utf8
        bytes += text.utf8
    }
}

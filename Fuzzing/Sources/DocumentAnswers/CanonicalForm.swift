// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// A value in a form that two programs write alike.
///
/// `n`, `t` and `f` are null, true and false; `i12;` a whole number of 64 bits, `d` the bits of any
/// other one, `x1e999;` one beyond the range of doubles; `s5:` a text of five bytes. Members are
/// ordered by the bytes of their keys, the last one of equal keys only.
struct CanonicalForm {
    /// What was written.
    private(set) var bytes: [UInt8] = []

    /// Writes a value; as deep as the parser's limit lets it be.
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

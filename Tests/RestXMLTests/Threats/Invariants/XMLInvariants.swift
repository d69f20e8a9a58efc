// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestXML

/// The invariants of reading XML.
package enum XMLInvariants {
    /// Reads an input as XML, writes the document as XML, and reads it again.
    ///
    /// - Returns: A Boolean value that indicates whether the input was accepted.
    @discardableResult
    package static func check(_ input: [UInt8]) throws(BrokenInvariant) -> Bool {
        let format = XMLFormat(attributePrefix: "@", textKey: "#", allowsDocumentType: true)
        let document: Document
        do throws(DocumentError) {
            document = try format.read(input)
        } catch {
            try check(error, input)
            return false
        }
        let members = Array(document.root.members)
        try require(members.count == 1, "one root element")
        var writer = CanonicalXML()
        for (name, value) in members { writer.write(name, value) }
        try require(
            writer.isRepresentable, "the document consists of objects, nonempty lists and strings")
        try compare(writer.bytes, document, "a document that is written and read is equal")
        try compare(
            Array("<!-- c -->\r\n<?p?>".utf8) + writer.bytes + Array("<?p q?>\n".utf8), document,
            "blanks, comments and instructions around the root element are ignored")
        for tail in ["<a/>", "x", "<!--", "</a>", "<![CDATA[]]>"] {
            try require(
                (try? format.read(writer.bytes + tail.utf8)) == nil,
                "content after the root element is rejected")
        }
        for count in [writer.bytes.count / 2, writer.bytes.count - 1] {
            try require(
                (try? format.read(Array(writer.bytes.prefix(count)))) == nil,
                "a truncated text is rejected")
        }
        return true
    }

    private static func compare(
        _ xml: [UInt8], _ document: Document, _ invariant: String
    ) throws(BrokenInvariant) {
        let format = XMLFormat(attributePrefix: "@", textKey: "#")
        let again = try? format.read(xml)
        // Bytes, as `==` compares strings by canonical equivalence.
        try require(
            again.map { JSONWriter.compact.bytes(of: $0) }
                == JSONWriter.compact.bytes(of: document), invariant)
    }

    private static func check(
        _ error: DocumentError, _ input: [UInt8]
    ) throws(BrokenInvariant) {
        try require((0...input.count).contains(error.offset), "the offset is in the text")
        // In UTF-8, line and column follow from the offset.
        if !input.prefix(4).contains(where: { $0 == 0 || $0 >= 0xFE }) {
            let lines = input[..<error.offset].split(
                separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            try require(error.line == max(1, lines.count), "the line is that of the offset")
            try require(
                error.column == (lines.last?.count ?? 0) + 1, "the column is that of the offset")
        }
        try require(!error.expected.isEmpty, "the error names what was expected")
        try require(
            error.description.unicodeScalars.allSatisfy { $0.value >= 0x20 },
            "the description is one line")
    }
}

/// Writes a document as XML that was read from XML, with the attribute prefix `@` and the text key `#`.
private struct CanonicalXML {
    private(set) var bytes: [UInt8] = []
    private(set) var isRepresentable = true

    mutating func write(_ name: String, _ value: Node) {
        switch value.kind {
        case .array:
            if value.count == 0 { isRepresentable = false }
            for element in value.elements { write(name, element) }
        case .object:
            bytes += "<\(name)".utf8
            let members = Array(value.members)
            for (key, text) in members where key.hasPrefix("@") {
                bytes += " \(key.dropFirst())=\"".utf8
                escape(text)
                bytes += "\"".utf8
            }
            bytes += ">".utf8
            for (key, value) in members where !key.hasPrefix("@") {
                if key == "#" { escape(value) } else { write(key, value) }
            }
            bytes += "</\(name)>".utf8
        default:
            bytes += "<\(name)>".utf8
            escape(value)
            bytes += "</\(name)>".utf8
        }
    }

    private mutating func escape(_ text: Node) {
        guard let text = text.string else {
            isRepresentable = false
            return
        }
        for scalar in text.unicodeScalars {
            switch scalar {
            case "<", ">", "&", "\"", "\t", "\n", "\r": bytes += "&#\(scalar.value);".utf8
            default: bytes += Array(String(scalar).utf8)
            }
        }
    }
}

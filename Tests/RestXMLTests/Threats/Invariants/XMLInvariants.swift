// SPDX-License-Identifier: Apache-2.0

#if XML

import RestDocument
import RestXML

/// What holds for every text that is read as XML.
package enum XMLInvariants {
    /// Reads an input as XML, and what it holds once more from XML written of it.
    ///
    /// - Returns: Whether the input was accepted.
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
        try require(writer.isRepresentable, "objects, lists that are not empty, and texts")
        try compare(writer.bytes, document, "what was written of a document is that document")
        try compare(
            Array("<!-- c -->\r\n<?p?>".utf8) + writer.bytes + Array("<?p q?>\n".utf8), document,
            "what stands around the element is passed over")
        for tail in ["<a/>", "x", "<!--", "</a>", "<![CDATA[]]>"] {
            try require(
                (try? format.read(writer.bytes + tail.utf8)) == nil, "nothing follows the element")
        }
        // Neither would it end elsewhere.
        for count in [writer.bytes.count / 2, writer.bytes.count - 1] {
            try require(
                (try? format.read(Array(writer.bytes.prefix(count)))) == nil, "a part is refused")
        }
        return true
    }

    private static func compare(
        _ xml: [UInt8], _ document: Document, _ promise: String
    ) throws(BrokenInvariant) {
        let format = XMLFormat(attributePrefix: "@", textKey: "#")
        let again = try? format.read(xml)
        // Bytes, as `==` holds texts for equal that Unicode does.
        try require(
            again.map { JSONWriter.compact.bytes(of: $0) }
                == JSONWriter.compact.bytes(of: document), promise)
    }

    private static func check(
        _ error: DocumentError, _ input: [UInt8]
    ) throws(BrokenInvariant) {
        try require((0...input.count).contains(error.offset), "an offset in the text")
        // Where a text is UTF-8, the line and the column follow.
        if !input.prefix(4).contains(where: { $0 == 0 || $0 >= 0xFE }) {
            let lines = input[..<error.offset].split(
                separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            try require(error.line == max(1, lines.count), "the line of the offset")
            try require(error.column == (lines.last?.count ?? 0) + 1, "the column of the offset")
        }
        try require(!error.expected.isEmpty, "what was expected")
        try require(
            error.description.unicodeScalars.allSatisfy { $0.value >= 0x20 }, "one plain line")
    }
}

/// Writes a document that was read from XML, with `@` before attributes and `#` for texts.
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

#endif

// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// Looks at what stands before the root element, before any parser does.
///
/// What is refused here could make a parser load files or grow without bound. Whatever else is wrong
/// is left to the parser.
struct XMLProlog {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func check() throws(DocumentError) {
        // In the encodings that are taken, all of this is ASCII.
        if let zero = bytes.prefix(4).firstIndex(of: 0) {
            throw error(.unsupportedEncoding, at: zero, "UTF-8, US-ASCII or ISO-8859-1")
        }
        if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) {
            throw error(.unsupportedEncoding, at: 0, "UTF-8, US-ASCII or ISO-8859-1")
        }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        try checkEncoding()
        while true {
            skipBlanks()
            if take("<?") {
                guard skip(behind: "?>") else { return }
            } else if take("<!--") {
                guard skip(behind: "-->") else { return }
            } else if take("<!DOCTYPE") {
                try checkDocumentType()
            } else {
                return
            }
        }
    }

    /// The encoding that the XML declaration names; without one it is UTF-8.
    private mutating func checkEncoding() throws(DocumentError) {
        var isLatin = false
        if rest.starts(with: "<?xml".utf8) {
            let end = rest.firstIndex(of: UInt8(ascii: ">")) ?? bytes.endIndex
            let declaration = String(decoding: rest[..<end], as: UTF8.self)
            let parts = declaration.split(separator: "encoding", maxSplits: 1)
            if parts.count == 2 {
                let value = parts[1].drop { " \t\r\n=".contains($0) }
                let name = value.dropFirst().prefix { !"\"'".contains($0) }.uppercased()
                guard ["UTF-8", "US-ASCII", "ASCII", "ISO-8859-1"].contains(name) else {
                    throw error(
                        .unsupportedEncoding, at: position, "UTF-8, US-ASCII or ISO-8859-1")
                }
                isLatin = name == "ISO-8859-1"
            }
        }
        guard !isLatin else { return }
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        var count = 0
        while true {
            switch parser.parseScalar(from: &iterator) {
            case .valid(let scalar): count += scalar.count
            case .emptyInput: return
            case .error: throw error(.invalidUTF8, at: count, "well-formed UTF-8")
            }
        }
    }

    /// A declaration may name a public text, which is not loaded, and declare nothing itself.
    private mutating func checkDocumentType() throws(DocumentError) {
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "["):
                throw error(
                    .unexpectedByte, at: position,
                    "a document type without declarations of its own")
            case UInt8(ascii: ">"):
                position += 1
                return
            case let quote where quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"):
                let inside = bytes[(position + 1)...]
                guard let end = inside.firstIndex(of: quote) else {
                    position = bytes.count
                    return
                }
                position = end + 1
            default:
                position += 1
            }
        }
    }

    private var rest: ArraySlice<UInt8> { bytes[position...] }

    private mutating func skipBlanks() {
        while let byte = rest.first, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
    }

    private mutating func take(_ text: String) -> Bool {
        guard rest.starts(with: text.utf8) else { return false }
        position += text.utf8.count
        return true
    }

    private mutating func skip(behind text: String) -> Bool {
        let end = Array(text.utf8)
        while position < bytes.count {
            if rest.starts(with: end) {
                position += end.count
                return true
            }
            position += 1
        }
        return false
    }

    private func error(
        _ code: DocumentError.Code, at offset: Int, _ expected: String
    ) -> DocumentError {
        XMLPlace(offset: offset, in: bytes).error(code, expected)
    }
}

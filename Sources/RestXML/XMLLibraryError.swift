// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// An error of libxml2, by its number in `xmlParserErrors`.
struct XMLLibraryError {
    let number: Int

    /// A Boolean value that indicates whether the text is well-formed despite the error: an unknown
    /// version, a value of `xml:lang` or `xml:space`, or a namespace that is not an absolute URI.
    var isWarning: Bool { [97, 98, 99, 100, 102].contains(number) }

    /// An unspecified error (`XML_ERR_INTERNAL_ERROR`).
    static let unknown = XMLLibraryError(number: 1)
    /// A declaration of an entity (`XML_ERR_ENTITY_NOT_STARTED`).
    static let entityDeclaration = XMLLibraryError(number: 36)

    /// Creates a syntax error from the error and its location.
    ///
    /// - Parameters:
    ///   - cursor: The offset up to which libxml2 has parsed.
    ///   - segment: The last segment that libxml2 has.
    ///   - bytes: The text.
    /// - Returns: The error.
    func syntaxError(
        at cursor: Int, of segment: XMLSegment, in bytes: [UInt8]
    ) -> XMLSyntaxError {
        let (code, expected) = explanation
        return XMLSyntaxError(
            code: code, offset: offset(at: cursor, of: segment, in: bytes),
            expected: code == .limitExceeded ? expected : "expected \(expected)")
    }

    /// Returns the start of the tag or reference that causes the error, as libxml2 reports most errors
    /// behind it.
    private func offset(at cursor: Int, of segment: XMLSegment, in bytes: [UInt8]) -> Int {
        if case .documentType = segment.kind { return cursor }
        let start = bytes[..<cursor].lastIndex {
            $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&")
        }
        return start ?? cursor
    }

    private var explanation: (code: DocumentError.Code, expected: String) {
        switch number {
        case 6...9: (.unexpectedByte, "a reference to a character that XML allows")
        case 36: (.unexpectedByte, "no declaration of an entity")
        case 23, 26, 27: (.unexpectedByte, "one of the five entities of XML")
        case 39: (.unexpectedByte, "an attribute's value in quotes")
        case 41: (.unexpectedByte, "a value for each attribute")
        case 42, 203: (.duplicateKey, "each attribute once")
        case 64: (.unexpectedByte, "the XML declaration at the start only")
        case 65: (.unexpectedByte, "a blank before each attribute")
        case 68: (.unexpectedByte, "a name")
        case 110: (.limitExceeded, "at most 50000 bytes in a name")
        case 201: (.unexpectedByte, "a prefix that is declared")
        case 200, 202, 204, 205: (.unexpectedByte, "names and namespaces as they are specified")
        default: (.unexpectedByte, "well-formed XML (error \(number) of libxml2)")
        }
    }
}

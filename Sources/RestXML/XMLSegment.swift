// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// A part of a text that libxml2 parses at once.
struct XMLSegment {
    enum Kind {
        case startTag(attributeCount: Int)
        case endTag
        case text(byteCount: Int)
        /// A CDATA section, with the number of bytes between its delimiters.
        case section(byteCount: Int)
        case documentType
        /// Blanks around the root element.
        case blanks
        /// A comment or a processing instruction.
        case ignored
    }

    /// A Boolean value that indicates whether the segment can be parsed in pieces.
    var isDivisible: Bool {
        switch kind {
        case .text, .blanks: true
        case .startTag, .endTag, .section, .documentType, .ignored: false
        }
    }

    /// A Boolean value that indicates whether the segment begins or ends an element.
    var isTag: Bool {
        switch kind {
        case .startTag, .endTag: true
        case .text, .section, .documentType, .blanks, .ignored: false
        }
    }

    let kind: Kind
    /// The offsets in the UTF-8 text.
    let range: Range<Int>
}

/// An attribute or namespace declaration, whose name has its prefix as written.
struct XMLAttribute {
    let name: String
    let value: String

    /// A Boolean value that indicates whether the attribute declares a namespace.
    var isNamespace: Bool { name == "xmlns" || name.hasPrefix("xmlns:") }
}

/// A location relative to the root element.
enum XMLLocation {
    case before
    /// Inside the innermost open element.
    case inside(XMLElementName)
    case after
}

/// The name of an element with its prefix, as written.
struct XMLElementName {
    let text: String
    /// The offsets in the element's start tag.
    let range: Range<Int>

    /// The description of the element's end tag in error messages.
    var end: String { "the end of element \(DocumentPath([.key(text)]).abbreviated)" }
}

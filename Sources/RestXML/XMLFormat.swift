// SPDX-License-Identifier: Apache-2.0

#if XML

public import RestDocument

/// XML 1.0 with namespaces, read by Foundation's parser; it is not written.
///
/// ```swift
/// var formats = FormatRegistry.standard
/// formats.registerXML()
/// let document = try formats.read(bytes, as: "application/atom+xml")
/// document.root["feed"]?["entry"]?[0]?["title"]?.string
/// ```
///
/// ## The document
///
/// An object whose only member is the root element. An element is
///
/// - a text, if it has neither attributes nor elements inside: `<a>x</a>` is `"x"`, `<a/>` is `""`;
/// - else an object: its attributes, ordered by name, then the elements inside in the order in which
///   their names first occur, then its text under ``textKey`` unless that is blank.
///
/// What has the same name within one element, attributes and elements alike, is one array; so is what
/// has one of the ``arrayNames``, however often it occurs. A list that may have one element is
/// therefore mapped as a list or named there.
///
/// ```xml
/// <feed count="2"><entry id="1">News</entry><entry/></feed>
/// ```
/// ```json
/// {"feed": {"count": "2", "entry": [{"id": "1", "text": "News"}, ""]}}
/// ```
///
/// Every value is text, which mappings convert. Text keeps its blanks; where elements or comments
/// stand between its parts, these are joined. CDATA is text. Names keep their prefixes as written,
/// `dc:title`, and `xmlns` is an attribute as any other: a name is not resolved, so a server that
/// changes its prefixes changes its keys. Names are the same if their bytes are. Comments and
/// processing instructions are passed over.
///
/// ## What is refused
///
/// All that is not well-formed, text or elements behind the root element, prefixes that nothing
/// declares. A document type, unless ``allowsDocumentType``; even then nothing outside is loaded
/// and declarations of its own are refused, so that there are no entities but the five of XML, and
/// none can grow or read files. Encodings are UTF-8, UTF-16 with a byte order mark, US-ASCII and
/// ISO-8859-1; a declaration that contradicts the mark is refused.
///
/// Of ``RestDocument/ParseLimits``, the depth counts elements inside each other; a member is an
/// attribute or an element inside; an attribute and an element are two nodes each, name and value;
/// `stringByteCount` holds for an attribute's value and for all text of one element, as written in
/// UTF-8; `rejectsDuplicateKeys` means nothing. Beside them, whatever the limits, a tag, comment,
/// processing instruction or CDATA section may have 8 MiB and a name 50,000 bytes, elements inside
/// each other 1,024 attributes in all, and a document 65,536 different names (prefixes, namespaces
/// and targets of processing instructions are names, too): Foundation's parser takes no more, or
/// its time would grow with the square.
///
/// - Source: W3C XML 1.0 (fifth edition), Namespaces in XML 1.0. The shape is that of RestKit's
///   XML reader, but for elements without content, which it left out.
public struct XMLFormat: DocumentFormat, Hashable {
    /// What stands before the names of attributes; nothing by default.
    public var attributePrefix: String

    /// The name of an element's text beside attributes or elements; `text` by default.
    public var textKey: String

    /// Names that are arrays even where they occur once, as keys of the document: attributes with
    /// their prefix.
    public var arrayNames: Set<String>

    /// Whether a document type without declarations of its own is passed over, such as
    /// `<!DOCTYPE plist PUBLIC "…" "…">`, instead of being refused; `false` by default.
    public var allowsDocumentType: Bool

    /// Makes the format.
    public init(
        attributePrefix: String = "", textKey: String = "text", arrayNames: Set<String> = [],
        allowsDocumentType: Bool = false
    ) {
        self.attributePrefix = attributePrefix
        self.textKey = textKey
        self.arrayNames = arrayNames
        self.allowsDocumentType = allowsDocumentType
    }

    /// Reads XML.
    ///
    /// - Throws: ``RestDocument/DocumentError`` with offset, line and column in the bytes as they
    ///   are, and as its path the names of the elements that are open, without positions in
    ///   arrays. Codes: `unexpectedEnd`; `unexpectedByte`; `trailingContent` behind the root
    ///   element; `duplicateKey` for an attribute that is repeated; `invalidUTF8`, `loneSurrogate`
    ///   in UTF-16; `unsupportedEncoding`; `limitExceeded`.
    /// - Complexity: O(*n*) in the number of bytes; no recursion.
    public func read(
        _ bytes: [UInt8], limits: ParseLimits = .default
    ) throws(DocumentError) -> Document {
        let source = try XMLSource(bytes, limits: limits)
        var scanner = XMLScanner(source, limits: limits, allowsDocumentType: allowsDocumentType)
        let tree = try XMLEventReader(of: source, try scanner.scan(), format: self).tree()
        return tree.document(arrayNames: arrayNames)
    }

    /// XML is not written.
    ///
    /// - Throws: ``RestDocument/DocumentError`` with code `unwritableValue`, always.
    public func write(_ document: Document) throws(DocumentError) -> [UInt8] {
        throw DocumentError(
            .unwritableValue, offset: 0, expected: "a format that can be written; XML is only read")
    }
}

extension FormatRegistry {
    /// Adds XML for `application/xml`, `text/xml` and every `+xml`; requests say that they accept
    /// `application/xml`.
    public mutating func registerXML(_ format: XMLFormat = XMLFormat()) {
        register(format, for: "application/xml", "text/xml", "*/*+xml")
    }
}

#endif

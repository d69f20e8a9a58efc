// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// XML 1.0 with namespaces, which can be read but not written.
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
/// The root is an object with one member, the root element. An element is
///
/// - a string, if it has neither attributes nor child elements: `<a>x</a>` is `"x"`, `<a/>` is `""`;
/// - otherwise an object: its attributes, ordered by name, then its child elements in the order in
///   which their names first occur, then its text under ``textKey`` unless the text is blank.
///
/// Attributes and child elements of the same name become one array. So do those with one of the
/// ``arrayNames``, even if they occur once. Map a list that may have one element as a list, or name it
/// there.
///
/// ```xml
/// <feed count="2"><entry id="1">News</entry><entry/></feed>
/// ```
/// ```json
/// {"feed": {"count": "2", "entry": [{"id": "1", "text": "News"}, ""]}}
/// ```
///
/// Every value is a string, which mappings convert. Text keeps its blanks, and its parts before and
/// after child elements and comments are joined. CDATA sections are text. Comments and processing
/// instructions are ignored.
///
/// Names keep their prefixes as written, such as `dc:title`. They are not resolved, so a server that
/// changes its prefixes changes its keys. Namespace declarations are attributes, except one of the
/// prefix `xml`. Names are equal if their bytes are.
///
/// ## Restrictions
///
/// Reading fails for text that is not well-formed, content after the root element, and undeclared
/// prefixes. It fails for a document type unless ``allowsDocumentType`` is set. A document type with
/// declarations is never accepted and external ones are never loaded, so there are no entities but
/// the five of XML, which can neither expand without limit nor read files. The supported encodings
/// are UTF-8, UTF-16 with a byte order mark, US-ASCII, ISO-8859-1 and windows-1252. A declared encoding
/// must agree with the mark. The `charset` of a media type replaces the declared encoding, also for
/// UTF-16 without a mark, and a mark precedes both (RFC 7303 §3.2).
///
/// ``/RestDocument/ParseLimits`` apply as follows:
///
/// - `depth` counts nested elements.
/// - `memberCount` counts attributes and child elements.
/// - `nodeCount` counts two nodes for each attribute and element, name and value.
/// - `stringByteCount` applies to the value of an attribute and to all text of an element, as written
///   in UTF-8.
/// - `rejectsDuplicateKeys` has no effect.
///
/// Further limits are fixed, because libxml2 accepts no more or would need quadratic time: 8 MiB in a
/// tag, comment, processing instruction or CDATA section, 50,000 bytes in a name, 1,024 attributes in
/// nested elements, and 65,536 distinct names in a document, including prefixes, namespaces and
/// targets of processing instructions.
///
/// - Source: W3C XML 1.0 (fifth edition), Namespaces in XML 1.0. The shape is that of RestKit's
///   XML reader, except that it omitted empty elements.
public struct XMLFormat: DocumentFormat, Hashable {
    /// The prefix of attribute names in the document; empty by default.
    public var attributePrefix: String

    /// The key of an element's text beside attributes or child elements; `text` by default.
    public var textKey: String

    /// The keys that are arrays even if they occur once, including the prefix of attributes.
    public var arrayNames: Set<String>

    /// A Boolean value that indicates whether a document type without declarations, such as
    /// `<!DOCTYPE plist PUBLIC "…" "…">`, is ignored instead of rejected; `false` by default.
    public var allowsDocumentType: Bool

    /// Creates a format.
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
    /// - Throws: ``/RestDocument/DocumentError`` with offset, line and column in the given bytes. Its
    ///   path consists of the names of the open elements, without indices of arrays. Codes:
    ///   `unexpectedEnd`; `unexpectedByte`; `trailingContent` after the root element; `duplicateKey`
    ///   for a repeated attribute; `invalidUTF8`; `loneSurrogate` in UTF-16; `unsupportedEncoding`;
    ///   `limitExceeded`.
    /// - Complexity: O(*n*) in the number of bytes; no recursion.
    public func read(
        _ bytes: [UInt8], limits: ParseLimits = .default
    ) throws(DocumentError) -> Document {
        try read(XMLSource(bytes, limits: limits), limits)
    }

    /// Reads XML whose media type has a `charset`.
    ///
    /// - Throws: The errors of ``read(_:limits:)``; `unsupportedEncoding` for another charset.
    public func read(
        _ bytes: [UInt8], charset: String, limits: ParseLimits
    ) throws(DocumentError) -> Document {
        try read(XMLSource(bytes, charset: charset, limits: limits), limits)
    }

    private func read(
        _ source: XMLSource, _ limits: ParseLimits
    ) throws(DocumentError) -> Document {
        var scanner = XMLSegmentScanner(
            source, limits: limits, allowsDocumentType: allowsDocumentType)
        let parser = XMLPushParser(
            source.bytes, builder: XMLTreeBuilder(format: self, limits: limits))
        do throws(XMLSyntaxError) {
            while let segment = try scanner.next(at: parser.builder.location) {
                try parser.parse(segment)
            }
            try parser.finish()
        } catch {
            throw source.error(
                error.code, at: error.offset, error.expected, path: parser.builder.path)
        }
        return parser.builder.tree.document(arrayNames: arrayNames)
    }

    /// Throws an error, as XML cannot be written.
    ///
    /// - Throws: ``/RestDocument/DocumentError`` with code `unwritableValue`.
    public func write(_ document: Document) throws(DocumentError) -> [UInt8] {
        throw DocumentError(
            .unwritableValue, offset: 0, expected: "a format that can be written, unlike XML")
    }
}

extension FormatRegistry {
    /// Registers XML for `application/xml`, `text/xml` and every `+xml`, and `application/xml` as
    /// accepted by requests.
    public mutating func registerXML(_ format: XMLFormat = XMLFormat()) {
        register(format, for: "application/xml", "text/xml", "*/*+xml")
    }
}

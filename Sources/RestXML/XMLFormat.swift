// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// XML 1.0, read by Foundation's parser; it cannot be written.
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
/// An object with the root element as its only member. An element becomes
///
/// - a text, if it has neither attributes nor elements inside: `<a>x</a>` is `"x"`, `<a/>` is `""`;
/// - else an object: first its attributes, then the elements inside, then its text under ``textKey``
///   unless that is blank.
///
/// What has the same name in one element becomes an array where the first of them stands, attributes
/// and elements alike; so do elements whose names are in ``arrayNames``, however many they are.
///
/// ```xml
/// <feed count="2"><entry id="1">News</entry><entry/></feed>
/// ```
/// ```json
/// {"feed": {"count": "2", "entry": [{"id": "1", "text": "News"}, ""]}}
/// ```
///
/// Everything is text, which mappings convert. Text keeps its blanks, and where elements stand
/// between its parts, these are joined. CDATA is text. Names keep their prefixes, and `xmlns` is an
/// attribute. Comments and processing instructions are passed over.
///
/// ## What is refused
///
/// Nothing outside is ever loaded. A document type declaration with declarations of its own is
/// refused, and with it every entity but the five of XML: they cannot grow or read files. Encodings
/// are UTF-8, US-ASCII and ISO-8859-1.
///
/// Of ``RestDocument/ParseLimits``, the depth counts elements inside each other, at most 256
/// whatever the limits; `stringByteCount` holds for each text, attribute and name;
/// `rejectsDuplicateKeys` has no meaning.
public struct XMLFormat: DocumentFormat, Hashable {
    /// What stands before the names of attributes; nothing by default.
    public var attributePrefix: String

    /// The name of an element's text beside attributes or elements; `text` by default.
    public var textKey: String

    /// Names of elements that are arrays even when there is one.
    public var arrayNames: Set<String>

    /// Makes the format.
    public init(
        attributePrefix: String = "", textKey: String = "text", arrayNames: Set<String> = []
    ) {
        self.attributePrefix = attributePrefix
        self.textKey = textKey
        self.arrayNames = arrayNames
    }

    /// Reads XML.
    ///
    /// - Throws: ``RestDocument/DocumentError`` with line and column: `unexpectedEnd`,
    ///   `unexpectedByte`, `invalidUTF8`, `unsupportedEncoding`, `duplicateKey` for a repeated
    ///   attribute, and `limitExceeded`.
    public func read(_ bytes: [UInt8], limits: ParseLimits) throws(DocumentError) -> Document {
        guard bytes.count <= limits.byteCount else {
            throw XMLPlace(offset: limits.byteCount, in: bytes).error(
                .limitExceeded, "at most \(limits.byteCount) bytes, found \(bytes.count)")
        }
        var prolog = XMLProlog(bytes)
        try prolog.check()
        let root = try XMLTreeReader(bytes, limits: limits, format: self).read()
        return XMLDocumentBuilder(self).document(of: root)
    }

    /// XML cannot be written.
    ///
    /// - Throws: ``RestDocument/DocumentError`` with code `unwritableValue`, always.
    public func write(_ document: Document) throws(DocumentError) -> [UInt8] {
        throw DocumentError(
            .unwritableValue, offset: 0, expected: "a format that can be written; XML is only read")
    }
}

extension FormatRegistry {
    /// Adds XML for `application/xml`, `text/xml` and every `+xml`.
    public mutating func registerXML(_ format: XMLFormat = XMLFormat()) {
        register(format, for: "application/xml", "text/xml", "*/*+xml")
    }
}

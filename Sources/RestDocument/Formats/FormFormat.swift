// SPDX-License-Identifier: Apache-2.0

/// URL-encoded forms, `application/x-www-form-urlencoded`, and the queries of URLs.
///
/// ```swift
/// let form = FormFormat()
/// try form.text(of: ["q": "a b", "tags": ["x", "y"]])      // q=a%20b&tags[]=x&tags[]=y
/// try form.read("q=a+b&tag=x&tag=y").root["tag"]?.count    // 2
/// ```
///
/// ## Writing
///
/// The document must be an object. Members are ordered by name, ignoring case. If an object repeats
/// a key, the last value counts. The name of a member follows that of its object in brackets:
/// `root[a]=x`. An empty container adds no parameters. A number keeps its text. The ``style``
/// determines the names of elements, `root[][a]=x` by default, and the text of `null`, `true` and
/// `false`, by default a name without `=`, `1` and `0`. All bytes of UTF-8 text are percent-encoded,
/// a space as `%20`, except ASCII letters, digits and `-._~`, and `[` and `]` in names.
///
/// ## Reading
///
/// The document is an object of strings in the order in which names first occur. The values of a
/// repeated name form an array. A name without `=` is `null`; a name with nothing after `=` is the
/// empty string. Only `&` separates pairs, and empty pairs are skipped. A plus sign is a space. A
/// percent sign without two hexadecimal digits is literal. Brackets are part of the name: reading
/// creates no nesting.
///
/// The member limit of the ``ParseLimits`` applies to the pairs. A repeated name is not a repeated
/// key.
///
/// - Source: WHATWG URL Standard §5.1, except for `null` and grouping; RestKit's
///   `RKURLEncodedSerialization`, which did not decode the plus sign, skipped names without `=` and
///   truncated values that contain `=`.
public struct FormFormat: DocumentFormat, Hashable {
    /// The maximum nesting of containers when writing; 32 by default.
    public var maximumDepth: Int

    /// The conventions for lists, Boolean values and null when writing.
    public var style: FormStyle

    /// Creates the format.
    public init(maximumDepth: Int = 32, style: FormStyle = FormStyle()) {
        self.maximumDepth = maximumDepth
        self.style = style
    }

    /// Returns a document read from a form.
    ///
    /// - Throws: ``DocumentError`` with code ``DocumentError/Code/invalidUTF8`` and the offset of a
    ///   name or value that is not UTF-8 after decoding, or with code
    ///   ``DocumentError/Code/limitExceeded``. Every other sequence of bytes is a form.
    /// - Complexity: O(*n*) in the number of bytes, whatever the names are.
    public func read(
        _ bytes: [UInt8], limits: ParseLimits = .default
    ) throws(DocumentError) -> Document {
        var reader = FormReader(bytes, limits: limits)
        return try reader.document()
    }

    /// Returns a document read from a form.
    ///
    /// - Throws: ``DocumentError``, as for bytes.
    public func read(
        _ text: String, limits: ParseLimits = .default
    ) throws(DocumentError) -> Document {
        try read(Array(text.utf8), limits: limits)
    }

    /// Returns a document read from the query of a URL or path: the text between the first `?` and
    /// the following `#`.
    ///
    /// - Returns: The parameters; an empty object if there is no query.
    /// - Throws: ``DocumentError``, as for bytes. Offsets are relative to the query.
    public func read(
        queryOf url: String, limits: ParseLimits = .default
    ) throws(DocumentError) -> Document {
        let end = url.utf8.firstIndex(of: UInt8(ascii: "#")) ?? url.endIndex
        guard let mark = url.utf8[..<end].firstIndex(of: UInt8(ascii: "?")) else { return [:] }
        return try read(Array(url.utf8[..<end][mark...].dropFirst()), limits: limits)
    }

    /// Returns the form of a document.
    ///
    /// - Throws: ``DocumentError`` with code ``DocumentError/Code/unwritableValue`` if the document
    ///   is not an object, or with the path of an object or a list that is in a list, if the
    ///   ``style`` has plain lists only; with code ``DocumentError/Code/limitExceeded`` and the path
    ///   of a container if the nesting exceeds ``maximumDepth``.
    /// - Complexity: O(*n* log *n*) in the number of members, plus the length of the form, in which
    ///   every value repeats the names of its containers; without recursion.
    public func write(_ document: Document) throws(DocumentError) -> [UInt8] {
        try document.withView { root throws(DocumentError) in
            guard root.isObject else {
                throw DocumentError(
                    .unwritableValue, offset: root.tapeNode.offset, path: root.path,
                    expected: "an object, found \(NodeKind(root.kind))")
            }
            var writer = FormWriter(maximumDepth: maximumDepth, style: style)
            try writer.value(root)
            return writer.finish()
        }
    }

    /// Returns the form of a document as ASCII text.
    ///
    /// - Throws: ``DocumentError``, as ``write(_:)`` does.
    public func text(of document: Document) throws(DocumentError) -> String {
        String(decoding: try write(document), as: UTF8.self)
    }
}

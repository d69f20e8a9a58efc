// SPDX-License-Identifier: Apache-2.0

/// URL-encoded forms, `application/x-www-form-urlencoded`, also the query of a URL.
///
/// ```swift
/// let form = FormFormat()
/// try form.text(of: ["q": "a b", "tags": ["x", "y"]])      // q=a%20b&tags[]=x&tags[]=y
/// try form.read("q=a+b&tag=x&tag=y").root["tag"]?.count    // 2
/// ```
///
/// ## Writing
///
/// The document is an object. Its members are ordered by their names without regard to case; where
/// an object repeats a key, the last value counts. An array's elements repeat its name with `[]`
/// behind it, a member's name follows in brackets: `root[][a]=x`. An empty container leaves no
/// trace. `null` is a name without `=`, `true` and `false` are `1` and `0`, and a number is its text
/// as it stands in the document. Everything but ASCII letters, digits and `-._~`, in names also `[`
/// and `]`, is written as escapes of its UTF-8, a blank as `%20`.
///
/// ## Reading
///
/// The document is an object of texts in the order in which names first occur; the values of a
/// repeated name become an array. A name without `=` is `null`, one with nothing behind it the empty
/// text. Pairs are separated by `&` only, empty ones are passed over. A plus is a blank. A percent
/// sign without two hexadecimal digits is itself. Brackets are part of the name: nothing is nested.
///
/// Of ``ParseLimits``, members are the pairs, and a repeated name is not a repeated key.
///
/// - Source: WHATWG URL Standard §5.1, but for `null` and grouping; RestKit's
///   `RKURLEncodedSerialization`, but for the plus, names without `=` and values with `=`, which
///   it did not decode, skipped and cut.
public struct FormFormat: DocumentFormat, Hashable {
    /// How many containers may be inside each other when writing; 32 by default.
    public var maximumDepth: Int

    /// Makes the format.
    public init(maximumDepth: Int = 32) {
        self.maximumDepth = maximumDepth
    }

    /// Reads a form.
    ///
    /// - Throws: ``DocumentError`` with code ``DocumentError/Code/invalidUTF8`` and the offset of a
    ///   name or value that is not UTF-8 once it is decoded, or
    ///   ``DocumentError/Code/limitExceeded``. Every other sequence of bytes is a form.
    /// - Complexity: O(*n*) in the number of bytes, whatever the names are.
    public func read(
        _ bytes: [UInt8], limits: ParseLimits = .default
    ) throws(DocumentError) -> Document {
        var reader = FormReader(bytes, limits: limits)
        return try reader.document()
    }

    /// Reads a form.
    ///
    /// - Throws: As ``read(_:limits:)-([UInt8],_)``.
    public func read(
        _ text: String, limits: ParseLimits = .default
    ) throws(DocumentError) -> Document {
        try read(Array(text.utf8), limits: limits)
    }

    /// Reads the query of a URL or path: what is between its first `?` and the `#` behind it.
    ///
    /// - Returns: The parameters; an empty object if there is no query.
    /// - Throws: As ``read(_:limits:)-([UInt8],_)``, with offsets in the query.
    public func read(
        queryOf url: String, limits: ParseLimits = .default
    ) throws(DocumentError) -> Document {
        let end = url.utf8.firstIndex(of: UInt8(ascii: "#")) ?? url.endIndex
        guard let mark = url.utf8[..<end].firstIndex(of: UInt8(ascii: "?")) else { return [:] }
        return try read(Array(url.utf8[..<end][mark...].dropFirst()), limits: limits)
    }

    /// Writes a form.
    ///
    /// - Throws: ``DocumentError`` with code ``DocumentError/Code/unwritableValue`` if the document
    ///   is no object, ``DocumentError/Code/limitExceeded`` with the path of a container inside more
    ///   than ``maximumDepth`` others.
    /// - Complexity: O(*n* log *n*) in the number of members, plus the length of the form, in which
    ///   every value repeats the names around it; no recursion.
    public func write(_ document: Document) throws(DocumentError) -> [UInt8] {
        try document.withView { root throws(DocumentError) in
            var writer = FormWriter(maximumDepth: maximumDepth)
            return try writer.form(of: root)
        }
    }

    /// The form as text, which is ASCII.
    ///
    /// - Throws: As ``write(_:)``.
    public func text(of document: Document) throws(DocumentError) -> String {
        String(decoding: try write(document), as: UTF8.self)
    }
}

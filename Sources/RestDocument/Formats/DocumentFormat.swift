// SPDX-License-Identifier: Apache-2.0

/// A way to write documents as bytes and to read them back, such as JSON.
///
/// A format is a value that knows no media type; a ``FormatRegistry`` says for which types it is
/// used. Formats of one's own read by means of a ``DocumentBuilder``.
public protocol DocumentFormat: Sendable {
    /// Reads a document.
    ///
    /// - Parameters:
    ///   - bytes: The whole text; may be empty.
    ///   - limits: What the document may grow to.
    /// - Returns: The document.
    /// - Throws: ``DocumentError`` with the place, whatever the bytes are; nothing traps.
    func read(_ bytes: [UInt8], limits: ParseLimits) throws(DocumentError) -> Document

    /// Writes a document.
    ///
    /// - Parameter document: The document; where an object repeats a key, the last value counts.
    /// - Returns: The bytes.
    /// - Throws: ``DocumentError`` with the path of the first value the format cannot express.
    func write(_ document: Document) throws(DocumentError) -> [UInt8]
}

/// JSON (RFC 8259), read strictly.
public struct JSONFormat: DocumentFormat, Hashable {
    /// How documents are written.
    public var writer: JSONWriter

    /// Makes the format.
    public init(writer: JSONWriter = .compact) {
        self.writer = writer
    }

    /// Reads JSON text in UTF-8.
    public func read(_ bytes: [UInt8], limits: ParseLimits) throws(DocumentError) -> Document {
        try Document(parsing: bytes, limits: limits)
    }

    /// Writes JSON text; every document can be written.
    public func write(_ document: Document) throws(DocumentError) -> [UInt8] {
        writer.bytes(of: document)
    }
}

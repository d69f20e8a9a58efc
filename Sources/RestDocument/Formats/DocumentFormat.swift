// SPDX-License-Identifier: Apache-2.0

/// A data format that documents are read from and written to, such as JSON.
///
/// A format does not know its media types; a ``FormatRegistry`` associates formats with them.
/// Custom formats create documents with a ``DocumentBuilder``.
public protocol DocumentFormat: Sendable {
    /// Returns a document read from bytes.
    ///
    /// - Parameters:
    ///   - bytes: The complete text; may be empty.
    ///   - limits: The limits for the document.
    /// - Returns: The document.
    /// - Throws: ``DocumentError`` with the position. No input may trap.
    func read(_ bytes: [UInt8], limits: ParseLimits) throws(DocumentError) -> Document

    /// Returns the bytes of a document.
    ///
    /// - Parameter document: The document. If an object repeats a key, the last value counts.
    /// - Returns: The bytes.
    /// - Throws: ``DocumentError`` with the path of the first value that the format cannot express.
    func write(_ document: Document) throws(DocumentError) -> [UInt8]
}

/// The JSON format (RFC 8259).
public struct JSONFormat: DocumentFormat, Hashable {
    /// The writer for documents.
    public var writer: JSONWriter

    /// Creates the format.
    public init(writer: JSONWriter = .compact) {
        self.writer = writer
    }

    /// Returns a document read from JSON text in UTF-8.
    public func read(_ bytes: [UInt8], limits: ParseLimits) throws(DocumentError) -> Document {
        try Document(parsing: bytes, limits: limits)
    }

    /// Returns a document as JSON text.
    ///
    /// Every document can be written.
    public func write(_ document: Document) throws(DocumentError) -> [UInt8] {
        writer.bytes(of: document)
    }
}

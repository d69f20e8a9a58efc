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

    /// Returns a document read from bytes whose media type has a `charset`.
    ///
    /// By default, text in UTF-16, ISO-8859-1 or windows-1252 is converted to UTF-8, and then read as
    /// without a charset. Positions in errors are then those in the converted text.
    ///
    /// - Parameters:
    ///   - bytes: The complete text; may be empty.
    ///   - charset: The value of the parameter.
    ///   - limits: The limits for the document.
    /// - Returns: The document.
    /// - Throws: ``DocumentError``, with code ``DocumentError/Code/unsupportedEncoding`` for text in
    ///   another encoding that is not UTF-8. No input may trap.
    func read(
        _ bytes: [UInt8], charset: String, limits: ParseLimits
    ) throws(DocumentError) -> Document

    /// Returns the bytes of a document.
    ///
    /// - Parameter document: The document. If an object repeats a key, the last value counts.
    /// - Returns: The bytes.
    /// - Throws: ``DocumentError`` with the path of the first value that the format cannot express.
    func write(_ document: Document) throws(DocumentError) -> [UInt8]
}

extension DocumentFormat {
    /// Returns a document read from bytes that are converted to UTF-8 first.
    public func read(
        _ bytes: [UInt8], charset: String, limits: ParseLimits
    ) throws(DocumentError) -> Document {
        guard let encoding = CharacterEncoding(label: charset) else {
            return try readUTF8(bytes, limits) { error throws(DocumentError) in
                throw DocumentError(
                    .unsupportedEncoding, offset: error.offset, line: error.line,
                    column: error.column,
                    expected: "text in UTF-8, UTF-16, ISO-8859-1 or windows-1252")
            }
        }
        guard bytes.count <= limits.byteCount else {
            throw DocumentError(
                .limitExceeded, offset: limits.byteCount,
                expected: "at most \(limits.byteCount) bytes, found \(bytes.count)")
        }
        return try read(encoding.utf8(bytes), limits: limits)
    }

    /// Returns a document read from text in UTF-8, or the result of a closure if it is not.
    fileprivate func readUTF8(
        _ bytes: [UInt8], _ limits: ParseLimits,
        otherwise: (DocumentError) throws(DocumentError) -> Document
    ) throws(DocumentError) -> Document {
        do throws(DocumentError) {
            return try read(bytes, limits: limits)
        } catch {
            guard error.code == .invalidUTF8 else { throw error }
            return try otherwise(error)
        }
    }
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

    /// Returns a document read from JSON text whose media type has a `charset`.
    ///
    /// JSON has no such parameter and is always UTF-8 (RFC 8259 §8.1), so servers that add one by
    /// default send UTF-8 nevertheless. The charset therefore counts for UTF-16, and for text that is
    /// not UTF-8.
    public func read(
        _ bytes: [UInt8], charset: String, limits: ParseLimits
    ) throws(DocumentError) -> Document {
        switch CharacterEncoding(label: charset) {
        case .utf8, nil: return try read(bytes, limits: limits)
        case .windows1252?:
            return try readUTF8(bytes, limits) { _ throws(DocumentError) in
                try read(CharacterEncoding.windows1252.utf8(bytes), limits: limits)
            }
        case let encoding?:
            do throws(DocumentError) {
                return try read(bytes, limits: limits)
            } catch {
                guard error.code == .unsupportedEncoding else { throw error }
                return try read(encoding.utf8(bytes), limits: limits)
            }
        }
    }

    /// Returns a document as JSON text.
    ///
    /// Every document can be written.
    public func write(_ document: Document) throws(DocumentError) -> [UInt8] {
        writer.bytes(of: document)
    }
}

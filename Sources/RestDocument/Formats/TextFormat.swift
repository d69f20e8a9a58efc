// SPDX-License-Identifier: Apache-2.0

/// Plain text in UTF-8 as a document that is one string, for types such as `text/html`.
///
/// ```swift
/// var formats = FormatRegistry.standard
/// formats.register(TextFormat(), for: "text/plain", "text/*")
/// let page = try formats.read(bytes, as: "text/html").root.string
/// ```
///
/// It is not registered by default, because a server that is expected to send JSON and sends a page
/// of HTML has failed.
public struct TextFormat: DocumentFormat, Hashable {
    /// Creates the format.
    public init() {}

    /// Returns a document with the text as its only value.
    ///
    /// - Throws: ``DocumentError`` with code ``DocumentError/Code/invalidUTF8`` and the offset of
    ///   the first sequence that is not UTF-8, or with code ``DocumentError/Code/limitExceeded``.
    public func read(
        _ bytes: [UInt8], limits: ParseLimits = .default
    ) throws(DocumentError) -> Document {
        guard bytes.count <= limits.byteCount else {
            throw DocumentError(
                .limitExceeded, offset: limits.byteCount,
                expected: "at most \(limits.byteCount) bytes, found \(bytes.count)")
        }
        // `String(decoding:)` replaces bytes that are not UTF-8.
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.utf8.elementsEqual(bytes) else { throw Self.invalidUTF8(in: bytes) }
        return .string(text)
    }

    /// Returns the text of a document that is one string.
    ///
    /// - Throws: ``DocumentError`` with code ``DocumentError/Code/unwritableValue`` for any other
    ///   document.
    public func write(_ document: Document) throws(DocumentError) -> [UInt8] {
        guard let text = document.root.string else {
            throw DocumentError(
                .unwritableValue, offset: 0, expected: "a string, found \(document.root.kind)")
        }
        return Array(text.utf8)
    }

    private static func invalidUTF8(in bytes: [UInt8]) -> DocumentError {
        var parser = Unicode.UTF8.ForwardParser()
        var rest = bytes.makeIterator()
        var (offset, line, column) = (0, 1, 1)
        while case .valid(let scalar) = parser.parseScalar(from: &rest) {
            offset += scalar.count
            column += scalar.count
            if scalar.first == UInt8(ascii: "\n") { (line, column) = (line + 1, 1) }
        }
        return DocumentError(
            .invalidUTF8, offset: offset, line: line, column: column,
            expected: "well-formed UTF-8")
    }
}

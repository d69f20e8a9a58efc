// SPDX-License-Identifier: Apache-2.0

/// An immutable JSON value with its content.
///
/// ```swift
/// let document = try Document(parsing: #"{"articles": [{"title": "New"}]}"#)
/// document.root["articles"]?[0]?["title"]?.string     // "New"
/// ```
///
/// Copies share their storage. Numbers keep their text. If an object repeats a key, the last value
/// counts and the repetition is one of the ``issues``.
public struct Document: Sendable {
    /// The input and the tape.
    @usableFromInline package let storage: DocumentStorage

    /// Creates a document from a finished tape.
    package init(storage: DocumentStorage) {
        self.storage = storage
    }

    /// The number of bytes of the text.
    public var byteCount: Int { storage.byteCount }

    /// The number of values and keys, which ``ParseLimits/nodeCount`` bounds.
    public var nodeCount: Int { storage.nodeCount }

    /// The root value.
    public var root: Node { Node(storage: storage, index: 0) }

    /// Calls a closure with a view of the root, and keeps the document alive during the call.
    ///
    /// - Parameter body: The closure. The view, and all views made from it, must not escape.
    /// - Returns: The result of the closure.
    /// - Throws: The error that the closure throws.
    @inlinable @inline(__always)
    public func withView<R, E: Error>(_ body: (NodeView) throws(E) -> R) throws(E) -> R {
        defer { withExtendedLifetime(storage) {} }
        return try body(storage.view(at: 0))
    }
}

extension Document {
    /// Creates a document by parsing JSON text (RFC 8259) in UTF-8.
    ///
    /// - Throws: ``DocumentError`` with the position if the text is not valid JSON or exceeds a
    ///   limit.
    public init(parsing bytes: [UInt8], limits: ParseLimits = .default) throws(DocumentError) {
        // Invariant: the parser copies the bytes inside the closure, here and below.
        let result = unsafe bytes.withUnsafeBytes { input in
            Result { () throws(DocumentError) in
                try unsafe DocumentStorage.parsed(input, limits: limits)
            }
        }
        self.init(storage: try result.get())
    }

    /// Creates a document by parsing JSON text (RFC 8259) in UTF-8.
    ///
    /// - Throws: ``DocumentError`` with the position if the text is not valid JSON or exceeds a
    ///   limit.
    public init(parsing bytes: UnsafeRawBufferPointer, limits: ParseLimits = .default)
        throws(DocumentError)
    {
        self.init(storage: try unsafe DocumentStorage.parsed(bytes, limits: limits))
    }

    /// Creates a document by parsing JSON text (RFC 8259).
    ///
    /// - Throws: ``DocumentError`` with the position if the text is not valid JSON or exceeds a
    ///   limit.
    public init(parsing text: String, limits: ParseLimits = .default) throws(DocumentError) {
        var text = text
        let result = text.withUTF8 { input in
            Result { () throws(DocumentError) in
                try unsafe DocumentStorage.parsed(UnsafeRawBufferPointer(input), limits: limits)
            }
        }
        self.init(storage: try result.get())
    }

    /// Creates a document by parsing JSON text without copying it.
    ///
    /// - Parameters:
    ///   - bytes: Memory allocated by `malloc`, at least ``DocumentStorage/padding`` bytes longer
    ///     than `byteCount`. The document takes ownership, also if an error is thrown.
    ///   - byteCount: The number of bytes of the text.
    ///   - limits: The limits for the document.
    /// - Throws: ``DocumentError`` with the position if the text is not valid JSON or exceeds a
    ///   limit.
    ///
    /// Invariant: the caller does not use the bytes afterwards; the storage or the parser frees
    /// them.
    package init(
        adopting bytes: UnsafeMutablePointer<UInt8>, byteCount: Int, limits: ParseLimits = .default
    ) throws(DocumentError) {
        self.init(
            storage: try unsafe DocumentStorage.adopted(bytes, count: byteCount, limits: limits))
    }
}

extension Document: CustomStringConvertible, CustomDebugStringConvertible {
    /// The kind and the size of the document, without its values.
    public var description: String { "\(root), \(storage.byteCount) bytes" }

    /// The document as compact JSON text.
    public var debugDescription: String { root.debugDescription }
}

// SPDX-License-Identifier: Apache-2.0

/// One JSON value with everything in it, read-only and cheap to pass on.
///
/// ```swift
/// let document = try Document(parsing: #"{"articles": [{"title": "New"}]}"#)
/// document.root["articles"]?[0]?["title"]?.string     // "New"
/// ```
///
/// Numbers keep their text. Where an object repeats a key, the last value counts and the repetition
/// is one of the ``issues``.
public struct Document: Sendable {
    /// The bytes and nodes.
    public let storage: DocumentStorage

    /// Wraps a finished tape.
    package init(storage: DocumentStorage) {
        self.storage = storage
    }

    /// The outermost value.
    public var root: Node { Node(storage: storage, index: 0) }

    /// Calls a closure with a view of the root and keeps the document alive meanwhile.
    ///
    /// - Parameter body: Must not let the view, or another view made from it, escape.
    /// - Returns: What the closure returned.
    /// - Throws: What the closure threw.
    @inlinable @inline(__always)
    public func withView<R, E: Error>(_ body: (NodeView) throws(E) -> R) throws(E) -> R {
        defer { withExtendedLifetime(storage) {} }
        return try body(storage.view(at: 0))
    }
}

extension Document {
    /// Reads JSON text (RFC 8259) in UTF-8, strictly.
    ///
    /// - Throws: ``DocumentError`` with the place.
    public init(parsing bytes: [UInt8], limits: ParseLimits = .default) throws(DocumentError) {
        // Invariant: what is parsed is copied inside of the closure, here and below.
        let result = unsafe bytes.withUnsafeBytes { input in
            Result { () throws(DocumentError) in
                try unsafe DocumentStorage.parsed(input, limits: limits)
            }
        }
        self.init(storage: try result.get())
    }

    /// Reads JSON text (RFC 8259) in UTF-8, strictly.
    ///
    /// - Throws: ``DocumentError`` with the place.
    public init(parsing bytes: UnsafeRawBufferPointer, limits: ParseLimits = .default)
        throws(DocumentError)
    {
        self.init(storage: try unsafe DocumentStorage.parsed(bytes, limits: limits))
    }

    /// Reads JSON text (RFC 8259), strictly.
    ///
    /// - Throws: ``DocumentError`` with the place.
    public init(parsing text: String, limits: ParseLimits = .default) throws(DocumentError) {
        var text = text
        let result = text.withUTF8 { input in
            Result { () throws(DocumentError) in
                try unsafe DocumentStorage.parsed(UnsafeRawBufferPointer(input), limits: limits)
            }
        }
        self.init(storage: try result.get())
    }

    /// Reads JSON text without copying it.
    ///
    /// - Parameters:
    ///   - bytes: Made by `malloc` with room for ``DocumentStorage/padding`` bytes more than
    ///     `byteCount`; taken over, also when an error is thrown.
    ///   - byteCount: Byte count of the text.
    ///   - limits: What the document may grow to.
    /// - Throws: ``DocumentError`` with the place.
    ///
    /// Invariant: nobody else uses the bytes afterwards; the storage or the parser frees them.
    package init(
        adopting bytes: UnsafeMutablePointer<UInt8>, byteCount: Int, limits: ParseLimits = .default
    ) throws(DocumentError) {
        self.init(
            storage: try unsafe DocumentStorage.adopted(bytes, count: byteCount, limits: limits))
    }
}

extension DocumentStorage {
    /// A view of a node.
    ///
    /// Invariant: only used while the caller keeps this storage alive, for an index below
    /// ``nodeCount``.
    @inlinable @inline(__always)
    package func view(at index: Int) -> NodeView {
        unsafe NodeView(bytes: bytes, nodes: nodes, index: index)
    }
}

extension Document: CustomStringConvertible, CustomDebugStringConvertible {
    /// What the document is and how large, without its values.
    public var description: String { "\(root), \(storage.byteCount) bytes" }

    /// The document as compact JSON text.
    public var debugDescription: String { root.debugDescription }
}

// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The immutable text and tape of a document.
///
/// `@unchecked Sendable` invariant: both buffers are filled before the parser or builder publishes
/// the first reference, and only read afterwards.
@safe
@usableFromInline
package final class DocumentStorage: @unchecked Sendable {
    /// The text, followed by at least ``padding`` zero bytes, so that wide loads stay within
    /// bounds.
    @usableFromInline package let bytes: UnsafePointer<UInt8>
    /// The number of bytes of the text, without the padding.
    @usableFromInline package let byteCount: Int
    /// The tape, with the root at index 0.
    @usableFromInline package let nodes: UnsafePointer<TapeNode>
    /// The number of nodes on the tape.
    @usableFromInline package let nodeCount: Int

    /// The number of zero bytes after the text.
    package static let padding = 64

    /// Creates a storage that takes ownership of two buffers allocated by `malloc`.
    package init(
        adopting bytes: UnsafeMutablePointer<UInt8>, byteCount: Int,
        nodes: UnsafeMutablePointer<TapeNode>, nodeCount: Int
    ) {
        unsafe self.bytes = UnsafePointer(bytes)
        self.byteCount = byteCount
        unsafe self.nodes = UnsafePointer(nodes)
        self.nodeCount = nodeCount
    }

    deinit {
        unsafe free(UnsafeMutableRawPointer(mutating: bytes))
        unsafe free(UnsafeMutableRawPointer(mutating: nodes))
    }
}

extension DocumentStorage {
    /// Returns a view of a node.
    ///
    /// Invariant: the caller keeps this storage alive while it uses the view, and the index is less
    /// than ``nodeCount``.
    @inlinable @inline(__always)
    package func view(at index: Int) -> NodeView {
        unsafe NodeView(bytes: bytes, nodes: nodes, index: index)
    }
}

extension DocumentStorage {
    /// Returns a storage with copies of JSON text and its tape.
    static func copying(_ text: [UInt8], _ tape: [TapeNode]) -> DocumentStorage {
        let bytes = unsafe allocateBytes(text.count + padding)
        let nodes = unsafe allocateNodes(tape.count)
        unsafe text.withUnsafeBufferPointer { source in
            guard let start = source.baseAddress else { return }
            unsafe bytes.update(from: start, count: source.count)
        }
        unsafe (bytes + text.count).update(repeating: 0, count: padding)
        unsafe tape.withUnsafeBufferPointer { source in
            guard let start = source.baseAddress else { return }
            unsafe nodes.update(from: start, count: source.count)
        }
        return unsafe DocumentStorage(
            adopting: bytes, byteCount: text.count, nodes: nodes, nodeCount: tape.count)
    }
}

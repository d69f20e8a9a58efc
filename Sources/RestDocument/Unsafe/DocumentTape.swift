// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// One value or key of a document, in 16 bytes.
///
/// A tape is a flat array of these in document order. A container comes first, its content right
/// after it, an object as key, value, key, value. A container's payload leads past its content, so
/// that skipping a subtree is one load.
///
/// | bits | meaning |
/// |---|---|
/// | head 0–7 | kind, see ``TapeKind`` |
/// | head 8–23 | byte count of a number's text, 65,535 for "that or more: scan it again" |
/// | head 24–63 | byte offset of the value in the input; for a string that of its content |
/// | payload | integer or double bits; byte count of a string's content as written; for a container the member count (low 32) and the index past its content (high 32) |
@frozen
public struct TapeNode: Sendable, BitwiseCopyable {
    /// Kind, number length and offset.
    public var head: UInt64
    /// The value, or where it ends.
    public var payload: UInt64

    /// Makes a node from its two words.
    @inlinable @inline(__always)
    public init(head: UInt64, payload: UInt64) {
        self.head = head
        self.payload = payload
    }

    /// Makes a node from its parts.
    @inlinable @inline(__always)
    public init(_ kind: TapeKind, offset: Int, length: Int = 0, payload: UInt64) {
        head = UInt64(kind.rawValue) | UInt64(min(length, 0xFFFF)) << 8 | UInt64(offset) << 24
        self.payload = payload
    }

    /// What the node is.
    @inlinable @inline(__always)
    public var kind: TapeKind { TapeKind(rawValue: UInt8(truncatingIfNeeded: head)) }

    /// Where the value begins in the input, in bytes.
    @inlinable @inline(__always)
    public var offset: Int { Int(truncatingIfNeeded: head >> 24) }

    /// Byte count of a number's text; 65,535 means that many or more.
    @inlinable @inline(__always)
    public var numberLength: Int { Int(truncatingIfNeeded: (head >> 8) & 0xFFFF) }

    /// Elements of an array, or members of an object.
    @inlinable @inline(__always)
    public var count: Int { Int(truncatingIfNeeded: payload & 0xFFFF_FFFF) }

    /// Index past the content of a container.
    @inlinable @inline(__always)
    public var contentEnd: Int { Int(truncatingIfNeeded: payload >> 32) }
}

/// What a node of the tape is; the order of the raw values is used for range checks.
@frozen
public struct TapeKind: RawRepresentable, Sendable, Hashable, BitwiseCopyable {
    /// The kind's number on the tape.
    public var rawValue: UInt8

    /// Makes a kind from its number.
    @inlinable @inline(__always)
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `null`.
    @inlinable public static var null: TapeKind { TapeKind(rawValue: 0) }
    /// `false`.
    @inlinable public static var `false`: TapeKind { TapeKind(rawValue: 1) }
    /// `true`.
    @inlinable public static var `true`: TapeKind { TapeKind(rawValue: 2) }
    /// A whole number that fits `Int64`; the payload is its bit pattern.
    @inlinable public static var integer: TapeKind { TapeKind(rawValue: 3) }
    /// A whole number above `Int64.max` that fits `UInt64`.
    @inlinable public static var unsigned: TapeKind { TapeKind(rawValue: 4) }
    /// Any other number within the range of `Double`; the payload is the nearest double's bits.
    @inlinable public static var double: TapeKind { TapeKind(rawValue: 5) }
    /// A number beyond the range of `Double`: only its text is known.
    @inlinable public static var numberText: TapeKind { TapeKind(rawValue: 6) }
    /// Text without escapes.
    @inlinable public static var string: TapeKind { TapeKind(rawValue: 7) }
    /// Text with at least one backslash escape.
    @inlinable public static var escapedString: TapeKind { TapeKind(rawValue: 8) }
    /// An array.
    @inlinable public static var array: TapeKind { TapeKind(rawValue: 9) }
    /// An object.
    @inlinable public static var object: TapeKind { TapeKind(rawValue: 10) }

    /// Whether the node is a number of any kind.
    @inlinable @inline(__always)
    public var isNumber: Bool { rawValue &- 3 < 4 }
    /// Whether the node is text.
    @inlinable @inline(__always)
    public var isString: Bool { rawValue &- 7 < 2 }
    /// Whether the node holds others.
    @inlinable @inline(__always)
    public var isContainer: Bool { rawValue >= 9 }
}

/// The bytes and the nodes of one document, owned together and never changed once published.
///
/// `@unchecked Sendable` invariant: both buffers are filled before the first reference leaves the
/// parser or builder and are only read from then on.
@safe
public final class DocumentStorage: @unchecked Sendable {
    /// The input, followed by at least ``padding`` zero bytes so that wide loads stay inside.
    public let bytes: UnsafePointer<UInt8>
    /// Byte count without the padding.
    public let byteCount: Int
    /// The tape; node 0 is the root.
    public let nodes: UnsafePointer<TapeNode>
    /// Number of nodes on the tape.
    public let nodeCount: Int

    /// Zero bytes that follow the input.
    public static let padding = 64

    /// Takes over two buffers made by `malloc`; they are given back by `free`.
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

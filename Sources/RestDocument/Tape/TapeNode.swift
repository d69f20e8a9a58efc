// SPDX-License-Identifier: Apache-2.0

/// A value or key of a document, in 16 bytes.
///
/// A tape is a flat array of nodes in document order. The content of a container follows its node;
/// the content of an object alternates keys and values. The payload of a container contains the
/// index after its content, so that skipping a subtree is one load.
///
/// | bits | meaning |
/// |---|---|
/// | head 0–7 | the kind, see ``TapeKind`` |
/// | head 8–23 | the number of bytes of a number's text; 65,535 means that many or more, which requires a scan |
/// | head 24–63 | the byte offset of the value in the input; for a string the offset of its content |
/// | payload | the bits of an integer or double; the number of bytes of a string's content as written; for a container the number of members (low 32 bits) and the index after its content (high 32 bits) |
@frozen
public struct TapeNode: Sendable, BitwiseCopyable {
    /// The kind, the length of a number, and the offset.
    public var head: UInt64
    /// The value, or its length or end.
    public var payload: UInt64

    /// Creates a node from its two words.
    @inlinable @inline(__always)
    package init(head: UInt64, payload: UInt64) {
        self.head = head
        self.payload = payload
    }

    /// Creates a node from its parts.
    @inlinable @inline(__always)
    package init(_ kind: TapeKind, offset: Int, length: Int = 0, payload: UInt64) {
        head = UInt64(kind.rawValue) | UInt64(min(length, 0xFFFF)) << 8 | UInt64(offset) << 24
        self.payload = payload
    }

    /// The kind of the node.
    @inlinable @inline(__always)
    public var kind: TapeKind { TapeKind(rawValue: UInt8(truncatingIfNeeded: head)) }

    /// The offset of the value in the input, in bytes; for a string the offset of its content.
    @inlinable @inline(__always)
    public var offset: Int { Int(truncatingIfNeeded: head >> 24) }

    /// The number of bytes of a number's text; 65,535 means that many or more.
    @inlinable @inline(__always)
    package var numberLength: Int { Int(truncatingIfNeeded: (head >> 8) & 0xFFFF) }

    /// The number of elements of an array or members of an object.
    @inlinable @inline(__always)
    public var count: Int { Int(truncatingIfNeeded: payload & 0xFFFF_FFFF) }

    /// The index after the content of a container.
    @inlinable @inline(__always)
    public var contentEnd: Int { Int(truncatingIfNeeded: payload >> 32) }
}

/// The kind of a tape node.
///
/// The order of the raw values allows range checks.
@frozen
public struct TapeKind: RawRepresentable, Sendable, Hashable, BitwiseCopyable {
    /// The number of the kind on the tape.
    public var rawValue: UInt8

    /// Creates a kind from its number.
    @inlinable @inline(__always)
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `null`.
    @inlinable public static var null: TapeKind { TapeKind(rawValue: 0) }
    /// `false`.
    @inlinable public static var `false`: TapeKind { TapeKind(rawValue: 1) }
    /// `true`.
    @inlinable public static var `true`: TapeKind { TapeKind(rawValue: 2) }
    /// An integer within `Int64`.
    ///
    /// The payload is its bit pattern.
    @inlinable public static var integer: TapeKind { TapeKind(rawValue: 3) }
    /// An integer above `Int64.max` within `UInt64`.
    ///
    /// The payload is its bit pattern.
    @inlinable public static var unsigned: TapeKind { TapeKind(rawValue: 4) }
    /// Any other number within the range of `Double`.
    ///
    /// The payload is the bit pattern of the nearest double.
    @inlinable public static var double: TapeKind { TapeKind(rawValue: 5) }
    /// A number beyond the range of `Double`, of which only the text is known.
    @inlinable public static var numberText: TapeKind { TapeKind(rawValue: 6) }
    /// A string without escapes.
    @inlinable public static var string: TapeKind { TapeKind(rawValue: 7) }
    /// A string with at least one backslash escape.
    @inlinable public static var escapedString: TapeKind { TapeKind(rawValue: 8) }
    /// An array.
    @inlinable public static var array: TapeKind { TapeKind(rawValue: 9) }
    /// An object.
    @inlinable public static var object: TapeKind { TapeKind(rawValue: 10) }

    /// A Boolean value that indicates whether the node is a number.
    @inlinable @inline(__always)
    public var isNumber: Bool { rawValue &- 3 < 4 }
    /// A Boolean value that indicates whether the node is a string.
    @inlinable @inline(__always)
    public var isString: Bool { rawValue &- 7 < 2 }
    /// A Boolean value that indicates whether the node is an array or object.
    @inlinable @inline(__always)
    public var isContainer: Bool { rawValue >= 9 }
}

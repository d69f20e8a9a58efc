// SPDX-License-Identifier: Apache-2.0

/// A view of a node that does not retain the document, for loops that process every value.
///
/// Invariant: the storage of the document outlives the view. Views are passed only to calls during
/// which the document is alive, and must not be stored beyond such a call.
@frozen
@safe
public struct NodeView: BitwiseCopyable {
    /// The text of the document.
    @usableFromInline package let bytes: UnsafePointer<UInt8>
    /// The tape of the document.
    @usableFromInline package let nodes: UnsafePointer<TapeNode>
    /// The index of the node on the tape.
    public let index: Int

    /// Creates a view of the node at an index of a tape.
    @inlinable @inline(__always)
    package init(bytes: UnsafePointer<UInt8>, nodes: UnsafePointer<TapeNode>, index: Int) {
        unsafe self.bytes = bytes
        unsafe self.nodes = nodes
        self.index = index
    }

    /// The node on the tape.
    @inlinable @inline(__always)
    public var tapeNode: TapeNode { unsafe nodes[index] }

    /// The kind of the node.
    @inlinable @inline(__always)
    public var kind: TapeKind { tapeNode.kind }

    /// Returns a view of another node of the same document.
    @inlinable @inline(__always)
    public func at(_ index: Int) -> NodeView {
        unsafe NodeView(bytes: bytes, nodes: nodes, index: index)
    }

    /// The index of the node after this one and its content.
    @inlinable @inline(__always)
    public var nextIndex: Int {
        let node = tapeNode
        return node.kind.isContainer ? node.contentEnd : index &+ 1
    }
}

// MARK: - Scalars

extension NodeView {
    /// A Boolean value that indicates whether the value is `null`.
    @inlinable @inline(__always)
    public var isNull: Bool { kind == .null }

    /// A Boolean value that indicates whether the value is `true`.
    @inlinable @inline(__always)
    public var isTrue: Bool { kind == .true }

    /// A Boolean value that indicates whether the value is `false`.
    @inlinable @inline(__always)
    public var isFalse: Bool { kind == .false }

    /// The Boolean value; `nil` for any other value.
    @inlinable @inline(__always)
    public var bool: Bool? {
        switch kind {
        case .true: true
        case .false: false
        default: nil
        }
    }

    /// The number, if its exact value is an integer within `Int64`, as are `1`, `1.0` and `10e-1`;
    /// otherwise `nil`.
    @inlinable @inline(__always)
    public var int64: Int64? {
        let node = tapeNode
        if node.kind == .integer { return Int64(bitPattern: node.payload) }
        return node.kind == .double ? int64FromText() : nil
    }

    /// The number, if its exact value is an integer within `UInt64`; otherwise `nil`.
    @inlinable @inline(__always)
    public var uint64: UInt64? {
        let node = tapeNode
        switch node.kind {
        case .integer: return Int64(bitPattern: node.payload) < 0 ? nil : node.payload
        case .unsigned: return node.payload
        case .double: return uint64FromText()
        default: return nil
        }
    }

    /// The double nearest to the number; `nil` for a number beyond the range of `Double` and for
    /// any other value.
    ///
    /// A number too small for `Double` is 0.
    @inlinable @inline(__always)
    public var double: Double? {
        let node = tapeNode
        switch node.kind {
        case .double: return Double(bitPattern: node.payload)
        case .integer: return Double(Int64(bitPattern: node.payload))
        case .unsigned: return Double(node.payload)
        default: return nil
        }
    }
}

// MARK: - Containers

extension NodeView {
    /// A Boolean value that indicates whether the value is an array.
    @inlinable @inline(__always)
    public var isArray: Bool { kind == .array }

    /// A Boolean value that indicates whether the value is an object.
    @inlinable @inline(__always)
    public var isObject: Bool { kind == .object }

    /// The number of elements of an array or members of an object; 0 for any other value.
    @inlinable @inline(__always)
    public var count: Int {
        let node = tapeNode
        return node.kind.isContainer ? node.count : 0
    }

    /// The index after the content of a container, where iteration by ``nextIndex`` ends.
    ///
    /// The first element of an array and the first key of an object are at `index + 1`. The value
    /// of a key is at the key's index + 1.
    @inlinable @inline(__always)
    public var contentEnd: Int {
        let node = tapeNode
        return node.kind.isContainer ? node.contentEnd : index &+ 1
    }

    /// The elements of an array; empty for any other value.
    @inlinable @inline(__always)
    public var elements: ElementViews { ElementViews(self) }

    /// The members of an object in document order; empty for any other value.
    @inlinable @inline(__always)
    public var members: MemberViews { MemberViews(self) }

    /// Returns the value of the last member with a key, or `nil` if the object has none.
    ///
    /// - Complexity: O(*n*) in the number of members; their content is skipped.
    package func member(_ key: UnsafeBufferPointer<UInt8>) -> NodeView? {
        guard isObject else { return nil }
        var found: NodeView?
        for member in members where unsafe member.key.isText(key) { found = member.value }
        return found
    }

    /// Returns the value of the last member with a key, or `nil` if the object has none.
    public func member(_ key: String) -> NodeView? {
        var key = key
        return key.withUTF8 { unsafe member($0) }
    }
}

// SPDX-License-Identifier: Apache-2.0

/// A node seen without ownership: the currency of the hot loops.
///
/// Invariant: the ``DocumentStorage`` it came from outlives it. Views are handed out only inside
/// calls that keep the document alive; they must not be stored beyond such a call.
@frozen
@safe
public struct NodeView: BitwiseCopyable {
    /// The document's bytes.
    public let bytes: UnsafePointer<UInt8>
    /// The document's tape.
    public let nodes: UnsafePointer<TapeNode>
    /// Which node.
    public let index: Int

    /// Makes a view of the node at an index of a tape.
    @inlinable @inline(__always)
    public init(bytes: UnsafePointer<UInt8>, nodes: UnsafePointer<TapeNode>, index: Int) {
        unsafe self.bytes = bytes
        unsafe self.nodes = nodes
        self.index = index
    }

    /// The node itself.
    @inlinable @inline(__always)
    public var node: TapeNode { unsafe nodes[index] }

    /// What the node is.
    @inlinable @inline(__always)
    public var kind: TapeKind { node.kind }

    /// Another node of the same document.
    @inlinable @inline(__always)
    public func at(_ index: Int) -> NodeView {
        unsafe NodeView(bytes: bytes, nodes: nodes, index: index)
    }

    /// Index of the node after this one and its content.
    @inlinable @inline(__always)
    public var nextIndex: Int {
        let node = node
        return node.kind.isContainer ? node.contentEnd : index &+ 1
    }
}

// MARK: - Scalars

extension NodeView {
    /// Whether the value is `null`.
    @inlinable @inline(__always)
    public var isNull: Bool { kind == .null }

    /// Whether the value is `true`.
    @inlinable @inline(__always)
    public var isTrue: Bool { kind == .true }

    /// Whether the value is `false`.
    @inlinable @inline(__always)
    public var isFalse: Bool { kind == .false }

    /// `true` or `false`; `nil` for any other value.
    @inlinable @inline(__always)
    public var bool: Bool? {
        switch kind {
        case .true: true
        case .false: false
        default: nil
        }
    }

    /// The number, when its exact value is a whole one within `Int64`: `1`, `1.0` and `10e-1` are.
    @inlinable @inline(__always)
    public var int64: Int64? {
        let node = node
        if node.kind == .integer { return Int64(bitPattern: node.payload) }
        return node.kind == .double ? int64FromText() : nil
    }

    /// The number, when its exact value is a whole one within `UInt64`.
    @inlinable @inline(__always)
    public var uint64: UInt64? {
        let node = node
        switch node.kind {
        case .integer: return Int64(bitPattern: node.payload) < 0 ? nil : node.payload
        case .unsigned: return node.payload
        case .double: return uint64FromText()
        default: return nil
        }
    }

    /// The double nearest to the number; `nil` when it is beyond the range of `Double`.
    ///
    /// A number too small for `Double` is 0.
    @inlinable @inline(__always)
    public var double: Double? {
        let node = node
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
    /// Whether the value is an array.
    @inlinable @inline(__always)
    public var isArray: Bool { kind == .array }

    /// Whether the value is an object.
    @inlinable @inline(__always)
    public var isObject: Bool { kind == .object }

    /// Elements of an array, members of an object, 0 for any other value.
    @inlinable @inline(__always)
    public var count: Int {
        let node = node
        return node.kind.isContainer ? node.count : 0
    }

    /// Index past the content of a container: where iterating by ``nextIndex`` ends.
    ///
    /// An array's first element and an object's first key are at `index + 1`; the value of a key
    /// is at the key's index + 1.
    @inlinable @inline(__always)
    public var contentEnd: Int {
        let node = node
        return node.kind.isContainer ? node.contentEnd : index &+ 1
    }

    /// The elements of an array, none for any other value.
    @inlinable @inline(__always)
    public var elements: ElementViews { ElementViews(self) }

    /// The members of an object in document order, none for any other value.
    @inlinable @inline(__always)
    public var members: MemberViews { MemberViews(self) }

    /// The value of the last member with a key, or `nil` when the object has none.
    ///
    /// - Complexity: O(*n*) in the number of members; nothing inside them is visited.
    public func member(_ key: UnsafeBufferPointer<UInt8>) -> NodeView? {
        guard isObject else { return nil }
        var found: NodeView?
        for member in members where unsafe member.key.isText(key) { found = member.value }
        return found
    }

    /// The value of the last member with a key, or `nil` when the object has none.
    public func member(_ key: String) -> NodeView? {
        var key = key
        return key.withUTF8 { unsafe member($0) }
    }
}

/// The elements of an array, seen without ownership.
@frozen
public struct ElementViews: Sequence, IteratorProtocol {
    @usableFromInline var view: NodeView
    @usableFromInline let end: Int

    @inlinable @inline(__always)
    init(_ array: NodeView) {
        view = array.at(array.index &+ 1)
        end = array.isArray ? array.node.contentEnd : view.index
    }

    /// The next element.
    @inlinable @inline(__always)
    public mutating func next() -> NodeView? {
        guard view.index < end else { return nil }
        let element = view
        view = view.at(view.nextIndex)
        return element
    }
}

/// The members of an object, seen without ownership.
@frozen
public struct MemberViews: Sequence, IteratorProtocol {
    @usableFromInline var view: NodeView
    @usableFromInline let end: Int

    @inlinable @inline(__always)
    init(_ object: NodeView) {
        view = object.at(object.index &+ 1)
        end = object.isObject ? object.node.contentEnd : view.index
    }

    /// The next key and its value.
    @inlinable @inline(__always)
    public mutating func next() -> (key: NodeView, value: NodeView)? {
        guard view.index < end else { return nil }
        let key = view
        let value = view.at(view.index &+ 1)
        view = view.at(value.nextIndex)
        return (key, value)
    }
}

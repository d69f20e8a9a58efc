// SPDX-License-Identifier: Apache-2.0

/// A sequence of views of an array's elements.
@frozen
public struct ElementViews: Sequence, IteratorProtocol {
    @usableFromInline var view: NodeView
    @usableFromInline let end: Int

    @inlinable @inline(__always)
    init(_ array: NodeView) {
        view = array.at(array.index &+ 1)
        end = array.isArray ? array.tapeNode.contentEnd : view.index
    }

    /// Returns the next element.
    @inlinable @inline(__always)
    public mutating func next() -> NodeView? {
        guard view.index < end else { return nil }
        let element = view
        view = view.at(view.nextIndex)
        return element
    }
}

/// A sequence of views of an object's members.
@frozen
public struct MemberViews: Sequence, IteratorProtocol {
    @usableFromInline var view: NodeView
    @usableFromInline let end: Int

    @inlinable @inline(__always)
    init(_ object: NodeView) {
        view = object.at(object.index &+ 1)
        end = object.isObject ? object.tapeNode.contentEnd : view.index
    }

    /// Returns the next key and its value.
    @inlinable @inline(__always)
    public mutating func next() -> (key: NodeView, value: NodeView)? {
        guard view.index < end else { return nil }
        let key = view
        let value = view.at(view.index &+ 1)
        view = view.at(value.nextIndex)
        return (key, value)
    }
}

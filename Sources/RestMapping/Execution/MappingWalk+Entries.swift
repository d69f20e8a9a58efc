// SPDX-License-Identifier: Apache-2.0

import RestDocument

// An object that stands for the list of its members: each member is mapped as an object with one
// key, which is seen as the node of that key.

extension MappingSource {
    /// Whether the value is a key that stands for an object with that key alone.
    @usableFromInline
    package var isEntry: Bool {
        unsafe node.index == frame.pointee.entry && node.nodes == frame.pointee.entryNodes
            && frame.pointee.objects[Int(step.pointee.object)].traits.contains(.entries)
            && (node.kind == .string || node.kind == .escapedString)
    }

    /// Whether the value is an object that stands for the list of its members.
    @usableFromInline
    package var isForcedCollection: Bool {
        guard node.kind == .object, unsafe step.pointee.object >= 0 else { return false }
        return unsafe frame.pointee.objects[Int(step.pointee.object)].traits.contains(.entries)
    }

    /// Calls a closure with every member as an object of its own.
    package func forEachEntry(
        _ body: (MappingSource) throws(MappingFailure) -> Void
    ) throws(MappingFailure) {
        unsafe frame.pointee.allowance &-= node.nextIndex &- node.index
        let outer = unsafe (frame.pointee.entry, frame.pointee.entryNodes, context.entryStorage)
        defer {
            unsafe frame.pointee.entry = outer.0
            unsafe frame.pointee.entryNodes = outer.1
            unsafe context.entry = outer.0
            unsafe context.entryStorage = outer.2
        }
        unsafe frame.pointee.entryNodes = node.nodes
        context.entryStorage = context.element(of: node).storage
        var index = node.index + 1
        while index < node.contentEnd {
            unsafe frame.pointee.entry = index
            context.entry = index
            try body(at(index))
            index = node.at(index + 1).nextIndex
        }
    }
}

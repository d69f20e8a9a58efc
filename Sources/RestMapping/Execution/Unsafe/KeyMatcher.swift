// SPDX-License-Identifier: Apache-2.0

import RestDocument

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Finds the keys of a document's object among those of an object plan.
///
/// An API sends its fields in one order, so the key after the last match is compared first. The
/// plan's arrays are read through the pointer to the state, one pointer at a time: a copy of the
/// state would cost more than the comparison.
@safe
struct KeyMatcher {
    let object: ObjectPlanReference
    let state: UnsafeMutablePointer<ExecutionState>
    /// The position in the object plan of the key after the last match.
    var expected = 0

    @inline(__always)
    init(_ object: ObjectPlanReference, _ state: UnsafeMutablePointer<ExecutionState>) {
        self.object = object
        unsafe self.state = state
    }

    /// A Boolean value that indicates whether any key has matched.
    @inline(__always)
    var hasMatched: Bool { expected > 0 }

    /// Returns the index of the plan's key that is equal to a key of the document; -1 for none.
    @inline(__always)
    mutating func match(_ view: NodeView) -> Int {
        let key = view.tapeNode
        if key.kind == .escapedString {
            let found = unsafe Self.matchEscaped(view, object, state)
            if found >= 0 { expected = found &- object.firstKey &+ 1 }
            return found
        }
        let length = Int(truncatingIfNeeded: key.payload)
        let text = unsafe view.bytes + key.offset
        let (first, last) = unsafe PlanKey.words(text, length)
        let firstKey = object.firstKey
        if expected < object.keyCount,
            unsafe isKey(firstKey &+ expected, first, last, length, text)
        {
            let found = firstKey &+ expected
            expected &+= 1
            return found
        }
        let mask = object.slotMask
        var slot = PlanKey.hash(first, last, length) & mask
        while true {
            let candidate = unsafe Int(state.pointee.slots[object.firstSlot &+ slot])
            if candidate < 0 { return -1 }
            if unsafe isKey(firstKey &+ candidate, first, last, length, text) {
                expected = candidate &+ 1
                return firstKey &+ candidate
            }
            slot = (slot &+ 1) & mask
        }
    }

    /// Compares a key that is written with escapes as text; returns its index or -1.
    @inline(never)
    private static func matchEscaped(
        _ view: NodeView, _ object: ObjectPlanReference,
        _ state: UnsafeMutablePointer<ExecutionState>
    ) -> Int {
        let keyNames = unsafe state.pointee.context.takeUnretainedValue().plan.keyNames
        let text = view.string()
        for index in object.firstKey..<object.firstKey + object.keyCount
        where keyNames[index] == text {
            return index
        }
        return -1
    }

    @inline(__always)
    private func isKey(
        _ index: Int, _ first: UInt64, _ last: UInt64, _ length: Int, _ text: UnsafePointer<UInt8>
    ) -> Bool {
        let key = unsafe state.pointee.keys + index
        guard unsafe key.pointee.first == first, unsafe key.pointee.last == last,
            unsafe Int(key.pointee.length) == length
        else { return false }
        return unsafe length <= 16 || Self.isSameText(key, length, text, state)
    }

    /// Compares a key that is longer than its two words.
    @inline(never)
    private static func isSameText(
        _ key: UnsafePointer<PlanKey>, _ length: Int, _ text: UnsafePointer<UInt8>,
        _ state: UnsafeMutablePointer<ExecutionState>
    ) -> Bool {
        unsafe memcmp(state.pointee.keyText + Int(key.pointee.text), text, length) == 0
    }
}

// SPDX-License-Identifier: Apache-2.0

public import RestDocument

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What one run of a plan needs at every value.
///
/// Invariant: lives on the stack of the call that runs the plan, which also keeps the plan and the
/// document alive; nothing below that call stores a pointer to it.
@frozen
@safe
public struct MappingFrame {
    /// The plan's objects.
    @usableFromInline let objects: UnsafePointer<ObjectPlan>
    /// The plan's keys.
    @usableFromInline let keys: UnsafePointer<PlanKey>
    /// The plan's steps.
    @usableFromInline let steps: UnsafePointer<PlanStep>
    /// The plan's lookup tables.
    @usableFromInline let slots: UnsafePointer<Int32>
    /// The plan's key text.
    @usableFromInline let keyText: UnsafePointer<UInt8>
    /// Where issues go.
    @usableFromInline let context: Unmanaged<MappingContext>
    /// How many related objects the walk is inside of.
    @usableFromInline var depth = 0
    /// How many values may still be passed over, those inside of an object each time it is mapped.
    @usableFromInline var allowance: Int
    /// How many objects were built or filled.
    @usableFromInline var objectCount = 0
    /// The depth of the object that is filled instead of built; -1 for none.
    @usableFromInline var filledDepth = -1
    /// Whether the value is missing and its step is told so.
    @usableFromInline var isMissing = false
    /// Index of the key that stands for an object with that key alone; -1 for none.
    @usableFromInline var entry = -1
    // Of which tape; other documents have nodes of the same index. Invariant: compared, never read.
    @usableFromInline var entryNodes: UnsafePointer<TapeNode>?

    /// Every object and every step of a watched run is special.
    init(_ plan: PlanStorage, context: MappingContext, allowance: Int, isWatched: Bool) {
        unsafe objects = plan.objects + (isWatched ? plan.objectCount : 0)
        unsafe keys = plan.keys
        unsafe steps = plan.steps + (isWatched ? plan.stepCount : 0)
        unsafe slots = plan.slots
        unsafe keyText = plan.keyText
        unsafe self.context = Unmanaged.passUnretained(context)
        self.allowance = allowance
    }
}

extension MappingFrame {
    /// How many bytes of stack lie between a frame and the caller.
    ///
    /// Invariant: the frame is on the stack of the calling thread; only addresses are compared.
    @inline(never)
    static func usedStack(since frame: UnsafeMutablePointer<MappingFrame>) -> Int {
        var here = UInt8(0)
        return unsafe withUnsafeMutablePointer(to: &here) { here in
            let (top, bottom) = (Int(bitPattern: frame), Int(bitPattern: here))
            return top > bottom ? top - bottom : bottom - top
        }
    }
}

// MARK: - Keys

extension PlanKey {
    /// The two words a key is recognised by.
    ///
    /// Reads up to eight bytes past the start of a short key: the bytes of a document are padded.
    @inlinable @inline(__always)
    static func words(_ bytes: UnsafePointer<UInt8>, _ length: Int) -> (UInt64, UInt64) {
        let raw = unsafe UnsafeRawPointer(bytes)
        let first = unsafe UInt64(littleEndian: raw.loadUnaligned(as: UInt64.self))
        if length > 8 {
            return (
                first,
                unsafe UInt64(
                    littleEndian: raw.loadUnaligned(fromByteOffset: length &- 8, as: UInt64.self))
            )
        }
        if length == 0 { return (0, 0) }
        return (first & (UInt64.max &>> UInt64(truncatingIfNeeded: 64 &- length &* 8)), 0)
    }

    /// Spreads a key over a table; the keys of the table are the plan's own, never a server's.
    @inlinable @inline(__always)
    static func hash(_ first: UInt64, _ last: UInt64, _ length: Int) -> Int {
        let mixed = (first ^ (last &* 0x9E37_79B9_7F4A_7C15) ^ UInt64(truncatingIfNeeded: length))
        return Int(truncatingIfNeeded: (mixed &* 0xFF51_AFD7_ED55_8CCD) &>> 32)
    }
}

extension MappingSource {
    /// Finds the plan's key for a key of the document; -1 when the plan does not ask for it.
    ///
    /// An API sends its fields in one order, so the key after the last hit is tried first. Reads of
    /// the frame are of one pointer each: a method of the frame would copy all of it for every key.
    @inlinable @inline(__always)
    func match(_ view: NodeView, _ object: ObjectPlan, _ expected: inout Int) -> Int {
        let key = view.node
        if key.kind == .escapedString {
            let found = context.matchEscaped(view, object)
            if found >= 0 { expected = found &- Int(object.firstKey) &+ 1 }
            return found
        }
        let length = Int(truncatingIfNeeded: key.payload)
        let text = unsafe view.bytes + key.offset
        let (first, last) = unsafe PlanKey.words(text, length)
        let firstKey = Int(object.firstKey)
        if expected < Int(object.keyCount),
            unsafe isKey(firstKey &+ expected, first, last, length, text)
        {
            let found = firstKey &+ expected
            expected &+= 1
            return found
        }
        let mask = Int(object.slotMask)
        var slot = PlanKey.hash(first, last, length) & mask
        while true {
            let candidate = unsafe Int(frame.pointee.slots[Int(object.firstSlot) &+ slot])
            if candidate < 0 { return -1 }
            if unsafe isKey(firstKey &+ candidate, first, last, length, text) {
                expected = candidate &+ 1
                return firstKey &+ candidate
            }
            slot = (slot &+ 1) & mask
        }
    }

    @inlinable @inline(__always)
    func isKey(
        _ index: Int, _ first: UInt64, _ last: UInt64, _ length: Int, _ text: UnsafePointer<UInt8>
    ) -> Bool {
        let key = unsafe frame.pointee.keys + index
        guard unsafe key.pointee.first == first, unsafe key.pointee.last == last,
            unsafe Int(key.pointee.length) == length
        else { return false }
        return unsafe length <= 16 || isSameText(key, length, text)
    }

    /// The middle of a long key.
    @usableFromInline
    func isSameText(
        _ key: UnsafePointer<PlanKey>, _ length: Int, _ text: UnsafePointer<UInt8>
    ) -> Bool {
        unsafe memcmp(frame.pointee.keyText + Int(key.pointee.text), text, length) == 0
    }
}

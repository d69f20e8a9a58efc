// SPDX-License-Identifier: Apache-2.0

public import RestDocument

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// One thing to do with the value of a key: assign a property, or look further inside.
@frozen
public struct PlanStep: Sendable, BitwiseCopyable {
    /// What a step does.
    @frozen
    public enum Action: UInt8, Sendable, BitwiseCopyable {
        /// Hand the value to the destination.
        case assign
        /// The value is an object on the way to a dotted source: walk it for the same destination.
        case descend
    }

    /// Index of the property in its table.
    public let property: Int32
    /// Index of the mapping the step belongs to, for issues.
    public let mapping: Int32
    /// Index of the related object's plan, or of the plan to descend into; -1 for none.
    public let object: Int32
    /// Which of its object's steps it is, for those that have to know which were fed.
    public let ordinal: Int32
    /// What to do.
    public let action: Action
    /// Whether more is to be done than to convert the value and assign it; see ``StepDetail``.
    public let isSpecial: Bool
    /// What happens when the value cannot be mapped, copied from the mapping.
    public let policy: IssuePolicy
    /// Which conversions between kinds may happen, copied from the mapping.
    public let coercions: Coercions
    /// Whether the mapping has date formats of its own.
    public let hasDates: Bool
}

/// A source key, laid out so that a match is three integer comparisons.
@frozen
public struct PlanKey: Sendable, BitwiseCopyable {
    /// The first eight bytes, zero filled.
    public let first: UInt64
    /// The last eight bytes of a key longer than eight, else zero.
    public let last: UInt64
    /// Byte count.
    public let length: Int32
    /// Where the bytes lie in the plan's key text.
    public let text: Int32
    /// First of the steps this key feeds.
    public let firstStep: Int32
    /// One past the last of them.
    public let endStep: Int32
}

/// The keys of one object, with a table that finds a key from its length and its ends.
@frozen
public struct ObjectPlan: Sendable, BitwiseCopyable {
    /// First of the object's keys; the slots of the table count from here.
    public let firstKey: Int32
    /// Number of keys.
    public let keyCount: Int32
    /// First slot of the lookup table.
    public let firstSlot: Int32
    /// Slot count minus one; the count is a power of two, at least twice the number of keys.
    public let slotMask: Int32
    /// First of the steps fed by a path instead of a key, see ``MappingPlan``.
    public let firstPath: Int32
    /// Number of them.
    public let pathCount: Int32
    /// Index of the mapping this object belongs to, for issues.
    public let mapping: Int32
    /// What happens when the object cannot be built.
    public let policy: IssuePolicy
    /// What is not as in a plain object.
    public let traits: ObjectTraits
}

/// What the walk of an object has to do besides its keys.
@frozen
public struct ObjectTraits: OptionSet, Sendable, BitwiseCopyable {
    /// The bits.
    public let rawValue: UInt8

    /// Makes a set of its bits.
    @inlinable @inline(__always)
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Walked off the hot path: what is missing matters, or somebody watches.
    @inlinable public static var special: ObjectTraits { ObjectTraits(rawValue: 1) }
    /// Stands for several objects, of which the representation chooses one.
    @inlinable public static var dynamic: ObjectTraits { ObjectTraits(rawValue: 2) }
    /// Passed on the way to a dotted source; belongs to the object before it.
    @inlinable public static var passed: ObjectTraits { ObjectTraits(rawValue: 4) }
    /// Has sources that are paths, or keys that are passed.
    @inlinable public static var late: ObjectTraits { ObjectTraits(rawValue: 8) }
    /// May be walked as one member of the object its node is in.
    @inlinable public static var entries: ObjectTraits { ObjectTraits(rawValue: 16) }
}

/// The arrays of a compiled plan, allocated once and only read afterwards.
///
/// `@unchecked Sendable` invariant: the buffers are written in `init` and never again; they are
/// freed when the last plan that shares them goes away.
@safe
public final class PlanStorage: @unchecked Sendable {
    /// All object plans; 0 is the root's.
    public let objects: UnsafePointer<ObjectPlan>
    /// All keys.
    public let keys: UnsafePointer<PlanKey>
    /// All steps.
    public let steps: UnsafePointer<PlanStep>
    /// The lookup tables: index of a key within its object, or -1.
    public let slots: UnsafePointer<Int32>
    /// The bytes of all keys.
    public let keyText: UnsafePointer<UInt8>

    /// Number of objects; as many follow, the same for a run that somebody watches.
    let objectCount: Int
    /// Number of steps; as many follow, the same for a run that somebody watches.
    let stepCount: Int

    private let buffers: [UnsafeMutableRawPointer]

    init(
        objects: [ObjectPlan], keys: [PlanKey], steps: [PlanStep], slots: [Int32], keyText: [UInt8]
    ) {
        func copy<Element: BitwiseCopyable>(_ source: [Element]) -> UnsafeMutablePointer<Element> {
            let target = UnsafeMutablePointer<Element>.allocate(capacity: max(source.count, 1))
            for (index, element) in source.enumerated() {
                unsafe (target + index).initialize(to: element)
            }
            return unsafe target
        }
        objectCount = objects.count
        stepCount = steps.count
        let objects = objects + objects.map(\.watched)
        let steps = steps + steps.map(\.watched)
        let objectBuffer = unsafe copy(objects)
        let keyBuffer = unsafe copy(keys)
        let stepBuffer = unsafe copy(steps)
        let slotBuffer = unsafe copy(slots)
        let textBuffer = unsafe copy(keyText)
        unsafe self.objects = UnsafePointer(objectBuffer)
        unsafe self.keys = UnsafePointer(keyBuffer)
        unsafe self.steps = UnsafePointer(stepBuffer)
        unsafe self.slots = UnsafePointer(slotBuffer)
        unsafe self.keyText = UnsafePointer(textBuffer)
        unsafe buffers = [
            UnsafeMutableRawPointer(objectBuffer), UnsafeMutableRawPointer(keyBuffer),
            UnsafeMutableRawPointer(stepBuffer), UnsafeMutableRawPointer(slotBuffer),
            UnsafeMutableRawPointer(textBuffer),
        ]
    }

    deinit {
        unsafe buffers.forEach { buffer in unsafe buffer.deallocate() }
    }
}

extension PlanStorage {
    func object(_ index: Int) -> ObjectPlan { unsafe objects[index] }
    func key(_ index: Int) -> PlanKey { unsafe keys[index] }
    func step(_ index: Int) -> PlanStep { unsafe steps[index] }
}

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
    /// How many objects were built or filled.
    @usableFromInline var objectCount = 0
    /// The depth of the object that is filled instead of built; -1 for none.
    @usableFromInline var filledDepth = -1
    /// Whether the value is missing and its step is told so.
    @usableFromInline var isMissing = false
    /// Index of the key that stands for an object with that key alone; -1 for none.
    @usableFromInline var entry = -1

    /// Every object and every step of a watched run is special.
    init(_ plan: PlanStorage, context: MappingContext, isWatched: Bool) {
        unsafe objects = plan.objects + (isWatched ? plan.objectCount : 0)
        unsafe keys = plan.keys
        unsafe steps = plan.steps + (isWatched ? plan.stepCount : 0)
        unsafe slots = plan.slots
        unsafe keyText = plan.keyText
        unsafe self.context = Unmanaged.passUnretained(context)
    }
}

// MARK: - Watched runs

extension PlanStep {
    fileprivate var watched: PlanStep {
        PlanStep(
            property: property, mapping: mapping, object: object, ordinal: ordinal, action: action,
            isSpecial: true, policy: policy, coercions: coercions, hasDates: hasDates)
    }
}

extension ObjectPlan {
    fileprivate var watched: ObjectPlan {
        ObjectPlan(
            firstKey: firstKey, keyCount: keyCount, firstSlot: firstSlot, slotMask: slotMask,
            firstPath: firstPath, pathCount: pathCount, mapping: mapping, policy: policy,
            traits: traits.union(.special))
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

extension MappingFrame {
    /// Finds the plan's key for a key of the document; -1 when the plan does not ask for it.
    ///
    /// An API sends its fields in one order, so the key after the last hit is tried first.
    @inlinable @inline(__always)
    func match(_ view: NodeView, _ object: ObjectPlan, _ expected: inout Int) -> Int {
        let key = view.node
        if key.kind == .escapedString {
            let found = unsafe context.takeUnretainedValue().matchEscaped(view, object)
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
            let candidate = unsafe Int(slots[Int(object.firstSlot) &+ slot])
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
        let key = unsafe keys[index]
        guard key.first == first, key.last == last, Int(key.length) == length else { return false }
        return unsafe length <= 16 || isSameText(key, length, text)
    }

    /// The middle of a long key.
    @usableFromInline
    func isSameText(_ key: PlanKey, _ length: Int, _ text: UnsafePointer<UInt8>) -> Bool {
        unsafe memcmp(keyText + Int(key.text), text, length) == 0
    }
}

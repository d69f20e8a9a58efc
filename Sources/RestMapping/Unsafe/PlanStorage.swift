// SPDX-License-Identifier: Apache-2.0

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
    /// Whether more is to be done than to convert the value and assign it.
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
    /// Decodes itself instead of being walked.
    @inlinable public static var decoded: ObjectTraits { ObjectTraits(rawValue: 32) }
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

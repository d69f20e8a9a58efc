// SPDX-License-Identifier: Apache-2.0

/// The keys of one object, with a hash table over their lengths and ends.
@frozen
@usableFromInline
struct ObjectPlan: Sendable, BitwiseCopyable {
    /// The index of the object's first key; the slots of the table count from here.
    @usableFromInline let firstKey: Int32
    /// The number of keys.
    @usableFromInline let keyCount: Int32
    /// The index of the first slot of the hash table.
    @usableFromInline let firstSlot: Int32
    /// The number of slots minus one; it is a power of two, at least twice the number of keys.
    @usableFromInline let slotMask: Int32
    /// The index of the first step whose source is a path instead of a key, see ``MappingPlan``.
    @usableFromInline let firstPath: Int32
    /// The number of such steps.
    @usableFromInline let pathCount: Int32
    /// The index of the mapping that the object belongs to, for issues.
    @usableFromInline let mapping: Int32
    /// The policy for an object that cannot be built.
    @usableFromInline let policy: IssuePolicy
    /// The differences from a plain object.
    @usableFromInline let traits: ObjectTraits
}

extension ObjectPlan {
    /// The object in a run that is observed or fills an object.
    var observed: ObjectPlan {
        ObjectPlan(
            firstKey: firstKey, keyCount: keyCount, firstSlot: firstSlot, slotMask: slotMask,
            firstPath: firstPath, pathCount: pathCount, mapping: mapping, policy: policy,
            traits: traits.union(.special))
    }
}

/// The work that the walk of an object has besides its keys.
@frozen
@usableFromInline
struct ObjectTraits: OptionSet, Sendable, BitwiseCopyable {
    /// One bit for each trait.
    @usableFromInline let rawValue: UInt8

    /// Creates a set from its bits.
    @inlinable @inline(__always)
    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Walked off the hot path: missing values matter, or the run is observed.
    @inlinable static var special: ObjectTraits { ObjectTraits(rawValue: 1) }
    /// Stands for several objects; the representation chooses one.
    @inlinable static var dynamic: ObjectTraits { ObjectTraits(rawValue: 2) }
    /// On the way to a dotted source; belongs to the object before it.
    @inlinable static var intermediate: ObjectTraits { ObjectTraits(rawValue: 4) }
    /// Has sources that are paths, or intermediate objects.
    @inlinable static var deferred: ObjectTraits { ObjectTraits(rawValue: 8) }
    /// May be walked as one member of the object that its node is in.
    @inlinable static var memberList: ObjectTraits { ObjectTraits(rawValue: 16) }
    /// Decodes itself instead of being walked.
    @inlinable static var decoded: ObjectTraits { ObjectTraits(rawValue: 32) }
    /// May be provided by its type before it is walked, see ``ObjectMappable/object()``.
    @inlinable static var provided: ObjectTraits { ObjectTraits(rawValue: 64) }
    /// May be represented by a value that is not an object: one that an attribute takes as a whole, or
    /// a list of properties by position.
    @inlinable static var wholeValue: ObjectTraits { ObjectTraits(rawValue: 128) }
}

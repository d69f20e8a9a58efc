// SPDX-License-Identifier: Apache-2.0

/// The objects of a context by key, with at most one object for a row.
///
/// The references are weak. The context has the unsaved values, so that an object can be created
/// again. Entries of released objects are removed when their number may have doubled, because an
/// object can be released on any thread and therefore must not change the map.
struct IdentityMap {
    private struct Entry {
        weak var object: ManagedObject?
    }

    private var entries: [Int64: Entry] = [:]
    /// The objects whose relationships have been read, if they can be observed.
    var observed = ObservedRelationships()
    /// The number of entries at which released ones are removed.
    private var sweepCount = minimumSweepCount
    private static let minimumSweepCount = 256

    var isEmpty: Bool { entries.isEmpty }
    /// The number of entries, including those of released objects.
    var count: Int { entries.count }

    subscript(key: Int64) -> ManagedObject? { entries[key]?.object }

    var objects: [ManagedObject] { entries.values.compactMap(\.object) }

    /// Returns the object of a row, or the one that a closure creates for it.
    mutating func object<Failure: Error>(
        _ key: Int64, orNew makeObject: () throws(Failure) -> ManagedObject
    ) throws(Failure) -> ManagedObject {
        if entries.count >= sweepCount { sweep() }
        return try Self.object(in: &entries[key, default: Entry()], orNew: makeObject)
    }

    private static func object<Failure: Error>(
        in entry: inout Entry, orNew makeObject: () throws(Failure) -> ManagedObject
    ) throws(Failure) -> ManagedObject {
        if let known = entry.object { return known }
        let object = try makeObject()
        entry.object = object
        return object
    }

    mutating func register(_ object: ManagedObject) {
        entries[object.objectID.key] = Entry(object: object)
        if entries.count >= sweepCount { sweep() }
    }

    /// Registers an object that has got another key.
    mutating func register(_ object: ManagedObject, replacing old: Int64) {
        entries[old] = nil
        observed.replace(old, by: object.objectID.key)
        register(object)
    }

    /// Reserves space for further objects, because a growing map moves all references.
    mutating func reserve(_ count: Int) {
        if entries.count + count >= sweepCount { sweep() }
        // The next lookup of one object would otherwise sweep all.
        sweepCount = max(sweepCount, (entries.count + count) * 2)
        entries.reserveCapacity(entries.count + count)
    }

    private mutating func sweep() {
        let released = entries.compactMap { $0.value.object == nil ? $0.key : nil }
        if released.count == entries.count {
            entries.removeAll(keepingCapacity: true)
        } else {
            for key in released { entries[key] = nil }
        }
        let kept = entries
        observed.removeAll(unless: { kept[$0] != nil })
        sweepCount = max(Self.minimumSweepCount, entries.count * 2)
    }

    mutating func remove(_ key: Int64) { entries[key] = nil }

    mutating func removeAll() {
        entries = [:]
        observed = ObservedRelationships()
        sweepCount = Self.minimumSweepCount
    }
}

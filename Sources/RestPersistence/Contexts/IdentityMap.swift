// SPDX-License-Identifier: Apache-2.0

/// The objects of a context by key, with at most one object for a row.
///
/// The references are weak. The context has the unsaved values, so that an object can be created
/// again.
struct IdentityMap {
    private struct Entry {
        weak var object: ManagedObject?
    }

    private var entries: [Int64: Entry] = [:]

    subscript(key: Int64) -> ManagedObject? { entries[key]?.object }

    var objects: [ManagedObject] { entries.values.compactMap(\.object) }

    mutating func register(_ object: ManagedObject) {
        entries[object.objectID.key] = Entry(object: object)
    }

    /// Removes the entry of a deallocated object, unless another object has replaced it.
    mutating func removeReleased(_ key: Int64) {
        if let entry = entries[key], entry.object == nil { entries[key] = nil }
    }
}

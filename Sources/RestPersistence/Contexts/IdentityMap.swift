// SPDX-License-Identifier: Apache-2.0

/// The living objects of a context by key: one row, one instance.
///
/// Objects are not kept alive: unsaved values are the context's, so an object can be made again.
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

    /// Drops the entry of an object that is going away, unless another took its place.
    mutating func forget(_ key: Int64) {
        if let entry = entries[key], entry.object == nil { entries[key] = nil }
    }
}

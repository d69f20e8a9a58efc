// SPDX-License-Identifier: Apache-2.0

import RestPersistence

/// The objects of a collection with their keys, so that looking for the rows of a commit reads no object.
struct ListedObjects<Object: ManagedEntity> {
    private(set) var objects: [Object] = []
    private(set) var keys: [Int64] = []
    /// The number of changes of the list.
    private(set) var version = 0

    /// Replaces the objects by those with IDs, of which those at the start and at the end that are the same
    /// stay.
    ///
    /// - Parameters:
    ///   - ids: The IDs.
    ///   - find: Returns the objects with IDs, without deleted ones.
    /// - Throws: The error of the closure, after which the list has not changed.
    mutating func replace<Failure>(
        by ids: [ManagedObjectID], _ find: ([ManagedObjectID]) throws(Failure) -> [Object]
    ) throws(Failure) {
        let shorter = min(ids.count, keys.count)
        var start = 0
        while start < shorter, ids[start].key == keys[start] { start += 1 }
        var end = 0
        while end < shorter - start, ids[ids.count - 1 - end].key == keys[keys.count - 1 - end] {
            end += 1
        }
        let found = try find(Array(ids[start..<ids.count - end]))
        let replaced = start..<keys.count - end
        if replaced.isEmpty, found.isEmpty { return }
        objects.replaceSubrange(replaced, with: found)
        keys.replaceSubrange(replaced, with: found.map(\.objectID.key))
        version += 1
    }

    /// Follows the new keys of rows.
    mutating func replaceKeys(by newKey: (Int64) -> Int64) { keys = keys.map(newKey) }

    /// Removes the objects at offsets, which ascend.
    mutating func remove(at offsets: [Int]) {
        for offset in offsets.reversed() {
            objects.remove(at: offset)
            keys.remove(at: offset)
        }
        version += 1
    }

    /// Moves objects.
    mutating func apply(_ move: ListMove) {
        move.apply(to: &objects)
        move.apply(to: &keys)
        version += 1
    }

    /// Puts the objects into another order, which has the offset of each of them.
    mutating func reorder(by offsets: [Int]) {
        objects = offsets.map { objects[$0] }
        keys = offsets.map { keys[$0] }
        version += 1
    }
}

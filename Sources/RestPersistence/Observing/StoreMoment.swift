// SPDX-License-Identifier: Apache-2.0

/// A moment between two commits of a store, after which deletions are known.
///
/// Whoever reads IDs notes the moment before. Objects can then be created later, and in another
/// isolation, without asking the database whether their rows still exist.
package struct StoreMoment: Sendable {
    private let last: CommitFeed.Node

    init(_ feed: CommitFeed) { last = feed.last }

    /// Returns the keys of the rows that were inserted since; `nil` if they are not all known.
    package func insertedKeys() -> Set<Int64>? {
        var keys: Set<Int64> = []
        var node = last
        while let next = node.next {
            node = next
            guard let commit = node.commit else { continue }
            if commit.hasUnnamedChanges { return nil }
            for table in commit.tables { keys.formUnion(table.inserted.lazy.map(\.key)) }
        }
        return keys
    }

    /// Returns the keys of the rows that were deleted since; `nil` if they are not all known.
    fileprivate func deletedKeys() -> Set<Int64>? {
        var keys: Set<Int64> = []
        var node = last
        while let next = node.next {
            node = next
            guard let commit = node.commit else { continue }
            if commit.hasUnnamedChanges { return nil }
            for table in commit.tables { keys.formUnion(table.deleted.lazy.map(\.key)) }
        }
        return keys
    }
}

extension ManagedObjectStore {
    /// The present moment.
    package var moment: StoreMoment { StoreMoment(database.feed) }
}

extension ManagedObjectContext {
    /// Returns the objects with IDs that the store had at a moment or later, without reading their
    /// values: those of a batch are read together when one of them is needed.
    ///
    /// - Complexity: O(*n*) without a query, if no other process has written since the moment.
    /// - Returns: The objects in the order of the IDs, without those that were deleted.
    /// - Throws: ``PersistenceError`` with code `unknownEntity` if an ID is of another store or class.
    package func objects<Object: ManagedEntity>(
        _ type: Object.Type, with ids: [ManagedObjectID], existingAt moment: StoreMoment
    ) throws(PersistenceError) -> [Object] {
        takeCommits()
        guard let deleted = moment.deletedKeys() else { return try objects(type, with: ids) }
        let root = try model.layout(of: type)
        identityMap.reserve(ids.count)
        var objects: [Object] = []
        objects.reserveCapacity(ids.count)
        // IDs of one entity share its layout.
        var known: (id: EntityLayout, own: EntityLayout)?
        for start in stride(from: 0, to: ids.count, by: FaultBatch.size) {
            let chunk = ids[start..<min(start + FaultBatch.size, ids.count)]
            let batch = FaultBatch(chunk.map { database.currentKey(of: $0.key) })
            for (id, key) in zip(chunk, batch.keys) {
                if known?.id !== id.layout || id.store != database.identity {
                    known = (id.layout, try checkedLayout(of: id))
                }
                guard let layout = known?.own, root.includes(layout.index) else {
                    throw PersistenceError(.unknownEntity, entity: id.entityName)
                }
                if deleted.contains(key) || isDeleted(key, layout.table.index) { continue }
                let object = identityMap.object(key) { newObject(key, layout) }
                if object.isDeleted { continue }
                object.batch = batch
                if let object = object as? Object { objects.append(object) }
            }
        }
        return objects
    }
}

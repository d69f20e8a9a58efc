// SPDX-License-Identifier: Apache-2.0

/// A moment between two commits of a store, after which changes are known.
///
/// Whoever reads IDs notes the moment before. Objects can then be created later, and in another
/// isolation, without asking the database whether their rows still exist.
package struct StoreMoment: Sendable {
    private let last: CommitFeed.Node
    /// The unsaved changes that a context and its parents had.
    private let unsaved: [ChangeSet]

    init(_ feed: CommitFeed, unsaved: [ChangeSet] = []) {
        last = feed.last
        self.unsaved = unsaved
    }

    /// Returns the keys of the rows that were inserted or changed since, or that became or were members of
    /// a relationship; `nil` if they are not all known.
    package func changedKeys() -> Set<Int64>? {
        keys { commit, keys in
            for table in commit.tables {
                keys.formUnion(table.inserted.lazy.map(\.key))
                keys.formUnion(table.updated.keys)
            }
            for link in commit.links {
                for pair in link.inserted + link.deleted {
                    keys.insert(pair.source)
                    keys.insert(pair.target)
                }
            }
        }
    }

    /// Returns the keys of the rows that were deleted since; `nil` if they are not all known.
    fileprivate func deletedKeys() -> Set<Int64>? {
        keys { commit, keys in
            for table in commit.tables { keys.formUnion(table.deleted.lazy.map(\.key)) }
        }
    }

    private func keys(
        _ add: (StoreCommit, inout Set<Int64>) -> Void
    ) -> Set<Int64>? {
        var keys: Set<Int64> = []
        var node = last
        while let next = node.next {
            node = next
            guard let commit = node.commit else { continue }
            if commit.hasUnnamedChanges { return nil }
            add(commit, &keys)
        }
        return keys
    }

    fileprivate func hasUnsaved(_ key: Int64, _ table: Int) -> Bool {
        unsaved.contains { $0.tables[table].state(of: key) != nil }
    }
}

extension ManagedObjectStore {
    /// The present moment.
    package var moment: StoreMoment { StoreMoment(database.feed) }
}

extension ManagedObjectContext {
    /// The present moment, with the unsaved changes of the context and of its parents.
    package var moment: StoreMoment { StoreMoment(database.feed, unsaved: lower + [top]) }

    /// Returns a Boolean value that indicates whether an object is unsaved, and was inserted since a moment.
    package func isInserted(_ id: ManagedObjectID, since moment: StoreMoment) -> Bool {
        let table = id.layout.table.index
        return state(of: id.key, table) == .inserted && !moment.hasUnsaved(id.key, table)
    }

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

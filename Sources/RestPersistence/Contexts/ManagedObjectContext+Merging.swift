// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectContext {
    /// Takes the commits of other contexts, and the changes of the parents, since the last time.
    ///
    /// Objects of changed rows read them again on next access, except for properties with unsaved
    /// changes. Objects of deleted rows become deleted.
    func takeCommits() {
        switch role {
        case .snapshot, .transaction: return
        case .child(let parent):
            parent.takeCommits()
            takeChanges(of: parent)
        case .root, .transfer: break
        }
        var relationships: ChangedRelationships?
        while let next = commits.last.next {
            commits.last = next
            guard let commit = next.commit, commit.writer !== commits.writer else { continue }
            take(commit)
            if isObserved {
                relationships = relationships ?? ChangedRelationships(in: model)
                relationships?.add(commit, in: model)
            }
        }
        if let relationships { RelationshipNotifier(self).note(relationships) }
    }

    private func take(_ commit: StoreCommit) {
        commits.version += 1
        take(commit.replacements)
        for table in model.tables where !commit.tables[table.index].isEmpty {
            let changes = commit.tables[table.index]
            recordPending(changes, table.index)
            if hasChanges {
                RowDeleter(self).removeReferences(
                    to: changes.deleted.lazy.map { ($0.key, $0.entity) })
            }
            if identityMap.isEmpty { continue }
            if changes.isUnnamed {
                for object in identityMap.objects where object.layout.table === table {
                    object.invalidate()
                }
            }
            for row in changes.deleted { identityMap[row.key]?.markDeleted() }
            if changes.updated.count > identityMap.count {
                for object in identityMap.objects where object.layout.table === table {
                    if let update = changes.updated[object.objectID.key] {
                        object.invalidate(update.mask)
                    }
                }
            } else {
                for (key, update) in changes.updated { identityMap[key]?.invalidate(update.mask) }
            }
        }
    }

    /// Records that pending rows differ because the stored ones below them have changed.
    private func recordPending(_ changes: TableCommit, _ table: Int) {
        let hasPending =
            layered.layers.top.tables[table].count > 0
            || layered.layers.lower.contains { $0.tables[table].count > 0 }
        guard hasPending else { return }
        if changes.isUnnamed {
            layered.layers.noteChangesBelow(table)
            return record { $0.recordAll(table) }
        }
        for key in changes.updated.keys
        where layered.layers.top.tables[table].state(of: key) == .updated {
            layered.layers.rowsChangedBelow[table, default: []].insert(key)
        }
        for key in changes.updated.keys where layered.layers.state(of: key, table) != nil {
            record { $0.record(key, table) }
        }
        for row in changes.deleted where layered.layers.state(of: row.key, table) != nil {
            record { $0.record(row.key, table) }
        }
    }

    // MARK: Parents

    /// Takes the changes of the parent, if they have changed.
    func takeChanges(of parent: ManagedObjectContext) {
        guard parent.layered.layers.journal.version != layered.layers.parentVersion else { return }
        layered.layers.parentVersion = parent.layered.layers.journal.version
        // The parents may have discarded their insertion or deletion.
        let doubtful = identityMap.objects.filter { object in
            layered.layers.lower.contains {
                switch $0.tables[object.layout.table.index].state(of: object.objectID.key) {
                case .inserted, .deleted, .dropped: true
                case .updated, nil: false
                }
            }
        }
        layered.layers.lower =
            parent.layered.layers.all + (layered.layers.sealed.map { [$0.changes] } ?? [])
        for table in model.tables { layered.layers.noteChangesBelow(table.index) }
        record { $0.recordAll() }
        commits.version += 1
        for object in identityMap.objects {
            let key = object.objectID.key
            if !object.isDeleted, layered.layers.isDeleted(key, object.layout.table.index) {
                object.markDeleted()
            } else {
                object.invalidate()
            }
        }
        updateExistence(of: doubtful)
        removeReferencesToDeleted()
    }

    /// Marks objects as deleted or as existing, by the store if no unsaved change inserts or deletes
    /// them.
    func updateExistence(of objects: [ManagedObject]) {
        for (table, objects) in Dictionary(grouping: objects, by: \.layout.table.index) {
            var unknown: [ManagedObject] = []
            for object in objects {
                switch layered.layers.state(of: object.objectID.key, table) {
                case .inserted: object.markExisting()
                case .deleted, .dropped: object.markDeleted()
                case .updated, nil:
                    // A new row that was merged with a stored one gets its key from the commit.
                    let key = object.objectID.key
                    if database.currentKey(of: key) == key { unknown.append(object) }
                }
            }
            do throws(PersistenceError) {
                let keys = unknown.map(\.objectID.key)
                let stored = try layered.storedRows(keys, model.tables[table])
                for object in unknown {
                    if stored[object.objectID.key] != nil {
                        object.markExisting()
                    } else {
                        object.markDeleted()
                        RowDeleter(self).removeReferences(to: [
                            (object.objectID.key, object.layout.index)
                        ])
                    }
                }
            } catch {
                errors.note(error)
            }
        }
    }

    /// Removes references to rows that the parents have deleted from the unsaved changes.
    private func removeReferencesToDeleted() {
        if layered.layers.top.isEmpty { return }
        for layer in layered.layers.lower {
            for table in layer.tables where table.hasRemovals {
                let deleted = (0..<table.count).lazy.filter { table.states[$0].isDeletion }
                RowDeleter(self).removeReferences(
                    to: deleted.map { (table.keys[$0], table.entities[$0]) })
            }
        }
    }

    /// Adds the saved changes of a child, subject to a policy.
    ///
    /// - Parameters:
    ///   - changes: The changes.
    ///   - policy: The merge policy of the child.
    ///   - missing: The keys of rows that the child knows to be deleted.
    /// - Returns: A Boolean value that indicates whether other changes than those of the child have
    ///   been added.
    /// - Throws: ``PersistenceError`` with code `saveConflict` or `objectNotFound`. The context is
    ///   then unchanged.
    @discardableResult
    func absorb(
        _ changes: ChangeSet, _ policy: MergePolicy, missing: Set<Int64> = []
    ) throws(PersistenceError) -> Bool {
        if changes.isEmpty { return false }
        var merge = ChildMerge(into: self, policy, missing: missing)
        let resolved = try merge.resolved(changes)
        let dependents = RowDeleter(self).dependents(ofDeletedIn: resolved)
        layered.layers.top.absorb(resolved)
        apply(resolved)
        for table in resolved.tables where table.deletedCount > 0 {
            let deleted = (0..<table.count).lazy.filter { table.states[$0] == .deleted }
            RowDeleter(self).removeReferences(
                to: deleted.map { (table.keys[$0], table.entities[$0]) }, keepsDenying: true)
        }
        let missed = dependents.filter { !layered.layers.isDeleted($0.key, $0.layout.table.index) }
        if !missed.isEmpty {
            merge.isAltered = true
            RowDeleter(self).delete(missed)
        }
        return merge.isAltered
    }

    /// Applies changes that have been added to the objects and their observers.
    func apply(_ changes: ChangeSet) {
        for table in model.tables.indices where changes.tables[table].count > 0 {
            apply(changes.tables[table], table)
        }
        for link in model.links.indices where !changes.links[link].isEmpty {
            for pair in changes.links[link].pairs.keys {
                RelationshipNotifier(self).noteLinkChange(pair, link)
            }
        }
        record { $0.record(changes) }
    }

    private func apply(_ changes: TableChanges, _ table: Int) {
        for slot in 0..<changes.count {
            guard let object = identityMap[changes.keys[slot]] else { continue }
            switch changes.states[slot] {
            case .deleted: object.markDeleted()
            case .updated: object.invalidate(changes.masks[slot])
            case .inserted, .dropped: break
            }
        }
    }
}

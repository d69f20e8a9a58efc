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
        while let next = lastCommit.next {
            lastCommit = next
            guard let commit = next.commit, commit.writer !== token else { continue }
            take(commit)
            if isObserved {
                relationships = relationships ?? ChangedRelationships(in: model)
                relationships?.add(commit, in: model)
            }
        }
        if let relationships { note(relationships) }
    }

    private func take(_ commit: StoreCommit) {
        storeVersion += 1
        take(commit.replacements)
        for table in model.tables where !commit.tables[table.index].isEmpty {
            let changes = commit.tables[table.index]
            recordPending(changes, table.index)
            if hasChanges {
                removeReferences(to: changes.deleted.lazy.map { ($0.key, $0.entity) })
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
            top.tables[table].count > 0 || lower.contains { $0.tables[table].count > 0 }
        guard hasPending else { return }
        if changes.isUnnamed {
            noteChangesBelow(table)
            return journal.recordAll(table)
        }
        for key in changes.updated.keys where top.tables[table].state(of: key) == .updated {
            rowsChangedBelow[table, default: []].insert(key)
        }
        for key in changes.updated.keys where state(of: key, table) != nil {
            journal.record(key, table)
        }
        for row in changes.deleted where state(of: row.key, table) != nil {
            journal.record(row.key, table)
        }
    }

    // MARK: Parents

    /// The layers for a child.
    var layersForChild: [ChangeSet] { lower + [top] }

    /// Takes the changes of the parent, if they have changed.
    func takeChanges(of parent: ManagedObjectContext) {
        guard parent.journal.version != parentVersion else { return }
        parentVersion = parent.journal.version
        // The parents may have discarded their insertion or deletion.
        let doubtful = identityMap.objects.filter { object in
            lower.contains {
                switch $0.tables[object.layout.table.index].state(of: object.objectID.key) {
                case .inserted, .deleted, .dropped: true
                case .updated, nil: false
                }
            }
        }
        lower = parent.layersForChild + (sealed.map { [$0] } ?? [])
        for table in model.tables { noteChangesBelow(table.index) }
        journal.recordAll()
        storeVersion += 1
        for object in identityMap.objects {
            let key = object.objectID.key
            if !object.isDeleted, isDeleted(key, object.layout.table.index) {
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
                switch state(of: object.objectID.key, table) {
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
                let stored = try storedRows(keys, model.tables[table])
                for object in unknown {
                    if stored[object.objectID.key] != nil {
                        object.markExisting()
                    } else {
                        object.markDeleted()
                        removeReferences(to: [(object.objectID.key, object.layout.index)])
                    }
                }
            } catch {
                failure = failure ?? error
            }
        }
    }

    /// Removes references to rows that the parents have deleted from the unsaved changes.
    private func removeReferencesToDeleted() {
        if top.isEmpty { return }
        for layer in lower {
            for table in layer.tables where table.hasRemovals {
                let deleted = (0..<table.count).lazy.filter { table.states[$0].isDeletion }
                removeReferences(to: deleted.map { (table.keys[$0], table.entities[$0]) })
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
        var isAltered = false
        let resolved = try resolved(changes, policy, missing: missing, &isAltered)
        let dependents = dependents(ofDeletedIn: resolved)
        top.absorb(resolved)
        apply(resolved)
        for table in resolved.tables where table.deletedCount > 0 {
            let deleted = (0..<table.count).lazy.filter { table.states[$0] == .deleted }
            removeReferences(
                to: deleted.map { (table.keys[$0], table.entities[$0]) }, keepsDenying: true)
        }
        let missed = dependents.filter { !isDeleted($0.key, $0.layout.table.index) }
        if !missed.isEmpty {
            isAltered = true
            delete(missed)
        }
        return isAltered
    }

    /// Returns the saved changes of a child without those that lose against changes of this context.
    ///
    /// - Throws: ``PersistenceError`` with code `saveConflict` or `objectNotFound`.
    private func resolved(
        _ changes: ChangeSet, _ policy: MergePolicy, missing: Set<Int64>, _ isAltered: inout Bool
    ) throws(PersistenceError) -> ChangeSet {
        var resolved = ChangeSet(model: model)
        var conflicts: [SaveConflict] = []
        for table in model.tables where changes.tables[table.index].count > 0 {
            let merged = merged(changes.tables[table.index], table, policy, missing)
            conflicts += merged.conflicts
            if policy != .storeWins, let key = merged.deleted.min() {
                let entity = changes.tables[table.index].slot(of: key).map {
                    changes.tables[table.index].entities[$0]
                }
                let name = model.layouts[entity ?? table.entities[0]].name
                throw PersistenceError(
                    .objectNotFound, entity: name,
                    details: ["\(name)/\(key) was deleted and has unsaved changes"])
            }
            if merged.isAltered { isAltered = true }
            resolved.update(table.index) {
                $0.absorb(
                    changes.tables[table.index], except: merged.deleted, columns: merged.discarded)
            }
            for (key, column, value) in merged.counted
            where top.tables[table.index].changedValue(key, column) == nil {
                resolved.update(table.index) { $0.rebase(key, column, on: value) }
            }
        }
        conflicts += try resolveOneToOne(&resolved, policy, &isAltered)
        if !conflicts.isEmpty { throw PersistenceError(conflicts: conflicts) }
        for link in model.links.indices where !changes.links[link].isEmpty {
            resolved.updateLink(link) { $0.absorb(changes.links[link]) }
        }
        resolved.pending = changes.pending
        resolved.imported = changes.imported
        resolved.collections = changes.collections
        resolved.writes = changes.writes
        resolved.unchangedCount = changes.unchangedCount
        return resolved
    }

    /// Applies changes that have been added to the objects and their observers.
    func apply(_ changes: ChangeSet) {
        for table in model.tables.indices where changes.tables[table].count > 0 {
            apply(changes.tables[table], table)
        }
        for link in model.links.indices where !changes.links[link].isEmpty {
            for pair in changes.links[link].pairs.keys { noteLinkChange(pair, link) }
        }
        journal.record(changes)
    }

    /// The result of merging the changes of a table of a child.
    private struct MergedRows {
        /// The rows that this context has deleted.
        var deleted: Set<Int64> = []
        /// The columns whose edits lose.
        var discarded: [Int64: ColumnMask] = [:]
        /// The columns that the child has counted, with the values of this context or of its parents.
        var counted: [(key: Int64, column: Int, value: StoredValue)] = []
        var conflicts: [SaveConflict] = []

        /// A Boolean value that indicates whether this context gets other values than the child has.
        var isAltered: Bool { !deleted.isEmpty || !discarded.isEmpty || !counted.isEmpty }
    }

    /// Merges the edits of a child with the values that this context has set since the child read them.
    private func merged(
        _ changes: TableChanges, _ table: TableLayout, _ policy: MergePolicy, _ missing: Set<Int64>
    ) -> MergedRows {
        var merged = MergedRows()
        for slot in 0..<changes.count where changes.states[slot] == .updated {
            let key = changes.keys[slot]
            if isDeleted(key, table.index) || identityMap[key]?.isDeleted == true
                || missing.contains(key)
            {
                merged.deleted.insert(key)
                continue
            }
            for column in changes.masks[slot].columns {
                guard let base = changes.base(slot, column),
                    let current = changedValue(key, column, table.index)
                else { continue }
                switch policy.merge(
                    base: base, mine: changes.value(slot, column), theirs: current,
                    as: changes.isCounted(slot, column) ? .count : .value)
                {
                case .edit, .agreement: break
                case .merged: merged.counted.append((key, column, current))
                case .discard: merged.discarded[key, default: ColumnMask()].insert(column)
                case .conflict: merged.conflicts.append(conflict(key, column, changes, table))
                }
            }
        }
        merged.conflicts.sort { $0.objectID.key < $1.objectID.key }
        return merged
    }

    private func conflict(
        _ key: Int64, _ column: Int, _ changes: TableChanges, _ table: TableLayout
    ) -> SaveConflict {
        let entity = changes.slot(of: key).map { changes.entities[$0] } ?? table.entities[0]
        return SaveConflict(
            objectID: ManagedObjectID(
                key: key, layout: model.layouts[entity], store: database.identity),
            property: table.columns[column].propertyName)
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

// SPDX-License-Identifier: Apache-2.0

/// The merge of the saved changes of a child into the unsaved changes of its parent.
struct ChildMerge {
    /// The parent.
    let context: ManagedObjectContext
    /// The merge policy of the child.
    let policy: MergePolicy
    /// The keys of rows that the child knows to be deleted.
    let missing: Set<Int64>
    /// A Boolean value that indicates whether the parent gets other changes than those of the child.
    var isAltered = false

    init(into context: ManagedObjectContext, _ policy: MergePolicy, missing: Set<Int64>) {
        self.context = context
        self.policy = policy
        self.missing = missing
    }

    /// Returns the saved changes of a child without those that lose against changes of this context.
    ///
    /// - Throws: ``PersistenceError`` with code `saveConflict` or `objectNotFound`.
    mutating func resolved(_ changes: ChangeSet) throws(PersistenceError) -> ChangeSet {
        var resolved = ChangeSet(model: context.model)
        var conflicts: [SaveConflict] = []
        for table in context.model.tables where changes.tables[table.index].count > 0 {
            let merged = merged(changes.tables[table.index], table)
            conflicts += merged.conflicts
            if policy != .storeWins, let key = merged.deleted.min() {
                let entity = changes.tables[table.index].slot(of: key).map {
                    changes.tables[table.index].entities[$0]
                }
                let name = context.model.layouts[entity ?? table.entities[0]].name
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
            where context.layered.layers.top.tables[table.index].changedValue(key, column) == nil {
                resolved.update(table.index) { $0.rebase(key, column, on: value) }
            }
        }
        conflicts += try resolveOneToOne(&resolved)
        if !conflicts.isEmpty { throw PersistenceError(conflicts: conflicts) }
        for link in context.model.links.indices where !changes.links[link].isEmpty {
            resolved.updateLink(link) { $0.absorb(changes.links[link]) }
        }
        resolved.pending = changes.pending
        resolved.imported = changes.imported
        resolved.collections = changes.collections
        resolved.writes = changes.writes
        resolved.unchangedCount = changes.unchangedCount
        return resolved
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
    private func merged(_ changes: TableChanges, _ table: TableLayout) -> MergedRows {
        var merged = MergedRows()
        for slot in 0..<changes.count where changes.states[slot] == .updated {
            let key = changes.keys[slot]
            if context.layered.layers.isDeleted(key, table.index)
                || context.identityMap[key]?.isDeleted == true
                || missing.contains(key)
            {
                merged.deleted.insert(key)
                continue
            }
            for column in changes.masks[slot].columns {
                guard let base = changes.base(slot, column),
                    let current = context.layered.layers.changedValue(key, column, table.index)
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
                key: key, layout: context.model.layouts[entity], store: context.database.identity),
            property: table.columns[column].propertyName)
    }
}

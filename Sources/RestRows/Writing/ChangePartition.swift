// SPDX-License-Identifier: Apache-2.0

/// The parts of unsaved changes that a request saves, and that it leaves unsaved.
///
/// A request saves new objects, what imports have set, and what it has sent. Edits and deletions of
/// other objects stay unsaved: a later request would not send what the store has already. Of an edit of
/// an imported value, the import is saved and the edit stays.
package struct ChangePartition: Sendable {
    package var saved: ChangeSet
    package var kept: ChangeSet
    /// The keys of the new rows that the request has sent.
    package private(set) var sentInsertions: Set<Int64> = []

    package init(_ changes: ChangeSet, sent: SentValues?, in model: ManagedObjectModel) {
        saved = ChangeSet(model: model)
        kept = ChangeSet(model: model)
        let sentTables = sent?.changes.tables
        for table in model.tables
        where changes.tables[table.index].count > 0 || sentTables?[table.index].count ?? 0 > 0 {
            divide(table, changes, sent: sent?.changes, in: model)
        }
        for (link, layout) in model.links.enumerated() {
            let sources = changes.tables[model.layouts[layout.source].table.index]
            let targets = changes.tables[model.layouts[layout.target].table.index]
            for (pair, change) in changes.links[link].pairs {
                if sent?.changes.links[link].pairs[pair] == change { continue }
                let areNew =
                    sources.state(of: pair.source) == .inserted
                    && targets.state(of: pair.target) == .inserted
                if change.isEdit, !areNew {
                    kept.updateLink(link) { $0.set(pair, change) }
                } else {
                    saved.updateLink(link) { $0.set(pair, change) }
                }
            }
            for (pair, change) in sent?.changes.links[link].pairs ?? [:] {
                saved.updateLink(link) { $0.set(pair, change) }
            }
            for pair in sent?.moved[link] ?? [] {
                saved.updateLink(link) { $0.set(pair, LinkChange(isMember: true)) }
            }
        }
        saved.pending = changes.pending
        kept.pending = saved.pending.takeEdits()
        saved.imported = changes.imported
        for table in sentTables ?? [] {
            for slot in 0..<table.count where table.states[slot] == .inserted {
                let (key, layout) = (table.keys[slot], model.layouts[table.entities[slot]])
                sentInsertions.insert(key)
                if layout.identity.isEmpty { continue }
                saved.imported.add(
                    ImportedInsertions.Group(
                        entity: layout.index, identity: layout.identity,
                        assigned: [key: ColumnMask()]))
            }
        }
        // The server has what the request has sent, and not what it had before.
        saved.imported.forgetSentValues(of: sentInsertions)
        saved.collections = changes.collections
        saved.writes = changes.writes
        saved.unchangedCount = changes.unchangedCount
    }

    private mutating func divide(
        _ table: TableLayout, _ changes: ChangeSet, sent: ChangeSet?, in model: ManagedObjectModel
    ) {
        let (rows, sentRows) = (changes.tables[table.index], sent?.tables[table.index])
        // References to deleted rows are cleared when the deletions are saved.
        let cleared = table.references.filter { column in
            guard let destination = table.columns[column].destination else { return false }
            return changes.tables[model.layouts[destination].table.index].hasRemovals
        }
        var (saved, kept) = (TableChanges(width: table.width), TableChanges(width: table.width))
        for slot in 0..<rows.count {
            let (key, entity) = (rows.keys[slot], rows.entities[slot])
            switch rows.states[slot] {
            case .deleted, .dropped: kept.append(rows, slot)
            case .inserted:
                saved.append(rows, slot)
                for column in 0..<table.width {
                    let value = rows.value(slot, column)
                    guard let known = sentRows?.changedValue(key, column), known != value else {
                        continue
                    }
                    saved.set(known, column, of: key, entity: entity, base: nil)
                    kept.set(value, column, of: key, entity: entity, base: known)
                }
            case .updated:
                for column in rows.masks[slot].columns {
                    let (value, base) = (rows.value(slot, column), rows.base(slot, column))
                    let known = sentRows?.changedValue(key, column)
                    if known == value { continue }
                    if let imported = rows.importedBase(slot, column), imported != value,
                        !refersToRemoved(imported, table.columns[column], changes, model)
                    {
                        saved.set(imported, column, of: key, entity: entity, base: nil)
                        kept.set(
                            value, column, of: key, entity: entity, base: known ?? imported,
                            isCounting: rows.isCounted(slot, column))
                    } else if base != nil || value.isNull && cleared.contains(column) {
                        kept.set(
                            value, column, of: key, entity: entity, base: known ?? base,
                            isClearing: rows.isCleared(slot, column),
                            isCounting: rows.isCounted(slot, column))
                    } else {
                        saved.set(value, column, of: key, entity: entity, base: nil)
                    }
                }
            }
        }
        // Also what was changed again since it was sent.
        if let sentRows { saved.absorb(sentRows.updates) }
        self.saved.update(table.index) { $0 = saved }
        self.kept.update(table.index) { $0 = kept }
    }

    /// Returns a Boolean value that indicates whether a value is a reference to a row that the changes
    /// delete, which may never have been saved.
    private func refersToRemoved(
        _ value: StoredValue, _ column: ColumnLayout, _ changes: ChangeSet,
        _ model: ManagedObjectModel
    ) -> Bool {
        guard let destination = column.destination, case .integer(let key) = value else {
            return false
        }
        return changes.tables[model.layouts[destination].table.index].isDeleted(key)
    }

    /// Removes the edits of rows that a response has deleted, and those to the values that it has.
    ///
    /// The edit of a counter stays if the response has an equal value, which others have counted.
    package mutating func removeEdits(resolvedBy response: ChangeSet, in model: ManagedObjectModel)
    {
        for table in model.tables.indices {
            let changes = response.tables[table]
            if changes.count == 0 || kept.tables[table].count == 0 { continue }
            var deleted: Set<Int64> = []
            var confirmed: [Int64: ColumnMask] = [:]
            for slot in 0..<changes.count {
                let key = changes.keys[slot]
                if changes.states[slot].isDeletion {
                    deleted.insert(key)
                    continue
                }
                for column in changes.masks[slot].columns
                where kept.tables[table].changedValue(key, column) == changes.value(slot, column) {
                    if let own = kept.tables[table].slot(of: key),
                        kept.tables[table].isCounted(own, column)
                    {
                        continue
                    }
                    confirmed[key, default: ColumnMask()].insert(column)
                }
            }
            if deleted.isEmpty, confirmed.isEmpty { continue }
            kept.update(table) { kept in
                var rest = TableChanges(width: kept.width)
                rest.absorb(kept, except: deleted, columns: confirmed)
                kept = rest
            }
        }
        _ = kept.pending.take(ownersOf: response.pending)
        for link in model.links.indices where !kept.links[link].isEmpty {
            for (pair, change) in response.links[link].pairs
            where kept.links[link].pairs[pair]?.isMember == change.isMember {
                kept.updateLink(link) { $0.remove(pair) }
            }
        }
    }
}

extension ChangeSet {
    /// Returns the part of these changes that is in kept ones, and removes it from them.
    ///
    /// A context whose parents have changed the same values keeps those that win.
    package func taking(from kept: inout ChangeSet, in model: ManagedObjectModel) -> ChangeSet {
        var taken = ChangeSet(model: model)
        for table in model.tables.indices where kept.tables[table].count > 0 {
            kept.update(table) { kept in
                taken.update(table) { $0 = tables[table].taking(from: &kept) }
            }
        }
        taken.pending = kept.pending.take(ownersOf: pending)
        for link in model.links.indices where !kept.links[link].isEmpty {
            for pair in links[link].pairs.keys {
                guard let change = kept.links[link].pairs[pair] else { continue }
                taken.updateLink(link) { $0.set(pair, change) }
                kept.updateLink(link) { $0.remove(pair) }
            }
        }
        for (owner, change) in pending.changes where kept.pending.changes[owner] != nil {
            taken.pending.set(change, of: owner)
        }
        taken.imported = imported.taking(from: kept.imported)
        return taken
    }
}

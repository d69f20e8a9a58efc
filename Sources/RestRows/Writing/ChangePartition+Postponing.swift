// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import GRDB

/// New objects that a request cannot save, and that therefore stay unsaved with what refers to them.
///
/// The objects of a context are independent of each other: one that is invalid, or whose identity another
/// object has, must not prevent the requests of others.
extension ChangePartition {
    /// Leaves new rows unsaved, and what refers to them.
    ///
    /// - Returns: `false` if the row of the request is one of them or refers to one, so that the request
    ///   cannot be saved.
    package mutating func postpone(_ keys: Set<Int64>, in model: ManagedObjectModel) -> Bool {
        let new = keys.filter { key in saved.tables.contains { $0.state(of: key) == .inserted } }
        if new.isEmpty { return true }
        let postponed = referrers(to: new, in: model)
        if !sentInsertions.isDisjoint(with: postponed) { return false }
        for table in model.tables where saved.tables[table.index].count > 0 {
            let rows = saved.tables[table.index]
            var (saved, rest) = (TableChanges(width: table.width), kept.tables[table.index])
            for slot in 0..<rows.count {
                let key = rows.keys[slot]
                if postponed.contains(key) {
                    rest.append(rows, slot)
                } else if rows.states[slot] == .updated {
                    for column in rows.masks[slot].columns {
                        if refers(rows.value(slot, column), postponed, table.columns[column]) {
                            if rest.changedValue(key, column) == nil {
                                rest.set(column, of: rows, slot)
                            }
                        } else {
                            saved.set(column, of: rows, slot)
                        }
                    }
                } else {
                    saved.append(rows, slot)
                }
            }
            self.saved.update(table.index) { $0 = saved }
            kept.update(table.index) { $0 = rest }
        }
        for link in model.links.indices {
            for (pair, change) in saved.links[link].pairs
            where postponed.contains(pair.source) || postponed.contains(pair.target) {
                saved.updateLink(link) { $0.remove(pair) }
                kept.updateLink(link) { $0.set(pair, change) }
            }
        }
        let (pending, imported) = (
            saved.pending.divided { postponed.contains($0.key) },
            saved.imported.divided(postponed)
        )
        (saved.pending, saved.imported) = (pending.0, imported.0)
        kept.pending.absorb(pending.1)
        kept.imported.absorb(imported.1)
        return true
    }

    /// Leaves the new rows unsaved whose identity another row has.
    ///
    /// - Throws: ``PersistenceError`` with code `identityConflict` if the request depends on one of them.
    package mutating func postponeConflicts(
        in connection: Database, of model: ManagedObjectModel, store: UUID
    ) throws(PersistenceError) {
        let rows = try insertionsInConflict(in: connection, of: model)
        if postpone(Set(rows.map(\.key)), in: model) { return }
        throw PersistenceError(
            identityConflicts: rows.flatMap { row in
                let id = ManagedObjectID(
                    key: row.key, layout: row.layout, store: store)
                return row.layout.identity.map {
                    SaveConflict(objectID: id, property: row.layout.columns[$0].name)
                }
            })
    }

    /// Leaves the new objects unsaved that are invalid.
    ///
    /// - Returns: The errors that the request cannot leave unsaved.
    package mutating func postponeInvalid(
        _ errors: [ValidationError], in model: ManagedObjectModel
    ) -> [ValidationError] {
        func isNew(_ error: ValidationError) -> Bool {
            saved.state(of: error.objectID) == .inserted
                && !sentInsertions.contains(error.objectID.key)
        }
        let others = errors.filter { !isNew($0) }
        guard others.isEmpty else { return others }
        let isPossible = postpone(Set(errors.map(\.objectID.key)), in: model)
        return isPossible ? [] : errors
    }

    /// Returns keys of new rows with those of all new rows that refer to them.
    private func referrers(to keys: Set<Int64>, in model: ManagedObjectModel) -> Set<Int64> {
        var all = keys
        var hasChanged = true
        while hasChanged {
            hasChanged = false
            for table in model.tables {
                let rows = saved.tables[table.index]
                for slot in 0..<rows.count
                where rows.states[slot] == .inserted && !all.contains(rows.keys[slot]) {
                    let refers = table.references.contains {
                        self.refers(rows.value(slot, $0), all, table.columns[$0])
                    }
                    if refers {
                        all.insert(rows.keys[slot])
                        hasChanged = true
                    }
                }
            }
        }
        return all
    }

    private func refers(
        _ value: StoredValue, _ keys: Set<Int64>, _ column: ColumnLayout
    ) -> Bool {
        guard column.destination != nil, case .integer(let key) = value else { return false }
        return keys.contains(key)
    }

    /// Returns the new rows whose identity a stored row has, or an earlier new one, without those that take
    /// over the stored row.
    ///
    /// - Complexity: One query for each entity with new rows, and 256 of them.
    func insertionsInConflict(
        in connection: Database, of model: ManagedObjectModel
    ) throws(PersistenceError) -> [(key: Int64, layout: EntityLayout)] {
        var found: [(key: Int64, layout: EntityLayout)] = []
        for layout in model.layouts where !layout.identity.isEmpty {
            let rows = saved.tables[layout.table.index]
            if rows.count == 0 { continue }
            let merged = saved.imported.keys(of: layout.index, by: layout.identity)
            var new: [IdentityKey: Int64] = [:]
            for slot in 0..<rows.count
            where rows.states[slot] == .inserted && rows.entities[slot] == layout.index {
                let (key, values) = (rows.keys[slot], layout.identity.map { rows.value(slot, $0) })
                if values.contains(.null) || merged.contains(key) { continue }
                let identity = IdentityKey(values)
                if let other = new[identity] {
                    let isSent = sentInsertions.contains(key)
                    found.append((isSent ? other : key, layout))
                    if isSent { new[identity] = key }
                } else {
                    new[identity] = key
                }
            }
            let lookup = IdentityLookup(layout: layout, columns: layout.identity, entities: [])
            try lookup.find(Array(new.keys), in: connection) { identity, key in
                if let slot = rows.slot(of: key) {
                    // These changes give the stored row another identity.
                    if layout.identity.contains(where: { rows.masks[slot].contains($0) }) { return }
                }
                if let own = new[identity] { found.append((own, layout)) }
            }
        }
        return found
    }
}

extension ReferenceChanges {
    /// Returns the references of owners that do not meet a condition, and those of the others.
    package func divided(
        _ condition: (Owner) -> Bool
    ) -> (ReferenceChanges, ReferenceChanges) {
        var (others, matches) = (ReferenceChanges(), ReferenceChanges())
        for (owner, change) in ordered {
            if condition(owner) {
                matches.set(change, of: owner)
            } else {
                others.set(change, of: owner)
            }
        }
        for (owner, destinations) in decided {
            if condition(owner) {
                matches.decide(destinations, of: owner)
            } else {
                others.decide(destinations, of: owner)
            }
        }
        return (others, matches)
    }
}

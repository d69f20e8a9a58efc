// SPDX-License-Identifier: Apache-2.0

extension ChangeWriter {
    /// Returns changes in which new rows of imports whose objects exist by now are updates of these.
    ///
    /// - Complexity: One query for each 256 new rows of imports.
    mutating func mergingImported(
        _ changes: ChangeSet
    ) throws(PersistenceError) -> ChangeSet {
        var changes = changes
        var united: [UnitedRow] = []
        for group in changes.imported.groups {
            try findStored(group, changes)
            united += try unite(group, &changes)
        }
        if replacements.isEmpty { return changes }
        var replaced = changes.replacing(replacements, in: model)
        try resetPlaces(&replaced)
        for row in united {
            replaced.update(row.layout.table.index) {
                $0.delete(row.key, entity: row.layout.index)
            }
        }
        return replaced
    }

    /// Removes the positions of stored rows that get another owner from the new rows in their place.
    ///
    /// A new row has no position to write, but the stored one has that in the list of its former owner.
    private func resetPlaces(_ changes: inout ChangeSet) throws(PersistenceError) {
        for table in model.tables where !table.places.isEmpty {
            let rows = changes.tables[table.index]
            var slots: [Int64: Int] = [:]
            for key in Set(replacements.keys.values) {
                guard let slot = rows.slot(of: key), rows.states[slot] == .updated else { continue }
                let isMoved = table.places.contains {
                    rows.hasValue(slot, $0.owner) && !rows.hasValue(slot, $0.position)
                }
                if isMoved { slots[key] = slot }
            }
            if slots.isEmpty { continue }
            for (key, stored) in try storedRows(slots.keys.sorted(), table) {
                guard let slot = slots[key] else { continue }
                for place in table.places
                where rows.hasValue(slot, place.owner) && !rows.hasValue(slot, place.position)
                    && stored[place.owner] != rows.value(slot, place.owner)
                {
                    changes.update(table.index) {
                        $0.set(
                            .null, place.position, of: key, entity: rows.entities[slot], base: nil)
                    }
                }
            }
        }
    }

    /// Finds the stored rows with the identities of new ones.
    private mutating func findStored(
        _ group: ImportedInsertions.Group, _ changes: ChangeSet
    ) throws(PersistenceError) {
        let layout = model.layouts[group.entity]
        let table = changes.tables[layout.table.index]
        var keys: [IdentityKey: Int64] = [:]
        for key in group.assigned.keys.sorted() {
            guard let slot = table.slot(of: key), table.states[slot] == .inserted else { continue }
            let identity = group.identity.map { table.value(slot, $0) }
            if identity.contains(.null) { continue }
            let known = IdentityKey(identity)
            if keys[known] == nil { keys[known] = key }
        }
        let isUnique = group.identity == layout.identity
        let entities = isUnique ? [] : layout.subentities.map { model.layouts[$0].name }
        let lookup = IdentityLookup(layout: layout, columns: group.identity, entities: entities)
        var found: [(new: Int64, stored: Int64)] = []
        try lookup.find(Array(keys.keys), in: database) { identity, key in
            guard let new = keys[identity] else { return }
            if let slot = table.slot(of: key) {
                // These changes delete the stored row, or give it another identity.
                let hasOtherIdentity = group.identity.contains { table.masks[slot].contains($0) }
                if table.states[slot].isDeletion || hasOtherIdentity { return }
            }
            found.append((new, key))
        }
        for (new, key) in try group.meetingConditions(found, in: database) {
            replacements.add(key, for: new, of: group)
        }
    }
}

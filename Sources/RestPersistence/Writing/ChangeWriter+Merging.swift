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
        for row in united {
            replaced.update(row.layout.table.index) {
                $0.delete(row.key, entity: row.layout.index)
            }
        }
        return replaced
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
        var found = replacements
        try lookup.find(Array(keys.keys), in: database) { identity, key in
            guard let new = keys[identity] else { return }
            if let slot = table.slot(of: key) {
                // These changes delete the stored row, or give it another identity.
                let hasOtherIdentity = group.identity.contains { table.masks[slot].contains($0) }
                if table.states[slot].isDeletion || hasOtherIdentity { return }
            }
            found.add(key, for: new, of: group)
        }
        replacements = found
    }
}

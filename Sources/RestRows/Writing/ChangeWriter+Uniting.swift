// SPDX-License-Identifier: Apache-2.0

import GRDB

/// The union of two stored rows of one object: that of the object of a request, and one that a list has
/// brought with the identity that the response names.
///
/// The object was saved while its request was in progress, so that the list could not find it.
extension ChangeWriter {
    /// A stored row that another one replaces.
    struct UnitedRow {
        let key: Int64
        let layout: EntityLayout
    }

    /// Finds the stored rows with the identities that the objects of requests get, and prepares the changes for
    /// replacing the keys of these objects.
    ///
    /// - Returns: The rows to delete.
    mutating func unite(
        _ group: ImportedInsertions.Group, _ changes: inout ChangeSet
    ) throws(PersistenceError) -> [UnitedRow] {
        let layout = model.layouts[group.entity]
        var united: [UnitedRow] = []
        for (key, isNew) in group.stored.sorted(by: { $0.key < $1.key }) {
            let table = changes.tables[layout.table.index]
            guard let slot = table.slot(of: key), table.states[slot] == .updated,
                replacements.keys[key] == nil,
                let former = try storedRows([key], layout.table)[key]
            else { continue }
            var row = former
            table.overlay(key, on: &row)
            let identity = group.identity.map { row[$0] }
            if identity.contains(.null) { continue }
            if !isNew, !group.identity.contains(where: { former[$0].isNull }) { continue }
            guard let other = try otherRow(IdentityKey(identity), key, group, table) else {
                continue
            }
            replacements.add(other, for: key, of: group)
            // All values that the object has, as if it were inserted now.
            var mask = table.masks[slot]
            for column in row.indices
            where column != layout.table.entityColumn && row[column] != layout.defaults[column] {
                mask.insert(column)
            }
            var rows = TableChanges(width: table.width)
            for index in 0..<table.count {
                if index == slot {
                    rows.insert(key, row, changed: mask, entity: table.entities[index])
                } else {
                    rows.append(table, index)
                }
            }
            changes.update(layout.table.index) { $0 = rows }
            try moveReferences(to: key, layout, &changes)
            try moveLinks(to: key, layout, &changes)
            united.append(UnitedRow(key: key, layout: layout))
        }
        return united
    }

    /// Returns the oldest other row with an identity.
    private func otherRow(
        _ identity: IdentityKey, _ key: Int64, _ group: ImportedInsertions.Group,
        _ changes: TableChanges
    ) throws(PersistenceError) -> Int64? {
        let layout = model.layouts[group.entity]
        let lookup = IdentityLookup(
            layout: layout, columns: group.identity,
            entities: layout.subentities.map { model.layouts[$0].name })
        var found: [(new: Int64, stored: Int64)] = []
        try lookup.find([identity], in: database) { _, other in
            if other == key { return }
            if let slot = changes.slot(of: other) {
                let hasOtherIdentity = group.identity.contains { changes.masks[slot].contains($0) }
                if changes.states[slot].isDeletion || hasOtherIdentity { return }
            }
            found.append((key, other))
        }
        return try group.meetingConditions(found, in: database).map(\.stored).min()
    }

    /// Adds the stored references to a row to the changes, which are then those to the other row.
    private mutating func moveReferences(
        to key: Int64, _ layout: EntityLayout, _ changes: inout ChangeSet
    ) throws(PersistenceError) {
        for other in model.tables {
            for column in other.references {
                guard let destination = other.columns[column].destination,
                    layout.table.entities.contains(destination)
                else { continue }
                let statement = try PreparedStatement(
                    "SELECT \(Self.columns(other)) FROM \(other.quoted) "
                        + "WHERE \(other.columns[column].quoted) = ?", in: database)
                try statement.bind(.integer(key), at: 1)
                while try statement.step() {
                    let source = statement.integer(0)
                    let known = changes.tables[other.index]
                    if source == key || known.isDeleted(source)
                        || known.changedValue(source, column) != nil
                    {
                        continue
                    }
                    let entity = entity(statement, other)
                    changes.update(other.index) {
                        $0.set(.integer(key), column, of: source, entity: entity, base: nil)
                    }
                    staleKeys.append(source)
                }
            }
        }
    }

    /// Adds the rows of join tables with a row to the changes, which are then those with the other row.
    private func moveLinks(
        to key: Int64, _ layout: EntityLayout, _ changes: inout ChangeSet
    ) throws(PersistenceError) {
        for (index, link) in model.links.enumerated() {
            let ends = [("source", link.source), ("target", link.target)]
            let columns = ends.filter { layout.table.entities.contains($0.1) }.map {
                "\($0.0) = ?1"
            }
            if columns.isEmpty { continue }
            let positions = [
                link.isTargetOrdered ? LinkLayout.targetPosition : "NULL",
                link.isSourceOrdered ? LinkLayout.sourcePosition : "NULL",
            ].joined(separator: ", ")
            let statement = try PreparedStatement(
                "SELECT source, target, \(positions) FROM \(link.quoted) "
                    + "WHERE \(columns.joined(separator: " OR "))", in: database)
            try statement.bind(.integer(key), at: 1)
            while try statement.step() {
                let pair = LinkPair(statement.integer(0), statement.integer(1), isForward: true)
                if changes.links[index].pairs[pair] != nil { continue }
                var change = LinkChange(isMember: true)
                if case .integer(let position) = statement.value(2) {
                    change.targetPosition = position
                }
                if case .integer(let position) = statement.value(3) {
                    change.sourcePosition = position
                }
                changes.updateLink(index) { $0.set(pair, change) }
            }
        }
    }
}

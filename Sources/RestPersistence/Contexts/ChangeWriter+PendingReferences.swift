// SPDX-License-Identifier: Apache-2.0

import GRDB

extension ChangeWriter {
    /// Writes the changes of pending references, and connects those whose destinations exist now.
    ///
    /// It runs after all rows have been written, so that it includes destinations of the same
    /// transaction.
    mutating func writePendingReferences(_ changes: ChangeSet) throws {
        let table = PendingReferenceTable(database: database)
        let isPresent = try table.isPresent
        let hasReferences = changes.pending.changes.values.contains { !$0.references.isEmpty }
        guard isPresent || hasReferences else { return }
        if !isPresent { try table.create() }
        try table.delete(ofOwners: Array(deletedKeys))
        try deleteAssigned(changes, table)
        let owners = try writeChanges(changes, table)
        // Other connections may have inserted destinations without connecting them.
        try connect(hasForeignCommits ? try table.owners() : owners, table)
    }

    /// Deletes the references of to-one relationships that have been set to another object or to
    /// none.
    private func deleteAssigned(
        _ changes: ChangeSet, _ table: PendingReferenceTable
    ) throws(PersistenceError) {
        for layout in model.layouts {
            let updated = tables[layout.table.index].updated.filter {
                $0.value.entity == layout.index
            }
            if updated.isEmpty { continue }
            for relationship in layout.relationships {
                guard case .column(let column) = relationship.storage else { continue }
                let owners = updated.filter { key, update in
                    update.mask.contains(column)
                        && changes.pending.changes[
                            ReferenceChanges.Owner(key: key, relationship: relationship.index)]
                            == nil
                }
                try table.delete(ofOwners: Array(owners.keys), relationship: relationship.name)
            }
        }
    }

    /// Writes the difference between the changes and the stored references.
    ///
    /// - Returns: The owners of new references.
    private func writeChanges(
        _ changes: ChangeSet, _ table: PendingReferenceTable
    ) throws(PersistenceError) -> [Int64] {
        if changes.pending.isEmpty { return [] }
        let owners = Set(changes.pending.changes.keys.map(\.key))
        var stored: [Int64: Set<PendingReferenceTable.Row>] = [:]
        for row in try table.rows(ofOwners: Array(owners)) {
            stored[row.owner, default: []].insert(row)
        }
        var inserted: Set<Int64> = []
        for (owner, change) in changes.pending.changes {
            let layout = model.layouts[change.entity]
            if changes.tables[layout.table.index].isDeleted(owner.key) { continue }
            let relationship = layout.relationships[owner.relationship]
            let current = (stored[owner.key] ?? []).filter {
                $0.relationship == relationship.name
            }
            let wanted = Set(change.references.map { row($0, owner, layout, relationship) })
            if change.isReplacing { try table.delete(current.subtracting(wanted)) }
            let new = wanted.subtracting(current)
            if new.isEmpty { continue }
            try table.insert(new)
            inserted.insert(owner.key)
        }
        return Array(inserted)
    }

    private func row(
        _ reference: ReferenceChanges.Reference, _ owner: ReferenceChanges.Owner,
        _ layout: EntityLayout, _ relationship: RelationshipLayout
    ) -> PendingReferenceTable.Row {
        let destination = model.layouts[relationship.destination]
        return PendingReferenceTable.Row(
            owner: owner.key, entity: layout.name, relationship: relationship.name,
            destination: destination.name, attribute: destination.columns[reference.column].name,
            identity: reference.identity, position: reference.position)
    }

    // MARK: Connecting

    /// Connects the references to objects that this transaction has inserted, or whose identity it
    /// has changed, and those of some owners.
    private mutating func connect(
        _ owners: [Int64], _ table: PendingReferenceTable
    ) throws(PersistenceError) {
        insertedKeys = Set(tables.flatMap { $0.inserted.map(\.key) })
        for group in try table.groups() {
            guard let index = model.index(of: group.destination),
                case let destination = model.layouts[index],
                case .attribute(let column) = destination.propertyIndices[group.attribute]
            else { continue }
            let written = tables[destination.table.index]
            let changed = written.updated.filter { $0.value.mask.contains(column) }.keys
            let arrived = written.inserted.map(\.key) + changed
            if arrived.isEmpty, owners.isEmpty { continue }
            let matches = try table.matches(
                destination: destination, column: column,
                entities: destination.subentities.map { model.layouts[$0].name },
                arrived: arrived, owners: owners)
            try connect(matches)
            try table.delete(matches.map(\.row))
        }
    }

    private typealias Match = (row: PendingReferenceTable.Row, key: Int64)

    /// Connects references, with one statement for all of a relationship.
    private mutating func connect(_ matches: [Match]) throws(PersistenceError) {
        for (entity, matches) in Dictionary(grouping: matches, by: \.row.entity) {
            guard let index = model.index(of: entity) else { continue }
            let owner = model.layouts[index]
            for (name, matches) in Dictionary(grouping: matches, by: \.row.relationship) {
                guard case .relationship(let position) = owner.propertyIndices[name] else {
                    continue
                }
                try connect(matches, owner.relationships[position], of: owner)
            }
        }
    }

    private mutating func connect(
        _ matches: [Match], _ relationship: RelationshipLayout, of owner: EntityLayout
    ) throws(PersistenceError) {
        let destination = model.layouts[relationship.destination]
        switch relationship.storage {
        case .column(let column):
            let isExclusive = relationship.inverse.map { !destination.relationships[$0].isToMany }
            let setting = try setting(column, in: owner)
            for match in matches {
                if isExclusive == true {
                    try release(match.key, owner, column, except: match.row.owner)
                }
                try set(.integer(match.key), column, of: match.row.owner, in: owner, setting)
            }
        case .inverseColumn(let column, let position):
            let presence = try presence(in: owner.table)
            let setting = try setting(column, in: destination)
            for match in matches {
                guard try contains(match.row.owner, presence),
                    try set(
                        .integer(match.row.owner), column, of: match.key, in: destination, setting),
                    let position, let value = match.row.position
                else { continue }
                try set(
                    .integer(value), position, of: match.key, in: destination,
                    self.setting(position, in: destination))
            }
        case .link(let link, let isForward):
            let presence = try presence(in: owner.table)
            for match in matches {
                guard try contains(match.row.owner, presence) else { continue }
                let pair = LinkPair(match.row.owner, match.key, isForward: isForward)
                let position = relationship.isOrdered ? match.row.position : nil
                try insert(pair, link, LinkChange(position: position, isForward: isForward))
                if relationship.isSymmetric, pair.source != pair.target {
                    try insert(pair.reversed, link, LinkChange(isMember: true))
                }
            }
        }
    }

    private func presence(in table: TableLayout) throws(PersistenceError) -> PreparedStatement {
        try PreparedStatement(
            "SELECT 1 FROM \(table.quoted) WHERE \(EntityLayout.keyColumn) = ?", in: database)
    }

    private func contains(
        _ key: Int64, _ presence: borrowing PreparedStatement
    ) throws(PersistenceError) -> Bool {
        presence.reset()
        try presence.bind(.integer(key), at: 1)
        return try presence.step()
    }

    /// Returns the statement that sets a column that is null.
    private func setting(
        _ column: Int, in layout: EntityLayout
    ) throws(PersistenceError) -> PreparedStatement {
        let name = layout.columns[column].quoted
        return try PreparedStatement(
            "UPDATE \(layout.table.quoted) SET \(name) = ?1 "
                + "WHERE \(EntityLayout.keyColumn) = ?2 AND \(name) IS NULL", in: database)
    }

    /// Sets a column that is null.
    @discardableResult
    private mutating func set(
        _ value: StoredValue, _ column: Int, of key: Int64, in layout: EntityLayout,
        _ statement: borrowing PreparedStatement
    ) throws(PersistenceError) -> Bool {
        try statement.bind(value, at: 1)
        try statement.bind(.integer(key), at: 2)
        guard try statement.run() > 0 else { return false }
        note(column, of: key, in: layout)
        return true
    }

    /// Clears the references of other objects to the destination of a one-to-one relationship.
    private mutating func release(
        _ key: Int64, _ layout: EntityLayout, _ column: Int, except owner: Int64
    ) throws(PersistenceError) {
        let name = layout.columns[column].quoted
        let statement = try PreparedStatement(
            "UPDATE \(layout.table.quoted) SET \(name) = NULL "
                + "WHERE \(name) = ?1 AND \(EntityLayout.keyColumn) <> ?2 "
                + "RETURNING \(EntityLayout.keyColumn)", in: database)
        try statement.bind(.integer(key), at: 1)
        try statement.bind(.integer(owner), at: 2)
        var released: [Int64] = []
        while try statement.step() { released.append(statement.integer(0)) }
        for key in released { note(column, of: key, in: layout) }
    }

    /// Records a column that the context does not have.
    private mutating func note(_ column: Int, of key: Int64, in layout: EntityLayout) {
        staleKeys.append(key)
        let table = layout.table.index
        if insertedKeys.contains(key) { return }
        var mask = ColumnMask()
        mask.insert(column)
        tables[table].update(key, layout.index, mask)
    }
}

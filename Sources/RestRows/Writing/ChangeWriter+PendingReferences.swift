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
        try connect(hasForeignCommits ? try table.owners() : owners, table, changes.pending)
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
                            ReferenceChanges.Owner(key: key, relationship: relationship.index)]?
                            .isReplacing != true
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
        let claims = newestClaims(changes)
        for (owner, change) in changes.pending.changes {
            let layout = model.layouts[change.entity]
            if changes.tables[layout.table.index].isDeleted(owner.key) { continue }
            let relationship = layout.relationships[owner.relationship]
            let current = (stored[owner.key] ?? []).filter {
                $0.relationship == relationship.name
            }
            var wanted = Set(change.references.map { row($0, owner, layout, relationship) })
            if relationship.isExclusive {
                wanted = wanted.filter { claims[Claim(relationship, layout, $0)] == owner.key }
            }
            if change.isReplacing {
                try table.delete(current.subtracting(wanted))
            } else {
                let removed = Set(
                    change.removed.map {
                        Claim(relationship, layout, row($0, owner, layout, relationship))
                    })
                let rest = current.filter { !removed.contains(Claim(relationship, layout, $0)) }
                try table.delete(current.subtracting(rest))
                // A reference that waits already keeps its position.
                let waiting = Set(rest.map { Claim(relationship, layout, $0) })
                wanted = wanted.filter { !waiting.contains(Claim(relationship, layout, $0)) }
            }
            let new = change.isReplacing ? wanted.subtracting(current) : wanted
            if new.isEmpty { continue }
            try table.insert(new)
            inserted.insert(owner.key)
            if relationship.isExclusive {
                let entities = layout.table.entities.map { model.layouts[$0].name }
                try table.deleteOthers(new, entities: entities)
            }
        }
        return Array(inserted)
    }

    /// A reference to an object that can have one owner only.
    private struct Claim: Hashable {
        let table: Int
        let relationship: String
        let destination: String
        let attribute: String
        let identity: StoredValue

        package init(
            _ relationship: RelationshipLayout, _ layout: EntityLayout,
            _ row: PendingReferenceTable.Row
        ) {
            table = layout.table.index
            self.relationship = relationship.name
            destination = row.destination
            attribute = row.attribute
            identity = row.identity
        }
    }

    /// Returns the owner of the newest of the references to each object that can have one owner only.
    private func newestClaims(_ changes: ChangeSet) -> [Claim: Int64] {
        var claims: [Claim: Int64] = [:]
        for (owner, change) in changes.pending.ordered {
            let layout = model.layouts[change.entity]
            let relationship = layout.relationships[owner.relationship]
            guard relationship.isExclusive,
                !changes.tables[layout.table.index].isDeleted(owner.key)
            else { continue }
            for reference in change.references {
                claims[Claim(relationship, layout, row(reference, owner, layout, relationship))] =
                    owner.key
            }
        }
        return claims
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
    ///
    /// A reference to an object whose own document says otherwise is removed.
    private mutating func connect(
        _ owners: [Int64], _ table: PendingReferenceTable, _ pending: ReferenceChanges
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
            var included: [ReferenceMatch] = []
            for match in matches where !isExcluded(match, pending) { included.append(match) }
            try connect(included)
            try table.delete(matches, destination: destination, column: column)
        }
    }

    /// Returns a Boolean value that indicates whether the document of the destination has the relationship
    /// without the owner.
    private func isExcluded(_ match: ReferenceMatch, _ pending: ReferenceChanges) -> Bool {
        if pending.decided.isEmpty { return false }
        guard let waiting = WaitingReference(match.row, in: model) else { return false }
        let relationship = model.layouts[waiting.entity].relationships[waiting.owner.relationship]
        return pending.excludes(match.row.owner, from: match.key, relationship)
    }
}

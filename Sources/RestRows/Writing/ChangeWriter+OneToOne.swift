// SPDX-License-Identifier: Apache-2.0

import GRDB

/// The merge of one-to-one relationships that several contexts have set.
///
/// Two sources that refer to one destination are in different rows, so that the comparison of the
/// stored values with those before the edits does not find them.
extension ChangeWriter {
    /// Returns changes after which each destination of a one-to-one relationship has one source.
    ///
    /// It runs after deletions and before updates, which write what it adds.
    ///
    /// - Throws: ``PersistenceError`` with code `relationshipConflict` if a source would lose the
    ///   destination of a required relationship.
    mutating func resolvingOneToOne(_ changes: ChangeSet) throws(PersistenceError) -> ChangeSet {
        var resolved = changes
        for layout in model.layouts where !changes.tables[layout.table.index].isEmpty {
            for (relationship, column) in layout.oneToOneColumns
            where relationship.index >= layout.inheritedRelationshipCount {
                var sources = OneToOneSources(
                    changes, column, layout, isSymmetric: relationship.isSymmetric)
                if sources.rows.isEmpty { continue }
                try read(&sources, column, layout)
                let found = sources.resolve(policy)
                conflicts += found.compactMap { conflict($0, relationship) }
                try apply(sources, column, layout, to: &resolved)
            }
        }
        return resolved
    }

    /// Reads the stored values of the sources, and the stored sources of the same destinations.
    private func read(
        _ sources: inout OneToOneSources, _ column: Int, _ layout: EntityLayout
    ) throws(PersistenceError) {
        let (table, name) = (layout.table, layout.columns[column].quoted)
        var (keys, destinations) = (Set(sources.rows.keys), sources.destinations)
        // Each is the other's destination as well.
        if sources.isSymmetric { keys.formUnion(destinations) }
        if sources.isSymmetric { destinations = keys }
        for (searched, list) in [(EntityLayout.keyColumn, keys), (name, destinations)] {
            // The entity is the second column, if the table has one.
            let statement = try PreparedStatement(
                "SELECT \(Self.columns(table)), \(name) FROM \(table.quoted) "
                    + "WHERE \(searched) IN (SELECT value FROM json_each(?1))", in: database)
            try statement.bind(RowQuery.list(list.sorted()), at: 1)
            while try statement.step() {
                sources.take(
                    statement.value(table.entityColumn == nil ? 1 : 2),
                    ofRow: statement.integer(0), entity: entity(statement, table))
            }
        }
        for (key, row) in sources.rows {
            guard let base = row.base, let stored = row.stored else { continue }
            if policy == .storeWins, !isUnchanged(stored, since: base, layout.columns[column]) {
                sources.discard(key)
            }
        }
        sources.discardMissing()
    }

    private func conflict(
        _ destination: Int64, _ relationship: RelationshipLayout
    ) -> SaveConflict? {
        let layout = model.layouts[relationship.destination]
        guard let inverse = relationship.inverse else { return nil }
        let id = ManagedObjectID(key: destination, layout: layout, store: store)
        return SaveConflict(objectID: id, property: layout.relationships[inverse].name)
    }

    private mutating func apply(
        _ sources: OneToOneSources, _ column: Int, _ layout: EntityLayout,
        to changes: inout ChangeSet
    ) throws(PersistenceError) {
        for (key, row) in sources.rows.sorted(by: { $0.key < $1.key }) where row.isAltered {
            staleKeys.append(key)
            // A value that equals its base and the stored one is not written.
            let value = row.written ?? row.base ?? .null
            if value.isNull, layout.columns[column].isRequired {
                let (entity, name) = (model.layouts[row.entity].name, layout.columns[column].name)
                throw PersistenceError(
                    .relationshipConflict, entity: entity, property: name,
                    details: ["\(entity)/\(key).\(name) would lose its required destination"])
            }
            changes.update(layout.table.index) {
                $0.set(
                    value, column, of: key, entity: row.entity,
                    base: row.written == nil ? row.base : nil)
                // Else a value that was edited back would not be written.
                if row.written != nil, let stored = row.stored {
                    $0.rebase(key, column, on: stored)
                }
            }
        }
    }
}

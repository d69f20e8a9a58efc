// SPDX-License-Identifier: Apache-2.0

/// The deletion of rows by the delete rules of their relationships, in unsaved changes.
struct RowDeletion {
    /// A row and its entity, which is not a super-entity.
    typealias Row = (key: Int64, layout: EntityLayout)

    private let layered: LayeredRows
    /// Returns whether others have deleted a row; `nil` if it is not known.
    private let isGone: (Int64) -> Bool?
    /// Returns whether the rule ``DeleteRule/cascade`` deletes a destination.
    private let cascades: (Row) -> Bool

    init(
        in layered: LayeredRows, knowing isGone: @escaping (Int64) -> Bool? = { _ in nil },
        cascadingTo cascades: @escaping (Row) -> Bool = { _ in true }
    ) {
        self.layered = layered
        self.isGone = isGone
        self.cascades = cascades
    }

    /// Deletes rows, and what the delete rules delete with them; see ``DeletionWalk``.
    ///
    /// The number of queries depends on the number of levels and entities, not on that of rows. What denies a
    /// deletion is found when the changes are saved.
    ///
    /// - Throws: ``PersistenceError`` of the database, after which the rows are deleted in part.
    func delete(_ rows: [Row]) throws(PersistenceError) {
        let rows = rows.map { TableCommit.Row(key: $0.key, entity: $0.layout.index) }
        _ = try DeletionWalk.delete(rows) { level throws(PersistenceError) in
            try delete(level)
        } followedBy: { destination in
            destination.entity.map { TableCommit.Row(key: destination.key, entity: $0) }
        }
    }

    /// Deletes a level of rows.
    ///
    /// - Returns: The destinations that are deleted with them.
    private func delete(
        _ level: [TableCommit.Row]
    ) throws(PersistenceError) -> [DeletionWalk.Destination] {
        let rows: [Row] = level.map { ($0.key, layered.model.layouts[$0.entity]) }
        let gone = try rowsDeletedElsewhere(among: rows)
        var keys: [Int: [Int64]] = [:]
        // A row of several owners is there more than once.
        var known: Set<Int64> = []
        for (key, layout) in rows {
            if layered.layers.isDeleted(key, layout.table.index) || gone.contains(key) {
                forgetChanges(of: key, layout)
            } else if known.insert(key).inserted {
                keys[layout.index, default: []].append(key)
            }
        }
        var found: [DeletionWalk.Destination] = []
        for (entity, keys) in keys.sorted(by: { $0.key < $1.key }) {
            let layout = layered.model.layouts[entity]
            for relationship in layered.model.deletionRules[entity].cascading {
                for row in try destinations(of: keys, relationship, in: layout)
                where cascades(row) {
                    found.append(
                        DeletionWalk.Destination(
                            key: row.key, entity: row.layout.index,
                            owner: TableCommit.Row(key: keys[0], entity: entity),
                            relationship: relationship))
                }
            }
            try deleteRows(keys, layout)
        }
        return found
    }

    /// Ends the changes of a row that is deleted already, here and in the parents.
    private func forgetChanges(of key: Int64, _ layout: EntityLayout) {
        let table = layout.table.index
        let isUpdatedBelow = layered.layers.lower.contains {
            $0.tables[table].state(of: key) == .updated
        }
        if isUpdatedBelow, !layered.layers.isDeleted(key, table) {
            layered.layers.update(table, key) { $0.delete(key, entity: layout.index) }
        } else if layered.layers.top.tables[table].state(of: key) == .updated {
            layered.layers.update(table, key) { $0.forget(key) }
        }
    }

    /// Returns the rows that others have deleted, although they may have unsaved changes.
    private func rowsDeletedElsewhere(
        among rows: [Row]
    ) throws(PersistenceError) -> Set<Int64> {
        var gone: Set<Int64> = []
        var unknown: [Int: [Int64]] = [:]
        for (key, layout) in rows {
            if let isGone = isGone(key) {
                if isGone { gone.insert(key) }
            } else if layered.layers.state(of: key, layout.table.index) == .updated {
                // An unsaved reference may be all that is left of the row.
                unknown[layout.table.index, default: []].append(key)
            }
        }
        for (table, keys) in unknown {
            let query = RowQuery.missingKeys(keys, in: layered.model.tables[table])
            gone.formUnion(try layered.read { try query.integers(in: $0) })
        }
        return gone
    }

    private func deleteRows(
        _ keys: [Int64], _ layout: EntityLayout
    ) throws(PersistenceError) {
        layered.layers.updateMany(layout.table.index, keys: keys) { changes in
            for key in keys { changes.delete(key, entity: layout.index) }
        }
        let rules = layered.model.deletionRules[layout.index]
        // The parents remove references in their own changes when they take the deletion.
        for column in rules.columns
        where !column.isDenying && layered.layers.hasChanges(of: column.table) {
            for key in keys { clear(column, of: try existingReferences(to: key, column)) }
        }
        for key in keys { removeLinks(of: key, rules, keepsDenying: true) }
    }

    /// Returns the rows with unsaved references to a key, without those that others have deleted and
    /// of which this level has no changes: saving a change of them would fail.
    private func existingReferences(
        to key: Int64, _ column: DeletionRules.Column
    ) throws(PersistenceError) -> [Int64] {
        let table = column.table
        let sources = layered.layers.references(to: key, column.column, table)
        let others = sources.filter { layered.layers.top.tables[table].slot(of: $0) == nil }
        if others.isEmpty { return sources }
        let layout = layered.model.layouts[layered.model.tables[table].entities[0]]
        let gone = try rowsDeletedElsewhere(among: others.map { ($0, layout) })
        return sources.filter { !gone.contains($0) }
    }

    /// Returns the destinations of rows with their entities.
    private func destinations(
        of keys: [Int64], _ relationship: RelationshipLayout, in layout: EntityLayout
    ) throws(PersistenceError) -> [Row] {
        let members = try layered.members(of: keys, relationship, in: layout)
        let found = keys.flatMap { members[$0] ?? [] }
        return try layered.withEntities(
            found, in: layered.model.layouts[relationship.destination])
    }

    /// Returns the rows that the delete rules of rows delete which a child has deleted.
    ///
    /// The child has applied the rules to what it knew, and not to what these changes have attached since.
    func dependents(ofDeletedIn changes: ChangeSet) throws(PersistenceError) -> [Row] {
        var dependents: [Row] = []
        for layout in layered.model.layouts {
            let rows = changes.tables[layout.table.index]
            let cascading = layered.model.deletionRules[layout.index].cascading
            guard rows.hasRemovals, !cascading.isEmpty else { continue }
            let keys = (0..<rows.count).filter {
                rows.states[$0].isDeletion && rows.entities[$0] == layout.index
                    && !layered.layers.isDeleted(rows.keys[$0], layout.table.index)
            }.map { rows.keys[$0] }
            if keys.isEmpty { continue }
            for relationship in cascading {
                dependents += try destinations(of: keys, relationship, in: layout)
            }
        }
        return dependents
    }

    // MARK: References

    /// Removes references to rows that others have deleted from the unsaved changes of this level; saving
    /// removes stored ones.
    ///
    /// - Parameters:
    ///   - rows: The deleted rows and their entities.
    ///   - keepsDenying: A Boolean value that indicates whether references that deny the deletion are
    ///     kept, so that saving finds them.
    func removeReferences(
        to rows: some Sequence<(key: Int64, entity: Int)>, keepsDenying: Bool = false
    ) {
        for (key, entity) in rows {
            let rules = layered.model.deletionRules[entity]
            for column in rules.columns where !(keepsDenying && column.isDenying) {
                let sources = layered.layers.top.update(column.table) {
                    $0.references(to: key, column.column)
                }
                clear(column, of: sources)
            }
            removeLinks(of: key, rules, keepsDenying: keepsDenying)
        }
    }

    private func clear(_ column: DeletionRules.Column, of sources: [Int64]) {
        let layout = layered.model.layouts[layered.model.tables[column.table].entities[0]]
        for source in sources {
            layered.set(.null, column.column, of: source, in: layout, isClearing: true)
        }
    }

    private func removeLinks(of key: Int64, _ rules: DeletionRules, keepsDenying: Bool) {
        for link in rules.links
        where !(keepsDenying && link.isDenying) && !layered.layers.top.links[link.link].isEmpty {
            for (pair, _) in layered.layers.top.links[link.link].pairs(
                of: key, isSource: link.isSource)
            {
                layered.layers.record { $0.record(pair, link.link) }
            }
            layered.layers.top.updateLink(link.link) {
                $0.removePairs(of: key, isSource: link.isSource)
            }
        }
    }
}

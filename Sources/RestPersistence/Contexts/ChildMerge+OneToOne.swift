// SPDX-License-Identifier: Apache-2.0

extension ChildMerge {
    /// Applies a policy to the changes of a child that give a destination another source than the
    /// unsaved changes of this context.
    ///
    /// - Parameter changes: The changes, without those that lose.
    /// - Returns: The properties in conflict.
    /// - Throws: ``PersistenceError`` of the context.database.
    mutating func resolveOneToOne(
        _ changes: inout ChangeSet
    ) throws(PersistenceError) -> [SaveConflict] {
        var conflicts: [SaveConflict] = []
        for layout in context.model.layouts where changes.tables[layout.table.index].count > 0 {
            for (relationship, column) in layout.oneToOneColumns
            where relationship.index >= layout.inheritedRelationshipCount {
                conflicts += try resolve(relationship, column, layout, &changes)
            }
        }
        return conflicts
    }

    private mutating func resolve(
        _ relationship: RelationshipLayout, _ column: Int, _ layout: EntityLayout,
        _ changes: inout ChangeSet
    ) throws(PersistenceError) -> [SaveConflict] {
        let rows = changes.tables[layout.table.index]
        var sources = OneToOneSources(
            changes, column, layout, isSymmetric: relationship.isSymmetric)
        guard try readOtherSources(of: rows, column, layout, &sources) else { return [] }
        let destination = context.model.layouts[relationship.destination]
        let conflicts = sources.resolve(policy).compactMap { key in
            relationship.inverse.map { inverse in
                SaveConflict(
                    objectID: ManagedObjectID(
                        key: key, layout: destination, store: context.database.identity),
                    property: destination.relationships[inverse].name)
            }
        }
        let altered = sources.rows.filter(\.value.isAltered).sorted { $0.key < $1.key }
        if altered.isEmpty { return conflicts }
        isAltered = true
        var mask = ColumnMask()
        mask.insert(column)
        let lost = altered.filter { $0.value.written == nil }.map { ($0.key, mask) }
        changes.update(layout.table.index) { changes in
            changes = changes.removing(Dictionary(uniqueKeysWithValues: lost))
            for (key, row) in altered {
                guard let value = row.written else { continue }
                changes.set(
                    value, column, of: key, entity: row.entity, base: nil,
                    isClearing: value.isNull)
            }
        }
        return conflicts
    }

    /// Reads the unsaved sources that this context has for the destinations of a child's changes, and the values
    /// of all sources without these changes.
    ///
    /// - Returns: `false` if there are no other sources, so that nothing is read.
    private func readOtherSources(
        of changes: TableChanges, _ column: Int, _ layout: EntityLayout,
        _ sources: inout OneToOneSources
    ) throws(PersistenceError) -> Bool {
        let table = layout.table.index
        var others: Set<Int64> = []
        for (slot, destination) in changes.destinations(of: column) {
            for other in context.layered.layers.references(to: destination, column, table)
            where other != changes.keys[slot] && changes.changedValue(other, column) == nil
                && !changes.isDeleted(other)
            {
                others.insert(other)
            }
        }
        if others.isEmpty { return false }
        for (key, row) in try context.layered.rows(Array(others.union(sources.rows.keys)), layout) {
            let entity = try context.model.layout(ofRow: row, in: layout).index
            sources.take(row[column], ofRow: key, entity: entity)
        }
        sources.discardMissing()
        return true
    }
}

// SPDX-License-Identifier: Apache-2.0

/// One-to-one relationships that several contexts set.
///
/// The destination has one source in each context, but the source that another context sets is in
/// another row, so that no row has two values.
extension ManagedObjectContext {
    // MARK: Refreshing

    /// Clears the references of sources that others have set, if this level has set another source of
    /// the same destination.
    func clearOtherSources(of object: ManagedObject) throws(PersistenceError) {
        let key = object.objectID.key
        for relationship in object.layout.relationships where relationship.isOneToOne {
            let destination = model.layouts[relationship.destination]
            switch relationship.storage {
            case .column(let column):
                if relationship.isSymmetric {
                    try clearPartner(of: object, column)
                    continue
                }
                let value = top.tables[object.layout.table.index].changedValue(key, column)
                guard let inverse = relationship.inverse, case .integer(let target) = value else {
                    continue
                }
                try clearSources(
                    of: target, except: key, destination.relationships[inverse], destination)
            case .inverseColumn(let column, _):
                let own = top.update(destination.table.index) { $0.references(to: key, column) }
                guard let source = own.max() else { continue }
                try clearSources(of: key, except: source, relationship, object.layout)
            case .link: continue
            }
        }
    }

    private func clearSources(
        of key: Int64, except source: Int64, _ relationship: RelationshipLayout,
        _ layout: EntityLayout
    ) throws(PersistenceError) {
        guard case .inverseColumn(let column, _) = relationship.storage else { return }
        let sources = try members(of: [key], relationship, in: layout)[key] ?? []
        for other in sources where other != source {
            set(
                .null, column, of: other, in: model.layouts[relationship.destination],
                base: .integer(key))
        }
    }

    /// Clears the reference of the object's partner below this level, if this level has set another
    /// partner.
    private func clearPartner(of object: ManagedObject, _ column: Int) throws(PersistenceError) {
        let (key, layout) = (object.objectID.key, object.layout)
        guard let value = top.tables[layout.table.index].changedValue(key, column),
            case .integer(let partner) = try rowBelow(key, layout)?[column],
            value != .integer(partner),
            try rows([partner], layout)[partner]?[column] == .integer(key)
        else { return }
        set(.null, column, of: partner, in: layout, base: .integer(key))
    }

    // MARK: Saving to a parent

    /// Applies a policy to the changes of a child that give a destination another source than the
    /// unsaved changes of this context.
    ///
    /// - Parameters:
    ///   - changes: The changes, without those that lose.
    ///   - policy: The merge policy of the child.
    ///   - isAltered: Set if the policy alters changes.
    /// - Returns: The properties in conflict.
    /// - Throws: ``PersistenceError`` of the database.
    func resolveOneToOne(
        _ changes: inout ChangeSet, _ policy: MergePolicy, _ isAltered: inout Bool
    ) throws(PersistenceError) -> [SaveConflict] {
        var conflicts: [SaveConflict] = []
        for layout in model.layouts where changes.tables[layout.table.index].count > 0 {
            for (relationship, column) in layout.oneToOneColumns
            where relationship.index >= layout.inheritedRelationshipCount {
                conflicts += try resolve(relationship, column, layout, &changes, policy, &isAltered)
            }
        }
        return conflicts
    }

    private func resolve(
        _ relationship: RelationshipLayout, _ column: Int, _ layout: EntityLayout,
        _ changes: inout ChangeSet, _ policy: MergePolicy, _ isAltered: inout Bool
    ) throws(PersistenceError) -> [SaveConflict] {
        let rows = changes.tables[layout.table.index]
        var sources = OneToOneSources(
            changes, column, layout, isSymmetric: relationship.isSymmetric)
        guard try readOtherSources(of: rows, column, layout, &sources) else { return [] }
        let destination = model.layouts[relationship.destination]
        let conflicts = sources.resolve(policy).compactMap { key in
            relationship.inverse.map { inverse in
                SaveConflict(
                    objectID: ManagedObjectID(
                        key: key, layout: destination, store: database.identity),
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
            for other in references(to: destination, column, table)
            where other != changes.keys[slot] && changes.changedValue(other, column) == nil
                && !changes.isDeleted(other)
            {
                others.insert(other)
            }
        }
        if others.isEmpty { return false }
        for (key, row) in try rows(Array(others.union(sources.rows.keys)), layout) {
            let entity = try model.layout(ofRow: row, in: layout).index
            sources.take(row[column], ofRow: key, entity: entity)
        }
        sources.discardMissing()
        return true
    }
}

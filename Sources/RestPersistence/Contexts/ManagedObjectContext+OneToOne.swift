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
        let table = layout.table.index
        let rows = changes.tables[table]
        var conflicts: [SaveConflict] = []
        var lost: [Int64: ColumnMask] = [:]
        // The destinations that sources of this context keep.
        var kept: Set<StoredValue> = []
        for (slot, destination) in rows.destinations(of: column) {
            let others = references(to: destination, column, table).filter {
                $0 != rows.keys[slot] && rows.changedValue($0, column) == nil && !rows.isDeleted($0)
            }
            if others.isEmpty { continue }
            let isImported = rows.states[slot] == .updated && rows.base(slot, column) == nil
            switch policy {
            case .fail where !isImported:
                let inverse = model.layouts[relationship.destination]
                guard let name = relationship.inverse.map({ inverse.relationships[$0].name }) else {
                    continue
                }
                let id = ManagedObjectID(
                    key: destination, layout: inverse, store: database.identity)
                conflicts.append(SaveConflict(objectID: id, property: name))
            case .storeWins where !isImported: kept.insert(.integer(destination))
            default:
                isAltered = true
                changes.update(table) {
                    for other in others {
                        $0.set(
                            .null, column, of: other, entity: layout.index, base: nil,
                            isClearing: true)
                    }
                }
            }
        }
        // A source that keeps its destination in turn excludes the one that should have followed it.
        while true {
            let next = rows.destinations(of: column).filter { slot, destination in
                kept.contains(.integer(destination)) && lost[rows.keys[slot]] == nil
            }
            if next.isEmpty { break }
            var mask = ColumnMask()
            mask.insert(column)
            for (slot, _) in next { lost[rows.keys[slot]] = mask }
            let below = try self.rows(next.map { rows.keys[$0.slot] }, layout)
            for row in below.values where !row[column].isNull { kept.insert(row[column]) }
        }
        if !lost.isEmpty {
            isAltered = true
            changes.update(table) { $0.remove(lost) }
        }
        return conflicts
    }
}

extension TableChanges {
    /// Returns the slots that refer to a destination.
    func destinations(of column: Int) -> [(slot: Int, destination: Int64)] {
        (0..<count).compactMap { slot in
            guard !states[slot].isDeletion, hasValue(slot, column),
                case .integer(let key) = value(slot, column)
            else { return nil }
            return (slot, key)
        }
    }

    /// Removes columns from updated rows, and their values from new ones.
    fileprivate mutating func remove(_ columns: [Int64: ColumnMask]) {
        let all = self
        self = TableChanges(width: width)
        absorb(all, except: [], columns: columns)
        for (key, mask) in columns {
            guard let slot = slot(of: key), states[slot] == .inserted else { continue }
            for column in mask.columns {
                set(.null, column, of: key, entity: entities[slot], base: nil)
            }
        }
    }
}

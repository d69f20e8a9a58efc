// SPDX-License-Identifier: Apache-2.0

/// The references that discarded objects have taken from objects that existed before the import.
///
/// An object that is not stored moves nothing: whoever referred to it afterwards refers to the same
/// object as before, and a one-to-one destination has its former source.
extension InvalidObjectDiscarding {
    /// Restores the references to discarded objects, and those that gave way to theirs.
    ///
    /// A reference stays empty if the document contains the list of the former destination without it.
    ///
    /// - Parameter placed: The changes before objects were discarded.
    /// - Throws: ``PersistenceError`` of the database.
    func restoreReferences(_ placed: ChangeSet) throws(PersistenceError) {
        for table in layered.model.tables where placed.tables[table.index].count > 0 {
            var restored: [Int64: ColumnMask] = [:]
            for column in table.references {
                for key in try restorableKeys(column, of: table, placed.tables[table.index]) {
                    restored[key, default: ColumnMask()].insert(column)
                    if let position = table.position(besides: column) {
                        restored[key]?.insert(position)
                    }
                }
            }
            if restored.isEmpty { continue }
            layered.layers.updateMany(table.index, keys: nil) {
                $0.restore(restored, from: placement.formerChanges.tables[table.index])
            }
        }
    }

    /// Returns the rows whose reference the import has changed for the sake of discarded objects only.
    private func restorableKeys(
        _ column: Int, of table: TableLayout, _ placed: TableChanges
    ) throws(PersistenceError) -> [Int64] {
        guard let destination = table.columns[column].destination else { return [] }
        let isOneToOne = isOneToOne(column, of: table)
        // The destinations of discarded sources.
        var released: Set<Int64> = []
        var moved: [Int64] = []
        var cleared: [Int64] = []
        for slot in 0..<placed.count
        where !placed.states[slot].isDeletion && placed.hasValue(slot, column) {
            let key = placed.keys[slot]
            switch placed.value(slot, column) {
            case .integer(let target) where placement.isCreated(key):
                if isOneToOne, layered.layers.isDeleted(key, table.index) {
                    released.insert(target)
                }
            case .integer(let target):
                let other = layered.model.layouts[destination].table.index
                if placement.isCreated(target), layered.layers.isDeleted(target, other) {
                    moved.append(key)
                }
            default: if isOneToOne, !placement.isCreated(key) { cleared.append(key) }
            }
        }
        if released.isEmpty { cleared = [] }
        if moved.isEmpty, cleared.isEmpty { return [] }
        let former = try formerValues(of: moved + cleared, column, table)
        let lists = lists(by: column, of: table)
        let assigned = assignedKeys(column, of: table)
        let present = moved.filter { key in
            guard layered.layers.changedValue(key, column, table.index) == .null else {
                return false
            }
            guard case .integer(let owner) = former[key] else { return true }
            return lists[owner]?.contains(key) != false
        }
        let given = cleared.filter { key in
            guard case .integer(let target) = former[key] else { return false }
            return released.contains(target) && !assigned.contains(key)
                && layered.layers.references(to: target, column, table.index).isEmpty
        }
        return present + given
    }

    private func isOneToOne(_ column: Int, of table: TableLayout) -> Bool {
        table.entities.contains { entity in
            layered.model.layouts[entity].oneToOneColumns.contains { $0.column == column }
        }
    }

    /// Returns the values of a column before the import.
    private func formerValues(
        of keys: [Int64], _ column: Int, _ table: TableLayout
    ) throws(PersistenceError) -> [Int64: StoredValue] {
        let stored = try layered.storedRows(keys, table)
        let empty = Array(repeating: StoredValue.null, count: table.width)
        var values: [Int64: StoredValue] = [:]
        for key in keys {
            var row = stored[key] ?? empty
            for layer in layered.layers.lower { layer.tables[table.index].overlay(key, on: &row) }
            placement.formerChanges.tables[table.index].overlay(key, on: &row)
            values[key] = row[column]
        }
        return values
    }

    /// Returns the members of the lists that the document contains, by owner.
    private func lists(by column: Int, of table: TableLayout) -> [Int64: Set<Int64>] {
        var lists: [Int64: Set<Int64>] = [:]
        for relation in placement.batch.relations where !relation.isUnion {
            guard case .inverseColumn(column, _) = relation.relationship.storage,
                layered.model.layouts[relation.relationship.destination].table === table
            else { continue }
            for assigned in placement.assigned(relation) {
                lists[assigned.owner, default: []].formUnion(
                    assigned.members.compactMap(placement.key(of:)))
            }
        }
        return lists
    }

    /// Returns the objects of the document whose representations assign a column.
    private func assignedKeys(_ column: Int, of table: TableLayout) -> Set<Int64> {
        var keys: Set<Int64> = []
        for resolution in placement.resolutions where resolution.batch.layout.table === table {
            for row in 0..<resolution.batch.count
            where resolution.canonical[row] == row && resolution.batch.masks[row].contains(column) {
                if let key = resolution.key(of: row) { keys.insert(key) }
            }
        }
        return keys
    }
}

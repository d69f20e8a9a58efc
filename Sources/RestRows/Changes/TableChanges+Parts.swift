// SPDX-License-Identifier: Apache-2.0

/// Parts of changes that are added to other changes.
extension TableChanges {
    /// Adds a row of other changes that these do not contain.
    package mutating func append(_ other: TableChanges, _ slot: Int) {
        let (key, entity) = (other.keys[slot], other.entities[slot])
        switch other.states[slot] {
        case .inserted, .dropped:
            insert(
                key, other.values[slot * width..<(slot + 1) * width], changed: other.masks[slot],
                entity: entity)
            if other.states[slot] == .dropped { delete(key, entity: entity) }
        case .deleted: delete(key, entity: entity)
        case .updated:
            for column in other.masks[slot].columns { set(column, of: other, slot) }
        }
    }

    /// Sets a column as other changes do: by an edit, an import, or an import with an edit.
    ///
    /// - Parameters:
    ///   - column: The column.
    ///   - other: The other changes.
    ///   - slot: The row in the other changes.
    ///   - addsCounts: A Boolean value that indicates whether the count of the other edit is added to the value
    ///     of these changes. Otherwise the column gets the value that the other edit shows.
    mutating func set(
        _ column: Int, of other: TableChanges, _ slot: Int, addsCounts: Bool = true
    ) {
        let (key, entity) = (other.keys[slot], other.entities[slot])
        var value = other.value(slot, column)
        if addsCounts, other.isCounted(slot, column), let base = other.base(slot, column),
            let sum = changedValue(key, column)?.adding(value, minus: base)
        {
            value = sum
        }
        if let imported = other.importedBase(slot, column) {
            set(imported, column, of: key, entity: entity, base: nil)
            set(
                value, column, of: key, entity: entity, base: imported,
                isCounting: other.isCounted(slot, column))
        } else {
            set(
                value, column, of: key, entity: entity, base: other.base(slot, column),
                isClearing: other.isCleared(slot, column),
                isCounting: other.isCounted(slot, column))
        }
    }

    /// Adds the changes of a reference that refers to a row, or that did before, and of its position.
    package mutating func add(
        _ other: TableChanges, referringTo target: Int64, _ column: Int, _ position: Int?
    ) {
        for slot in 0..<other.count where other.states[slot] == .updated {
            let values = [
                other.changedValue(other.keys[slot], column), other.base(slot, column),
                other.importedBase(slot, column),
            ]
            guard values.contains(.integer(target)) else { continue }
            for column in [column, position].compactMap(\.self) where other.hasValue(slot, column) {
                set(
                    other.value(slot, column), column, of: other.keys[slot],
                    entity: other.entities[slot], base: nil)
            }
        }
    }

    /// Adds the changes of a column of rows that are not new.
    package mutating func add(_ other: TableChanges, column: Int, of keys: [Int64]) {
        for key in keys {
            guard let slot = other.slot(of: key), other.states[slot] == .updated,
                other.hasValue(slot, column)
            else { continue }
            set(
                other.value(slot, column), column, of: key, entity: other.entities[slot], base: nil)
        }
    }

    /// Replaces columns of rows by what former changes have, or by none.
    package mutating func restore(_ columns: [Int64: ColumnMask], from former: TableChanges) {
        let all = self
        self = TableChanges(width: width)
        for slot in 0..<all.count {
            guard all.states[slot] == .updated, let restored = columns[all.keys[slot]] else {
                append(all, slot)
                continue
            }
            for column in all.masks[slot].columns where !restored.contains(column) {
                set(column, of: all, slot)
            }
        }
        for (key, mask) in columns {
            guard let slot = former.slot(of: key) else { continue }
            for column in mask.columns where former.hasValue(slot, column) {
                set(column, of: former, slot)
            }
        }
    }

    /// The changes without new and deleted rows.
    var updates: TableChanges {
        var updates = TableChanges(width: width)
        for slot in 0..<count where states[slot] == .updated { updates.append(self, slot) }
        return updates
    }

    /// Returns the changes without some columns of updated rows.
    package func removing(_ columns: [Int64: ColumnMask]) -> TableChanges {
        if columns.isEmpty { return self }
        var rest = TableChanges(width: width)
        rest.absorb(self, except: [], columns: columns)
        return rest
    }

    /// Returns the slots that refer to a destination.
    package func destinations(of column: Int) -> [(slot: Int, destination: Int64)] {
        (0..<count).compactMap { slot in
            guard !states[slot].isDeletion, hasValue(slot, column),
                case .integer(let key) = value(slot, column)
            else { return nil }
            return (slot, key)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB

extension ChangeWriter {
    /// The columns of an update: those to write, and those whose base the stored value must equal.
    ///
    /// A column that was set back to its base is guarded and not written.
    private struct Shape: Hashable {
        let written: ColumnMask
        let guarded: ColumnMask
    }

    /// Updates rows, with one statement for all rows that have the same changed columns.
    ///
    /// A row with edits is written only if the stored values are those before the edits. A row with
    /// imported values is written only if a value differs.
    mutating func update(_ changes: TableChanges, _ table: TableLayout) throws(PersistenceError) {
        var groups: [Shape: Int] = [:]
        var shapes: [(shape: Shape, slots: [Int])] = []
        var restored: [(slot: Int, shape: Shape)] = []
        for slot in 0..<changes.count where changes.states[slot] == .updated {
            if cascadedKeys.contains(changes.keys[slot]) { continue }
            let shape = shape(slot, changes)
            if shape.written.isEmpty {
                if !shape.guarded.isEmpty { restored.append((slot, shape)) }
            } else if let group = groups[shape] {
                shapes[group].slots.append(slot)
            } else {
                groups[shape] = shapes.count
                shapes.append((shape, [slot]))
            }
        }
        for (shape, slots) in shapes { try update(slots, shape, changes, table) }
        try updateRestored(restored, changes, table)
        try updateBlockedRows(changes, table)
    }

    /// Writes rows whose columns have all been set back to their bases, if others have changed these.
    private mutating func updateRestored(
        _ restored: [(slot: Int, shape: Shape)], _ changes: TableChanges, _ table: TableLayout
    ) throws(PersistenceError) {
        if restored.isEmpty { return }
        let stored = try storedRows(restored.map { changes.keys[$0.slot] }, table)
        for (slot, shape) in restored {
            guard let row = stored[changes.keys[slot]] else {
                // Nothing is lost with the row.
                rows.unchanged += 1
                continue
            }
            try resolve(slot, shape, row, changes, table)
        }
    }

    /// Returns the columns to write, and those whose stored values are compared.
    private func shape(_ slot: Int, _ changes: TableChanges) -> Shape {
        var (written, guarded) = (ColumnMask(), ColumnMask())
        for column in changes.masks[slot].columns {
            if let base = changes.base(slot, column) {
                guarded.insert(column)
                if base == changes.value(slot, column) { continue }
            }
            written.insert(column)
        }
        return Shape(written: written, guarded: guarded)
    }

    private mutating func update(
        _ slots: [Int], _ shape: Shape, _ changes: TableChanges, _ table: TableLayout
    ) throws(PersistenceError) {
        let written = shape.written.columns
        let guarded = shape.guarded.columns
        let names = written.map { table.columns[$0].quoted }
        let assignments = names.enumerated().map { "\($1) = ?\($0 + 1)" }
        var condition = "\(EntityLayout.keyColumn) = ?\(names.count + 1)"
        if guarded.isEmpty {
            condition += " AND \(Self.row(names)) IS NOT \(Self.parameters(from: 1, names.count))"
        } else {
            let bases = Self.parameters(from: names.count + 2, guarded.count)
            condition += " AND \(Self.row(guarded.map { table.columns[$0].quoted })) IS \(bases)"
        }
        let statement = try PreparedStatement(
            "UPDATE \(table.quoted) SET \(assignments.joined(separator: ", ")) WHERE \(condition)",
            in: database)
        for slot in slots {
            for (index, column) in written.enumerated() {
                try statement.bind(changes.value(slot, column), at: index + 1)
            }
            try statement.bind(.integer(changes.keys[slot]), at: names.count + 1)
            for (index, column) in guarded.enumerated() {
                try statement.bind(
                    changes.base(slot, column) ?? .null, at: names.count + 2 + index)
            }
            let count: Int
            do throws(PersistenceError) { count = try statement.run() } catch {
                guard error.code == .identityConflict else { throw error }
                blockedRows.append(BlockedRow(slot: slot, mask: shape.written))
                continue
            }
            if count > 0 {
                noteUpdate(slot, shape.written, changes, table)
            } else {
                try resolve(slot, shape, changes, table)
            }
        }
    }

    /// Returns a row value, whose comparison has the same depth for any number of columns; SQLite limits
    /// the depth of expressions.
    private static func row(_ values: [String]) -> String {
        "(\(values.joined(separator: ", ")))"
    }

    private static func parameters(from first: Int, _ count: Int) -> String {
        row((first..<first + count).map { "?\($0)" })
    }

    /// Finds out why a row was not written, and applies the policy to properties in conflict.
    private mutating func resolve(
        _ slot: Int, _ shape: Shape, _ changes: TableChanges, _ table: TableLayout
    ) throws(PersistenceError) {
        let key = changes.keys[slot]
        guard let stored = try storedRows([key], table)[key] else {
            guard policy != .storeWins else {
                staleKeys.append(key)
                return
            }
            let name = model.layouts[changes.entities[slot]].name
            throw PersistenceError(
                .objectNotFound, entity: name,
                details: ["\(name)/\(key) was deleted from the store and has unsaved changes"])
        }
        try resolve(slot, shape, stored, changes, table)
    }

    /// Writes the columns that differ from the stored row, and applies the policy to properties in
    /// conflict.
    private mutating func resolve(
        _ slot: Int, _ shape: Shape, _ stored: [StoredValue], _ changes: TableChanges,
        _ table: TableLayout
    ) throws(PersistenceError) {
        let key = changes.keys[slot]
        if observation != nil { observation?.stored[key] = stored }
        var row = BlockedRow(slot: slot, mask: ColumnMask())
        for column in shape.written.union(shape.guarded).columns {
            let (value, base) = (changes.value(slot, column), changes.base(slot, column))
            if let base, !isUnchanged(stored[column], since: base, table.columns[column]) {
                switch policy.merge(
                    base: base, mine: value, theirs: stored[column],
                    as: changes.isCounted(slot, column) ? .count : .value)
                {
                case .edit: break
                case .agreement: continue
                case .merged(let sum):
                    staleKeys.append(key)
                    if sum != stored[column] {
                        row.mask.insert(column)
                        row.sums[column] = sum
                    }
                    continue
                case .discard:
                    staleKeys.append(key)
                    continue
                case .conflict:
                    conflicts.append(conflict(slot, column, changes, table))
                    continue
                }
            } else if base == value {
                // This save may have cleared the reference.
                continue
            }
            if stored[column] != value { row.mask.insert(column) }
        }
        guard !row.mask.isEmpty else {
            rows.unchanged += 1
            return
        }
        do throws(PersistenceError) { try overwrite(row, changes, table) } catch {
            guard error.code == .identityConflict else { throw error }
            blockedRows.append(row)
        }
    }

    /// Returns a Boolean value that indicates whether a stored value is the one before an edit, apart
    /// from a reference that this save has cleared.
    func isUnchanged(
        _ stored: StoredValue, since base: StoredValue?, _ column: ColumnLayout
    ) -> Bool {
        if stored == base { return true }
        guard column.destination != nil, stored.isNull, case .integer(let key) = base else {
            return false
        }
        return deletedKeys.contains(key)
    }

    func storedRows(
        _ keys: [Int64], _ table: TableLayout
    ) throws(PersistenceError) -> [Int64: [StoredValue]] {
        let query = RowQuery.rows(of: model.layouts[table.entities[0]], keys: keys)
        var rows: [Int64: [StoredValue]] = [:]
        try query.run(in: database, width: table.width) { key, values in rows[key] = values }
        return rows
    }

    fileprivate mutating func overwrite(
        _ row: BlockedRow, _ changes: TableChanges, _ table: TableLayout
    ) throws(PersistenceError) {
        let (slot, columns) = (row.slot, row.mask.columns)
        let assignments = columns.map { "\(table.columns[$0].quoted) = ?" }
        let statement = try PreparedStatement(
            "UPDATE \(table.quoted) SET \(assignments.joined(separator: ", ")) "
                + "WHERE \(EntityLayout.keyColumn) = ?", in: database)
        for (index, column) in columns.enumerated() {
            try statement.bind(row.sums[column] ?? changes.value(slot, column), at: index + 1)
        }
        try statement.bind(.integer(changes.keys[slot]), at: columns.count + 1)
        _ = try statement.run()
        noteUpdate(slot, row.mask, changes, table)
    }

    private mutating func noteUpdate(
        _ slot: Int, _ mask: ColumnMask, _ changes: TableChanges, _ table: TableLayout
    ) {
        rows.updated += 1
        if mask.columns.contains(where: { changes.base(slot, $0) != nil }) {
            editedKeys.insert(changes.keys[slot])
        }
        if observation != nil { noteUpdateEdit(slot, mask, changes) }
        tables[table.index].update(changes.keys[slot], changes.entities[slot], mask)
    }

    private func conflict(
        _ slot: Int, _ column: Int, _ changes: TableChanges, _ table: TableLayout
    ) -> SaveConflict {
        let id = ManagedObjectID(
            key: changes.keys[slot], layout: model.layouts[changes.entities[slot]], store: store)
        return SaveConflict(objectID: id, property: table.columns[column].propertyName)
    }
}

/// A row whose update another row prevents, because it has the new identity.
struct BlockedRow {
    let slot: Int
    /// The columns to write.
    var mask: ColumnMask
    /// The values of counted columns.
    var sums: [Int: StoredValue] = [:]
}

/// The exchange of identities.
///
/// SQLite checks unique indexes for each row. A row can therefore not take the identity of another one
/// that the same save changes later, or that takes its own one.
extension ChangeWriter {
    /// Updates the blocked rows of a table, which give up their identities first.
    ///
    /// - Throws: ``PersistenceError`` with code `identityConflict` if a row that this save does not change
    ///   has the identity.
    fileprivate mutating func updateBlockedRows(
        _ changes: TableChanges, _ table: TableLayout
    ) throws(PersistenceError) {
        let blocked = blockedRows
        blockedRows = []
        if blocked.isEmpty { return }
        let identity = Set(table.entities.flatMap { model.layouts[$0].identity })
        for row in blocked {
            let columns = row.mask.columns.filter(identity.contains)
            if columns.isEmpty { continue }
            let key = changes.keys[row.slot]
            let assignments = columns.map { "\(table.columns[$0].quoted) = ?" }
            let statement = try PreparedStatement(
                "UPDATE \(table.quoted) SET \(assignments.joined(separator: ", ")) "
                    + "WHERE \(EntityLayout.keyColumn) = ?", in: database)
            for (index, column) in columns.enumerated() {
                try statement.bind(table.columns[column].placeholder(for: key), at: index + 1)
            }
            try statement.bind(.integer(key), at: columns.count + 1)
            try statement.run()
        }
        for row in blocked {
            do throws(PersistenceError) { try overwrite(row, changes, table) } catch {
                throw naming(row.slot, changes, in: error)
            }
        }
    }
}

extension ColumnLayout {
    /// Returns a value that no other row has, for the time until the row gets its new identity.
    fileprivate func placeholder(for key: Int64) -> StoredValue {
        guard isRequired else { return .null }
        return switch type.kind.storage.column {
        case .integer: .integer(.min + key)
        case .real: .double(-1e290 * Double(key))
        case .text: .text("restkit \(key)")
        case .data: .data(Data("restkit \(key)".utf8))
        }
    }
}

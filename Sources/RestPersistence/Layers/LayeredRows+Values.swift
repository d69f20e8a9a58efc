// SPDX-License-Identifier: Apache-2.0

// The values of rows with unsaved changes.

extension LayeredRows {
    /// Returns the rows of a table as the store has them, by key.
    func storedRows(
        _ keys: some Collection<Int64>, _ table: TableLayout
    ) throws(PersistenceError) -> [Int64: [StoredValue]] {
        if keys.isEmpty { return [:] }
        let query = RowQuery.rows(of: model.layouts[table.entities[0]], keys: Array(keys))
        var rows: [Int64: [StoredValue]] = [:]
        rows.reserveCapacity(keys.count)
        try read { database in
            try query.run(in: database, width: table.width) { key, row in rows[key] = row }
        }
        return rows
    }

    /// Returns rows with unsaved changes by key, without deleted rows.
    func rows(
        _ keys: some Collection<Int64>, _ layout: EntityLayout
    ) throws(PersistenceError) -> [Int64: [StoredValue]] {
        let table = layout.table.index
        var stored: [Int64] = []
        var inserted: [Int64] = []
        for key in keys {
            switch layers.state(of: key, table) {
            case .inserted: inserted.append(key)
            case .deleted, .dropped: break
            case .updated, nil: stored.append(key)
            }
        }
        var rows = try storedRows(stored, layout.table)
        if layers.isPending { for (key, row) in rows { rows[key] = overlaid(row, key, layout) } }
        for key in inserted { rows[key] = overlaid([], key, layout) }
        return rows
    }

    /// Returns the values of a row with unsaved changes, where references to deleted rows are null.
    func overlaid(_ row: [StoredValue], _ key: Int64, _ layout: EntityLayout) -> [StoredValue] {
        guard layers.isPending else { return row }
        var row = row
        layers.overlay(key, layout.table.index, on: &row)
        clearReferencesToDeleted(in: &row, layout)
        return row
    }

    /// Replaces references to rows that unsaved changes delete by null.
    func clearReferencesToDeleted<Row: MutableCollection>(
        in row: inout Row, _ layout: EntityLayout
    ) where Row.Element == StoredValue, Row.Index == Int {
        for column in layout.table.references {
            guard let destination = layout.columns[column].destination,
                case .integer(let target) = row[column]
            else { continue }
            if layers.isDeleted(target, model.layouts[destination].table.index) {
                row[column] = .null
            }
        }
    }

    /// Returns rows with their entities, each of which is an entity or inherits from it.
    func withEntities(
        _ keys: [Int64], in layout: EntityLayout
    ) throws(PersistenceError) -> [(key: Int64, layout: EntityLayout)] {
        if layout.subentities.count == 1 { return keys.map { ($0, layout) } }
        let rows = try rows(keys, layout)
        return try keys.map { key throws(PersistenceError) in
            guard let row = rows[key] else { return (key, layout) }
            return (key, try model.layout(ofRow: row, in: layout))
        }
    }
}

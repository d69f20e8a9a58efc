// SPDX-License-Identifier: Apache-2.0

/// The imported objects of an entity that connections read and set, with the values of the columns that these
/// need, before the first connection.
struct ConnectionSources {
    /// The keys of the objects that exist, in document order.
    private(set) var keys: [Int64] = []
    /// For each column of the table, its index among the columns that are read; -1 for the others.
    private let places: [Int]
    private let width: Int
    private var values: [StoredValue] = []

    /// Reads columns of objects, with unsaved changes.
    ///
    /// - Parameters:
    ///   - keys: The keys of the objects.
    ///   - columns: The columns of the table.
    ///   - layout: The entity.
    ///   - layered: The rows.
    /// - Throws: ``PersistenceError`` of the database.
    init(
        _ keys: [Int64], reading columns: Set<Int>, of layout: EntityLayout,
        in layered: LayeredRows
    ) throws(PersistenceError) {
        let columns = columns.sorted()
        var places = Array(repeating: -1, count: layout.table.width)
        for (index, column) in columns.enumerated() { places[column] = index }
        self.places = places
        width = columns.count
        let table = layout.table.index
        values = Array(repeating: .null, count: keys.count * width)
        var exists = Array(repeating: false, count: keys.count)
        // The rows of which the top layer does not have all values.
        var others: [Int] = []
        var stored: [Int] = []
        let top = layered.layers.top.tables[table]
        var expected = 0
        for (index, key) in keys.enumerated() {
            if let slot = top.slot(of: key, expected: &expected), top.states[slot] == .inserted {
                exists[index] = true
                for (place, column) in columns.enumerated() {
                    values[index * width + place] = top.value(slot, column)
                }
                continue
            }
            others.append(index)
            switch layered.layers.state(of: key, table) {
            case .inserted: exists[index] = true
            case .deleted, .dropped: break
            case .updated, nil: stored.append(index)
            }
        }
        try read(columns, of: stored, keys, layout.table, in: layered, &exists)
        if !others.isEmpty, layered.layers.hasChanges(of: table) {
            overlay(columns, of: others, keys, table, in: layered)
        }
        if layered.layers.hasPendingDeletions { clearReferences(columns, layout, in: layered) }
        keep(exists, keys)
    }

    /// The number of objects.
    var count: Int { keys.count }

    /// Returns the value of a column that has been read.
    func value(_ index: Int, _ column: Int) -> StoredValue {
        values[index * width + places[column]]
    }

    /// Reads the stored values of rows, in the order of their keys.
    private mutating func read(
        _ columns: [Int], of rows: [Int], _ keys: [Int64], _ table: TableLayout,
        in layered: LayeredRows, _ exists: inout [Bool]
    ) throws(PersistenceError) {
        if rows.isEmpty { return }
        let isSorted = zip(rows, rows.dropFirst()).allSatisfy { keys[$0] <= keys[$1] }
        let ordered = isSorted ? rows : rows.sorted { keys[$0] < keys[$1] }
        let names = ([EntityLayout.keyColumn] + columns.map { table.columns[$0].quoted })
            .joined(separator: ", ")
        let query = RowQuery(
            sql: "SELECT \(names) FROM \(table.quoted) WHERE \(EntityLayout.keyColumn) IN "
                + "(SELECT value FROM json_each(?)) ORDER BY \(EntityLayout.keyColumn)",
            arguments: [RowQuery.list(ordered.lazy.map { keys[$0] })])
        var next = 0
        var (found, exist) = (values, exists)
        values = []
        let width = width
        try layered.read { database in
            let statement = try query.prepare(in: database)
            while try statement.step() {
                let key = statement.integer(0)
                while next < ordered.count, keys[ordered[next]] < key { next += 1 }
                while next < ordered.count, keys[ordered[next]] == key {
                    let row = ordered[next]
                    exist[row] = true
                    for index in 0..<width {
                        found[row * width + index] = statement.value(index + 1)
                    }
                    next += 1
                }
            }
        }
        (values, exists) = (found, exist)
    }

    /// Replaces values by unsaved ones.
    private mutating func overlay(
        _ columns: [Int], of rows: [Int], _ keys: [Int64], _ table: Int,
        in layered: LayeredRows
    ) {
        // The later layers replace what the earlier ones have set.
        for layer in layered.layers.all where layer.tables[table].count > 0 {
            let changes = layer.tables[table]
            for row in rows {
                guard let slot = changes.slot(of: keys[row]) else { continue }
                for (index, column) in columns.enumerated() where changes.hasValue(slot, column) {
                    values[row * width + index] = changes.value(slot, column)
                }
            }
        }
    }

    /// Replaces references to rows that unsaved changes delete by null.
    private mutating func clearReferences(
        _ columns: [Int], _ layout: EntityLayout, in layered: LayeredRows
    ) {
        for (index, column) in columns.enumerated() {
            guard let destination = layout.columns[column].destination else { continue }
            let table = layered.model.layouts[destination].table.index
            for place in stride(from: index, to: values.count, by: width) {
                guard case .integer(let target) = values[place] else { continue }
                if layered.layers.isDeleted(target, table) { values[place] = .null }
            }
        }
    }

    private mutating func keep(_ exists: [Bool], _ all: [Int64]) {
        if exists.allSatisfy(\.self) { return keys = all }
        var kept: [StoredValue] = []
        for row in all.indices where exists[row] {
            keys.append(all[row])
            kept += values[row * width..<(row + 1) * width]
        }
        values = kept
    }
}

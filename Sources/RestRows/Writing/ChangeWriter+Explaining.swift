// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB

extension ChangeWriter {
    /// Writes the origin of the changed rows of explained entities.
    ///
    /// It runs after all rows have been written, and does nothing if no entity is explained.
    func writeExplanations(_ changes: ChangeSet, of explained: Set<Int>) throws {
        let affected = model.tables.filter { table in
            !tables[table.index].isEmpty && table.entities.contains(where: explained.contains)
        }
        if affected.isEmpty { return }
        let table = ExplanationTable(database: database)
        try table.create()
        var recorder = ExplanationRecorder(table: table, writes: changes.writes)
        for affected in affected {
            try recorder.record(
                tables[affected.index], changes.tables[affected.index], model, explained)
        }
        try table.removeUnused(recorder.replaced)
    }
}

/// Rows with consecutive keys that one import has inserted.
private struct InsertedRange {
    var keys: ClosedRange<Int64>
    let entity: Int
    let position: Int

    /// Appends a row, and returns whether it is the next one.
    mutating func append(_ key: Int64, _ entity: Int, _ position: Int) -> Bool {
        guard key == keys.upperBound + 1, entity == self.entity, position == self.position else {
            return false
        }
        keys = keys.lowerBound...key
        return true
    }
}

/// Records the origin of changed rows.
private struct ExplanationRecorder {
    let table: ExplanationTable
    /// The imports, of which the last one that has set a column is its origin.
    let writes: [RecordedWrite]
    /// The writes of which properties have a later one now.
    var replaced: Set<Int64> = []
    /// The positions of the imports that have changed each row, in order; empty for few imports.
    private var positions: [Int64: [Int]] = [:]
    /// The number of imports all of which are searched for a row.
    private static let searchedCount = 4
    /// The keys of inserted writes by the position of the import; -1 for the local changes.
    private var keys: [Int: Int64] = [:]
    private let date = Date()

    init(table: ExplanationTable, writes: [RecordedWrite]) {
        self.table = table
        self.writes = writes
        guard writes.count > Self.searchedCount else { return }
        for (position, write) in writes.enumerated() {
            for key in write.rows.keys { positions[key, default: []].append(position) }
        }
    }

    /// Returns the positions of the imports after a position that have changed a row, in order.
    private func positions(of key: Int64, after first: Int) -> [Int] {
        if writes.count > Self.searchedCount {
            return (positions[key] ?? []).filter { $0 > first }
        }
        return (first + 1..<writes.count).filter { writes[$0].rows[key] != nil }
    }

    mutating func record(
        _ commit: TableCommit, _ changes: TableChanges, _ model: ManagedObjectModel,
        _ explained: Set<Int>
    ) throws(PersistenceError) {
        let statement = try PreparedStatement(
            "INSERT OR REPLACE INTO \(ExplanationTable.name) (entity, key, property, write) "
                + "VALUES (?1, ?2, ?3, ?4)", in: table.database)
        for (entity, rows) in Dictionary(grouping: commit.deleted, by: \.entity)
        where explained.contains(entity) {
            replaced.formUnion(try table.remove(rows.map(\.key), model.layouts[entity].name))
        }
        var range: InsertedRange?
        for row in commit.inserted where explained.contains(row.entity) {
            let layout = model.layouts[row.entity]
            let insertion = insertion(of: row.key)
            if range?.append(row.key, row.entity, insertion) != true {
                try store(range, model)
                range = InsertedRange(
                    keys: row.key...row.key, entity: row.entity, position: insertion)
            }
            // Later imports have changed the row before it was saved.
            for (column, origin) in origins(of: row.key, after: insertion) {
                try insert(
                    row.key, layout, layout.columns[column].name, write(at: origin), statement)
            }
        }
        try store(range, model)
        for (entity, updates) in Dictionary(grouping: commit.updated, by: { $0.value.entity })
        where explained.contains(entity) {
            let layout = model.layouts[entity]
            replaced.formUnion(try table.writes(ofRows: updates.map { $0.key }, layout.name))
            for (key, update) in updates {
                let origins = origins(of: key, after: -1)
                for column in update.mask.columns {
                    // A column that no change set has was connected or cleared by the import.
                    let isImplied = changes.changedValue(key, column) == nil
                    let origin = origins[column] ?? (isImplied ? writes.count - 1 : -1)
                    try insert(
                        key, layout, layout.columns[column].name, write(at: origin), statement)
                }
            }
        }
    }

    private mutating func store(
        _ range: InsertedRange?, _ model: ManagedObjectModel
    ) throws(PersistenceError) {
        guard let range else { return }
        try table.insert(
            range.keys, model.layouts[range.entity].name, write(at: range.position))
    }

    /// Returns the position of the import that has inserted a row; -1 if none has.
    private func insertion(of key: Int64) -> Int {
        positions(of: key, after: -1).last { writes[$0].hasInserted(key) } ?? -1
    }

    /// Returns the position of the last import that has set each column of a row, of those after a
    /// position.
    private func origins(of key: Int64, after first: Int) -> [Int: Int] {
        var origins: [Int: Int] = [:]
        for position in positions(of: key, after: first) {
            for column in writes[position].rows[key]?.columns.columns ?? [] {
                origins[column] = position
            }
        }
        return origins
    }

    private mutating func write(at position: Int) throws(PersistenceError) -> Int64 {
        if let key = keys[position] { return key }
        let origin = position < 0 ? nil : writes[position].origin
        let key = try table.insert(origin?.response, at: origin?.date ?? date)
        keys[position] = key
        return key
    }

    private func insert(
        _ key: Int64, _ layout: EntityLayout, _ property: String, _ write: Int64,
        _ statement: borrowing PreparedStatement
    ) throws(PersistenceError) {
        try statement.bind(.text(layout.name), at: 1)
        try statement.bind(.integer(key), at: 2)
        try statement.bind(.text(property), at: 3)
        try statement.bind(.integer(write), at: 4)
        _ = try statement.run()
    }
}

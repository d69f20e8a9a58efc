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

/// Records the origin of changed rows.
private struct ExplanationRecorder {
    let table: ExplanationTable
    /// The imports, of which the last one that has set a column is its origin.
    let writes: [RecordedWrite]
    /// The writes of which properties have a later one now.
    var replaced: Set<Int64> = []
    /// The positions of the imports that have changed each row, in order.
    private var positions: [Int64: [Int]] = [:]
    /// The keys of inserted writes by the position of the import; -1 for the local changes.
    private var keys: [Int: Int64] = [:]
    private let date = Date()

    init(table: ExplanationTable, writes: [RecordedWrite]) {
        self.table = table
        self.writes = writes
        for (position, write) in writes.enumerated() {
            for key in write.columns.keys { positions[key, default: []].append(position) }
        }
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
            let (deleted, name) = (rows.map(\.key), model.layouts[entity].name)
            replaced.formUnion(try table.writes(ofRows: deleted, name))
            try table.remove(deleted, name)
        }
        for row in commit.inserted where explained.contains(row.entity) {
            let layout = model.layouts[row.entity]
            let insertion = insertion(of: row.key)
            try insert(
                row.key, layout, ExplanationTable.insertion, write(at: insertion), statement)
            // Later imports have changed the row before it was saved.
            for (column, origin) in origins(of: row.key, after: insertion) {
                try insert(
                    row.key, layout, layout.columns[column].name, write(at: origin), statement)
            }
        }
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

    /// Returns the position of the import that has inserted a row; -1 if none has.
    private func insertion(of key: Int64) -> Int {
        positions[key]?.last { writes[$0].inserted.contains(key) } ?? -1
    }

    /// Returns the position of the last import that has set each column of a row, of those after a
    /// position.
    private func origins(of key: Int64, after first: Int) -> [Int: Int] {
        var origins: [Int: Int] = [:]
        for position in positions[key] ?? [] where position > first {
            for column in writes[position].columns[key]?.columns ?? [] {
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

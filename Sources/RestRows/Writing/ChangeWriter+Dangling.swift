// SPDX-License-Identifier: Apache-2.0

import GRDB

/// The removal of references to rows that others have deleted.
///
/// The deletion wins, as if it had happened after the save: optional references and rows of join
/// tables are removed. It concerns few saves, so that rows are searched for only after SQLite has
/// found that some are missing.
extension ChangeWriter {
    /// Removes the written references to rows that do not exist.
    ///
    /// - Throws: ``PersistenceError`` with code `relationshipConflict` for references of required
    ///   relationships, which it names.
    mutating func removeDanglingReferences(_ changes: ChangeSet) throws(PersistenceError) {
        guard database.hasDanglingReferences else { return }
        var conflicts: [SaveConflict] = []
        for table in model.tables {
            for column in table.references {
                guard let destination = table.columns[column].destination else { continue }
                let written = Set(
                    changes.tables[table.index].destinations(of: column).map(\.destination))
                let deleted = changes.tables[model.layouts[destination].table.index].deletedKeys
                let missing = try missing(
                    written.union(deleted).union(cascadedKeys), in: model.layouts[destination].table
                )
                if missing.isEmpty { continue }
                if table.columns[column].isRequired {
                    conflicts += try references(to: missing, column, table)
                } else {
                    try clear(column, of: table, to: missing)
                }
            }
        }
        for index in model.links.indices where !changes.links[index].isEmpty {
            try removeDanglingPairs(changes.links[index], index)
        }
        if let first = conflicts.first {
            throw PersistenceError(
                .relationshipConflict, entity: first.objectID.entityName,
                property: first.property,
                details: conflicts.prefix(PersistenceError.maximumDetails).map {
                    "\($0) refers to an object that was deleted"
                })
        }
    }

    /// Returns the keys that a table does not have.
    private func missing(
        _ keys: Set<Int64>, in table: TableLayout
    ) throws(PersistenceError) -> [Int64] {
        if keys.isEmpty { return [] }
        return try RowQuery.missingKeys(keys.sorted(), in: table).integers(in: database)
    }

    private func references(
        to missing: [Int64], _ column: Int, _ table: TableLayout
    ) throws(PersistenceError) -> [SaveConflict] {
        let statement = try PreparedStatement(
            "SELECT \(Self.columns(table)) FROM \(table.quoted) "
                + "WHERE \(table.columns[column].quoted) IN (SELECT value FROM json_each(?1)) "
                + "ORDER BY 1", in: database)
        try statement.bind(RowQuery.list(missing), at: 1)
        var found: [SaveConflict] = []
        while try statement.step() {
            let id = ManagedObjectID(
                key: statement.integer(0), layout: model.layouts[entity(statement, table)],
                store: store)
            found.append(SaveConflict(objectID: id, property: table.columns[column].name))
        }
        return found
    }

    private mutating func clear(
        _ column: Int, of table: TableLayout, to missing: [Int64]
    ) throws(PersistenceError) {
        let name = table.columns[column].quoted
        let columns = Self.columns(table)
        let statement = try PreparedStatement(
            "UPDATE \(table.quoted) SET \(name) = NULL WHERE \(name) IN "
                + "(SELECT value FROM json_each(?1)) RETURNING \(columns)", in: database)
        try statement.bind(RowQuery.list(missing), at: 1)
        let new = Set(tables[table.index].inserted.map(\.key))
        var mask = ColumnMask()
        mask.insert(column)
        while try statement.step() {
            let key = statement.integer(0)
            staleKeys.append(key)
            if new.contains(key) { continue }
            tables[table.index].update(key, entity(statement, table), mask)
        }
    }

    private mutating func removeDanglingPairs(
        _ changes: LinkChanges, _ index: Int
    ) throws(PersistenceError) {
        let link = model.links[index]
        let inserted = changes.pairs.filter(\.value.isMember).keys
        let sources = try missing(
            Set(inserted.map(\.source)), in: model.layouts[link.source].table)
        let targets = try missing(
            Set(inserted.map(\.target)), in: model.layouts[link.target].table)
        let statement = try PreparedStatement(
            "DELETE FROM \(link.quoted) WHERE source IN (SELECT value FROM json_each(?1)) "
                + "OR target IN (SELECT value FROM json_each(?2)) RETURNING source, target",
            in: database)
        try statement.bind(RowQuery.list(sources), at: 1)
        try statement.bind(RowQuery.list(targets), at: 2)
        var removed: Set<LinkPair> = []
        while try statement.step() {
            removed.insert(
                LinkPair(statement.integer(0), statement.integer(1), isForward: true))
        }
        links[index].inserted.removeAll { removed.contains($0) }
        links[index].moved.removeAll { removed.contains($0) }
    }

    // MARK: Statements

    /// The columns with the key and the entity of a row.
    static func columns(_ table: TableLayout) -> String {
        EntityLayout.keyColumn
            + (table.entityColumn.map { ", \(table.columns[$0].quoted)" } ?? "")
    }

    func entity(
        _ statement: borrowing PreparedStatement, _ table: TableLayout
    ) -> Int {
        guard table.entityColumn != nil, case .text(let name) = statement.value(1) else {
            return table.entities[0]
        }
        return model.index(of: name) ?? table.entities[0]
    }
}

extension TableChanges {
    /// The keys of deleted rows.
    fileprivate var deletedKeys: Set<Int64> {
        Set(keys.indices.filter { states[$0] == .deleted }.map { keys[$0] })
    }
}

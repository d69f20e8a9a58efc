// SPDX-License-Identifier: Apache-2.0

import GRDB

extension SearchTable {
    func create(in schema: Schema, _ database: Database) throws(PersistenceError) {
        try run(definition(in: schema), [], database)
    }

    /// Removes the words of rows, or of all rows.
    func removeRows(
        _ keys: StoredValue? = nil, in schema: Schema, _ database: Database
    ) throws(PersistenceError) {
        let condition = keys == nil ? "" : " WHERE rowid IN (SELECT value FROM json_each(?1))"
        try run(
            "DELETE FROM \(schema.rawValue).\(quoted)\(condition)", keys.map { [$0] } ?? [],
            database)
    }

    /// Adds the words of rows, or of all rows.
    func addRows(
        _ keys: StoredValue? = nil, in schema: Schema, _ database: Database
    ) throws(PersistenceError) {
        let source =
            schema == .main ? "main.\(table.quoted)" : PendingName.rows(table)
        let entity =
            entity.map(SQLIdentifier.literal) ?? SQLIdentifier.quoted(EntityLayout.entityColumn)
        let names = columns.map { table.columns[$0].quoted }
        let words = columns.map { column in
            let isJSON = table.columns[column].type == .json ? 1 : 0
            return "restkit_words(\(argument(column)), \(isJSON), \(entity))"
        }
        var conditions: [String] = []
        if keys != nil {
            conditions.append(
                "\(EntityLayout.keyColumn) IN (SELECT value FROM json_each(?1))")
        }
        let pairs = columns.flatMap {
            [SQLIdentifier.literal(table.columns[$0].name), argument($0)]
        }
        conditions.append("restkit_is_searchable(\(([entity] + pairs).joined(separator: ", ")))")
        try run(
            "INSERT INTO \(schema.rawValue).\(quoted) (rowid, \(names.joined(separator: ", "))) "
                + "SELECT \(EntityLayout.keyColumn), \(words.joined(separator: ", ")) "
                + "FROM \(source) WHERE \(conditions.joined(separator: " AND "))",
            keys.map { [$0] } ?? [], database)
    }

    /// Returns a column as an argument of a function, which receives a text only up to its first NUL, but
    /// a BLOB completely.
    private func argument(_ column: Int) -> String {
        let column = table.columns[column]
        return column.type.isText ? "CAST(\(column.quoted) AS BLOB)" : column.quoted
    }

    private func run(
        _ sql: String, _ arguments: [StoredValue], _ database: Database
    ) throws(PersistenceError) {
        _ = try RowQuery(sql: sql, arguments: arguments).prepare(in: database).run()
    }
}

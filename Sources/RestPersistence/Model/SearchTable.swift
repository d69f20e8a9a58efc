// SPDX-License-Identifier: Apache-2.0

import GRDB

/// The full-text index of a table: an FTS5 table `restkit_search_<Table>` with a column for each
/// searchable attribute, whose `rowid` is the key of the object.
///
/// The columns contain the folded words with a space after each. FTS5 splits at white space only, so that
/// any SQLite shell can read and query the index, and symbols are words.
struct SearchTable: Sendable {
    enum Schema: String {
        case main
        case temporary = "temp"
    }

    let table: TableLayout
    /// The searchable columns.
    let columns: [Int]
    /// The name of the entity of all rows; `nil` if a column has it.
    private let entity: String?

    /// Creates the index of a table; `nil` if it has no searchable attributes.
    init?(_ table: TableLayout, _ layouts: [EntityLayout]) {
        var names: Set<String> = []
        for entity in table.entities {
            for attribute in layouts[entity].description.attributes where attribute.isSearchable {
                names.insert(attribute.name)
            }
        }
        columns = table.columns.indices.filter { names.contains(table.columns[$0].name) }
        if columns.isEmpty { return nil }
        self.table = table
        entity = table.entityColumn == nil ? table.name : nil
    }

    /// Returns the reason why an attribute cannot be searchable; `nil` if it can.
    static func problem(with attribute: AttributeDescription) -> String? {
        switch attribute.type.kind {
        case .integer, .unsignedInteger, .double, .decimal, .text, .json, .url:
            ["rank", "rowid"].contains(SQLIdentifier.caseFolded(attribute.name))
                ? "SQLite reserves the name" : nil
        case .boolean, .date, .day, .uuid, .data:
            "its type is \(attribute.type), and only texts, numbers and JSON values have words"
        }
    }

    static func name(of table: TableLayout) -> String { "restkit_search_\(table.name)" }
    static func quotedName(of table: TableLayout) -> String {
        SQLIdentifier.quoted(name(of: table))
    }

    var name: String { Self.name(of: table) }
    private var quoted: String { Self.quotedName(of: table) }

    /// The statement that creates the index.
    func definition(in schema: Schema) -> String {
        let names = columns.map { table.columns[$0].quoted }.joined(separator: ", ")
        return "CREATE VIRTUAL TABLE \(schema.rawValue).\(quoted) USING fts5(\(names), "
            + "tokenize=\"unicode61 remove_diacritics 0 "
            + "categories 'L* M* N* P* S* Co Cn Cf Cs'\")"
    }

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

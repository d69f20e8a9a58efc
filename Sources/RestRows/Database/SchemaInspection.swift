// SPDX-License-Identifier: Apache-2.0

import GRDB

/// The comparison of the tables in a file with those of a model.
///
/// The columns of a table may have another order. Additional tables, and additional indexes that are
/// not unique, have no effect on the store and are allowed. Triggers and views are not, because they run
/// SQL of the file in the store's transactions.
struct SchemaInspection {
    let database: Database

    /// Returns the differences between the schema of the database and the one of a model.
    static func differences(of database: Database, _ schema: SchemaPlan) throws -> [String] {
        let expected = try DatabaseQueue().write { database in
            try database.execute(sql: SchemaPlan.metadataTable)
            for statement in schema.statements { try database.execute(sql: statement) }
            return try SchemaInspection(database: database).facts { _ in true }
        }
        let found = try SchemaInspection(database: database).facts { expected[$0] != nil }
        return SchemaDescription.differences(file: found, model: expected)
    }

    /// Returns descriptions of the tables whose names are expected, of their columns and indexes, and of
    /// triggers and views.
    private func facts(_ isExpected: (String) -> Bool) throws -> SchemaDescription {
        var facts = SchemaDescription()
        for row in try Row.fetchAll(database, sql: Self.tables) {
            let name = "table \(row["name"] as String)"
            guard isExpected(name) else { continue }
            facts.add(name, row["strict"] ? "strict" : "not strict")
        }
        for row in try Row.fetchAll(database, sql: Self.columns) {
            let table = "table \(row["owner"] as String)"
            guard isExpected(table) else { continue }
            var text: String = row["type"]
            if row["notnull"] { text += " NOT NULL" }
            if row["pk"] > 0 { text += " PRIMARY KEY" }
            if row["hidden"] > 0 { text += " GENERATED" }
            facts.add(
                "column \(row["owner"] as String).\(row["name"] as String)", of: table, text)
        }
        for row in try Row.fetchAll(database, sql: Self.foreignKeys) {
            let table = "table \(row["owner"] as String)"
            guard isExpected(table) else { continue }
            facts.add(
                "foreign key \(row["owner"] as String).\(row["from"] as String)", of: table,
                "to \(row["table"] as String) on delete \(row["on_delete"] as String)")
        }
        for row in try Row.fetchAll(database, sql: Self.indexes) {
            let table = "table \(row["tbl_name"] as String)"
            let name = "index \(row["name"] as String)"
            guard isExpected(name) || isExpected(table) && row["unique"] else { continue }
            facts.add(name, of: table, row["sql"])
        }
        for row in try Row.fetchAll(database, sql: Self.programs) {
            facts.add("\(row["type"] as String) \(row["name"] as String)", "present")
        }
        return facts
    }

    private static let tables = """
        SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
        """
    private static let columns = """
        SELECT s.name AS owner, c.name, c.type, c."notnull", c.pk, c.hidden \
        FROM sqlite_schema s, pragma_table_xinfo(s.name) c WHERE s.type = 'table'
        """
    private static let foreignKeys = """
        SELECT s.name AS owner, f."from", f."table", f.on_delete \
        FROM sqlite_schema s, pragma_foreign_key_list(s.name) f WHERE s.type = 'table'
        """
    private static let indexes = """
        SELECT s.name, s.tbl_name, s.sql, i."unique" \
        FROM sqlite_schema s, pragma_index_list(s.tbl_name) i \
        WHERE s.type = 'index' AND s.sql IS NOT NULL AND i.name = s.name
        """
    private static let programs = """
        SELECT type, name FROM sqlite_schema WHERE type IN ('trigger', 'view')
        """
}

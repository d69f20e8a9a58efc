// SPDX-License-Identifier: Apache-2.0

package import GRDB

/// A SELECT statement with bound arguments.
package struct RowQuery {
    package var sql: String
    package var arguments: [StoredValue]
    /// The orders of texts that the statement names.
    var collations: [TextCollation] = []
    /// A Boolean value that indicates whether the result is known to be empty.
    package var isEmpty = false
    /// A Boolean value that indicates whether the result is SQLite's plan instead of the rows.
    package var isExplained = false

    package init(
        sql: String, arguments: [StoredValue], collations: [TextCollation] = [],
        isEmpty: Bool = false, isExplained: Bool = false
    ) {
        self.sql = sql
        self.arguments = arguments
        self.collations = collations
        self.isEmpty = isEmpty
        self.isExplained = isExplained
    }

    /// Returns a query for rows by key.
    package static func rows(of layout: EntityLayout, keys: [Int64]) -> RowQuery {
        RowQuery(
            sql: "SELECT \(columns(of: layout, "t0")) FROM \(layout.table.quoted) AS t0 "
                + "WHERE t0.\(EntityLayout.keyColumn) IN (SELECT value FROM json_each(?))",
            arguments: [list(keys)])
    }

    /// Returns a query for a key, the key of a row whose column refers to it, and its position.
    package static func members(
        of table: TableLayout, column: Int, position: Int?, keys: [Int64]
    ) -> RowQuery {
        let name = table.columns[column].quoted
        let position = position.map { table.columns[$0].quoted } ?? "NULL"
        return RowQuery(
            sql: "SELECT \(name), \(EntityLayout.keyColumn), \(position) FROM \(table.quoted) "
                + "WHERE \(name) IN (SELECT value FROM json_each(?))",
            arguments: [list(keys)], isEmpty: keys.isEmpty)
    }

    /// Returns a query for the key of a row and the value of a column.
    package static func values(
        of column: Int, in table: TableLayout, keys: [Int64]
    ) -> RowQuery {
        RowQuery(
            sql: "SELECT \(EntityLayout.keyColumn), \(table.columns[column].quoted) "
                + "FROM \(table.quoted) "
                + "WHERE \(EntityLayout.keyColumn) IN (SELECT value FROM json_each(?))",
            arguments: [list(keys)], isEmpty: keys.isEmpty)
    }

    /// Returns a query for a key, a related key in a join table, and its position.
    package static func pairs(
        of link: LinkLayout, keys: [Int64], _ isForward: Bool, isOrdered: Bool
    ) -> RowQuery {
        let (own, other) = isForward ? ("source", "target") : ("target", "source")
        let ordered = isForward ? LinkLayout.targetPosition : LinkLayout.sourcePosition
        let position = isOrdered ? ordered : "NULL"
        return RowQuery(
            sql: "SELECT \(own), \(other), \(position) FROM \(link.quoted) "
                + "WHERE \(own) IN (SELECT value FROM json_each(?))",
            arguments: [list(keys)], isEmpty: keys.isEmpty)
    }

    /// Returns a query for the keys that a table does not have.
    package static func missingKeys(_ keys: [Int64], in table: TableLayout) -> RowQuery {
        RowQuery(
            sql: "SELECT value FROM json_each(?1) WHERE value NOT IN "
                + "(SELECT \(EntityLayout.keyColumn) FROM \(table.quoted))",
            arguments: [list(keys)], isEmpty: keys.isEmpty)
    }

    /// Returns the list of the key and all columns, in the order that `run` expects.
    static func columns(of layout: EntityLayout, _ alias: String) -> String {
        ([EntityLayout.keyColumn] + layout.columns.map(\.quoted))
            .map { "\(alias).\($0)" }.joined(separator: ", ")
    }

    /// Returns keys as one value for `json_each`.
    package static func list(_ keys: some Sequence<Int64>) -> StoredValue {
        var text = Array("[".utf8)
        text.reserveCapacity(keys.underestimatedCount * 8)
        for key in keys {
            if text.count > 1 { text.append(UInt8(ascii: ",")) }
            text.append(contentsOf: String(key).utf8)
        }
        text.append(UInt8(ascii: "]"))
        return .text(String(decoding: text, as: UTF8.self))
    }

    package func prepare(in database: Database) throws(PersistenceError) -> PreparedStatement {
        if isExplained { try Self.readSchema(in: database) }
        for collation in collations { try collation.add(to: database) }
        let statement = try PreparedStatement(
            isExplained ? "EXPLAIN QUERY PLAN \(sql)" : sql, in: database, isCached: !isExplained)
        // A condition that another one decides is left out, so that its values have no parameter.
        for (index, argument) in arguments.prefix(statement.parameterCount).enumerated() {
            try statement.bind(argument, at: index + 1)
        }
        return statement
    }

    /// Reads the schema if another connection has changed it.
    ///
    /// EXPLAIN does not read the file: it would explain by the schema that was read last, and a
    /// statement of the cache by that of its preparation.
    private static func readSchema(in database: Database) throws(PersistenceError) {
        _ = try PreparedStatement("SELECT 1 FROM sqlite_schema", in: database).step()
    }

    /// Runs the query and returns the integers in the first column.
    package func integers(in database: Database) throws(PersistenceError) -> [Int64] {
        let statement = try prepare(in: database)
        var integers: [Int64] = []
        while try statement.step() { integers.append(statement.integer(0)) }
        return integers
    }

    /// Runs the query and calls a closure with the key and the columns of each row.
    package func run(
        in database: Database, width: Int, _ body: (Int64, [StoredValue]) -> Void
    ) throws(PersistenceError) {
        let statement = try prepare(in: database)
        while try statement.step() {
            body(statement.integer(0), statement.values(from: 1, width))
        }
    }
}

extension PreparedStatement {
    /// Returns consecutive values of the current row.
    package func values(from first: Int, _ count: Int) -> [StoredValue] {
        var values: [StoredValue] = []
        values.reserveCapacity(count)
        for index in first..<first + count { values.append(value(index)) }
        return values
    }
}

// SPDX-License-Identifier: Apache-2.0

/// An index that the model does not declare, because a mapping needs it.
package struct LookupIndex: Sendable {
    let columns: [Int]
    /// A Boolean value that indicates whether the index is a list of the keys of the rows without null.
    ///
    /// SQLite finds the rows with any value, in the order of their keys, by such an index only.
    let excludesNull: Bool

    package init(_ columns: [Int], excludesNull: Bool = false) {
        self.columns = columns
        self.excludesNull = excludesNull
    }

    /// Returns the names of the columns.
    func names(in table: TableLayout) -> [String] { columns.map { table.columns[$0].name } }

    /// Returns the name of the index in the file.
    func name(in table: TableLayout) -> String {
        let prefix = excludesNull ? "restkit_present" : "restkit_lookup"
        return ([prefix, table.name] + names(in: table)).joined(separator: "_")
    }

    /// Returns the statement that creates the index unless it exists.
    func definition(in table: TableLayout) -> String {
        let columns = names(in: table).map(SQLIdentifier.quoted)
        let list = excludesNull ? EntityLayout.keyColumn : columns.joined(separator: ", ")
        let condition =
            excludesNull
            ? " WHERE " + columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ") : ""
        return "CREATE INDEX IF NOT EXISTS \(SQLIdentifier.quoted(name(in: table))) "
            + "ON \(table.quoted) (\(list))\(condition)"
    }
}

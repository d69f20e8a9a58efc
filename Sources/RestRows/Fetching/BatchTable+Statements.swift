// SPDX-License-Identifier: Apache-2.0

package import GRDB

extension BatchTable {
    /// Compares the table's rows with the stored rows that have their keys, by one statement.
    ///
    /// A row without a stored row is not compared.
    ///
    /// - Parameters:
    ///   - layout: The entity.
    ///   - database: The connection.
    /// - Throws: ``PersistenceError`` of the database.
    package func compare(_ layout: EntityLayout, in database: Database) throws(PersistenceError) {
        let table = layout.table
        if comparedColumns.isEmpty { return }
        let values = comparedColumns.map { "t.\(table.columns[$0].quoted)" }
            .joined(separator: ", ")
        try run(
            "SELECT restkit_compare(?1, b.position, \(values)) "
                + "FROM restkit_batch(?1) AS b CROSS JOIN \(table.quoted) AS t "
                + "ON t.\(EntityLayout.keyColumn) = b.key",
            in: database)
    }

    /// Compares lists with the stored rows whose column refers to their owners.
    ///
    /// - Parameters:
    ///   - column: The column that refers to the owner.
    ///   - position: The column with the position in an ordered list; `nil` if the list is not ordered.
    ///   - table: The table of the destinations.
    ///   - database: The connection.
    /// - Throws: ``PersistenceError`` of the database.
    package func compareMembers(
        by column: Int, at position: Int?, of table: TableLayout, in database: Database
    ) throws(PersistenceError) {
        let place = position.map { "t.\(table.columns[$0].quoted)" } ?? "NULL"
        try run(
            "SELECT restkit_member(?1, b.position, t.\(EntityLayout.keyColumn), \(place)) "
                + "FROM restkit_batch(?1) AS b CROSS JOIN \(table.quoted) AS t "
                + "ON t.\(table.columns[column].quoted) = b.key",
            in: database)
    }

    /// Compares lists with the stored rows of a join table.
    package func compareMembers(
        of link: LinkLayout, isForward: Bool, isOrdered: Bool, in database: Database
    ) throws(PersistenceError) {
        let (own, other) = isForward ? ("source", "target") : ("target", "source")
        let position = isForward ? LinkLayout.targetPosition : LinkLayout.sourcePosition
        try run(
            "SELECT restkit_member(?1, b.position, t.\(other), "
                + "\(isOrdered ? "t.\(position)" : "NULL")) "
                + "FROM restkit_batch(?1) AS b CROSS JOIN \(link.quoted) AS t ON t.\(own) = b.key",
            in: database)
    }

    func run(_ sql: String, in database: Database) throws(PersistenceError) {
        let statement = try PreparedStatement(sql, in: database)
        try statement.bind(self, at: 1)
        // The row of the aggregate has no value.
        while try statement.step() {}
    }
}

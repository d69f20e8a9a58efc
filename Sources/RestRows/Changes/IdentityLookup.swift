// SPDX-License-Identifier: Apache-2.0

package import GRDB

/// A lookup of the rows of an entity by identity, with one statement for a chunk of identities.
package struct IdentityLookup {
    package let layout: EntityLayout
    package let columns: [Int]
    /// The names of the entities to find objects of; empty for all of the table.
    package let entities: [String]

    package init(layout: EntityLayout, columns: [Int], entities: [String]) {
        self.layout = layout
        self.columns = columns
        self.entities = entities
    }
    /// The number of identities in a chunk; a shorter last chunk repeats its last identity.
    private static let chunk = 256
    /// The maximum number of parameters of a statement in SQLite.
    private static let maximumParameters = 32_766

    /// Calls a closure with the key of each row that has one of the identities.
    package func find(
        _ identities: [IdentityKey], in database: Database, _ body: (IdentityKey, Int64) -> Void
    ) throws(PersistenceError) {
        guard !identities.isEmpty, try hasRows(in: database) else { return }
        let size = min(Self.chunk, Self.maximumParameters / columns.count, identities.count)
        let statement = try PreparedStatement(sql(size), in: database)
        for start in stride(from: 0, to: identities.count, by: size) {
            var parameter = 1
            for offset in 0..<size {
                let identity = identities[min(start + offset, identities.count - 1)]
                for index in columns.indices {
                    try statement.bind(identity[index], at: parameter)
                    parameter += 1
                }
            }
            while try statement.step() {
                let identity =
                    columns.count == 1
                    ? IdentityKey(single: statement.value(1))
                    : IdentityKey(columns.indices.map { statement.value($0 + 1) })
                body(identity, statement.integer(0))
            }
            statement.reset()
        }
    }

    /// Records the key of each row that has the identity of a row of a batch, by one statement.
    package func find(_ batch: BatchTable, in database: Database) throws(PersistenceError) {
        guard !batch.rows.isEmpty, try hasRows(in: database) else { return }
        let identity = columns.enumerated().map { index, column in
            // The sign takes the affinity from a value, which parameters do not have either.
            "t.\(layout.columns[column].quoted) = +b.value\(index)"
        }
        try batch.run(
            "SELECT restkit_match(?1, b.position, t.\(EntityLayout.keyColumn)) "
                + "FROM restkit_batch(?1) AS b CROSS JOIN \(layout.table.quoted) AS t "
                + "ON \(identity.joined(separator: " AND "))\(entityCondition)",
            in: database)
    }

    private func hasRows(in database: Database) throws(PersistenceError) -> Bool {
        try PreparedStatement("SELECT 1 FROM \(layout.table.quoted) LIMIT 1", in: database).step()
    }

    private var entityCondition: String {
        guard layout.table.entityColumn != nil, !entities.isEmpty else { return "" }
        let names = entities.map(SQLIdentifier.literal).joined(separator: ", ")
        return " AND \(EntityLayout.entityColumn) IN (\(names))"
    }

    private func sql(_ size: Int) -> String {
        let names = columns.map { layout.columns[$0].quoted }
        let condition: String
        if names.count == 1 {
            let marks = Array(repeating: "?", count: size).joined(separator: ", ")
            condition = "\(names[0]) IN (\(marks))"
        } else {
            let mark = "(" + Array(repeating: "?", count: names.count).joined(separator: ", ") + ")"
            let marks = Array(repeating: mark, count: size).joined(separator: ", ")
            condition = "(\(names.joined(separator: ", "))) IN (VALUES \(marks))"
        }
        return "SELECT \(EntityLayout.keyColumn), \(names.joined(separator: ", ")) "
            + "FROM \(layout.table.quoted) WHERE \(condition)\(entityCondition)"
    }
}

/// The values of the identification attributes of an object, none of which is null.
package struct IdentityKey: Hashable {
    private let first: StoredValue
    private let rest: [StoredValue]

    package init(_ values: [StoredValue]) {
        first = values.first ?? .null
        rest = Array(values.dropFirst())
    }

    package init(single value: StoredValue) {
        first = value
        rest = []
    }

    subscript(index: Int) -> StoredValue { index == 0 ? first : rest[index - 1] }

    /// The identity, if it is a single integer.
    package var integer: Int64? {
        guard case .integer(let value) = first, rest.isEmpty else { return nil }
        return value
    }
}

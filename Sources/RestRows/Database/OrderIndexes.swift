// SPDX-License-Identifier: Apache-2.0

import GRDB

/// The indexes by which decimals and unsigned integers are ordered, on the expressions of
/// ``NumericText``.
///
/// An attribute of these types that has an index has one of these in addition, as the index on its text
/// finds equal values only. They are derived from the model, and made anew when a file without them, such
/// as a migrated one, is opened for writing. A file without them has the same results.
struct OrderIndexes {
    let model: ManagedObjectModel
    let database: Database

    /// Creates missing indexes, and removes those of attributes that no longer have an index.
    func prepare() throws {
        var wanted: [String: String] = [:]
        for index in model.schema.orderIndexes { wanted[index.name] = index.sql }
        let known = try Row.fetchAll(
            database,
            sql: "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND name GLOB ?",
            arguments: [SchemaPlan.orderIndexPrefix + "*"])
        for row in known {
            let name: String = row["name"]
            if wanted[name] == row["sql"] {
                wanted[name] = nil
            } else {
                try database.execute(sql: "DROP INDEX \(SQLIdentifier.quoted(name))")
            }
        }
        for name in wanted.keys.sorted() { try database.execute(sql: wanted[name] ?? "") }
    }
}

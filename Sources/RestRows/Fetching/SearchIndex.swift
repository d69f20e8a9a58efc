// SPDX-License-Identifier: Apache-2.0

import Foundation
package import GRDB

/// The full-text indexes of a database, which are derived from its rows and can be made anew.
///
/// The table `restkit_search` has the definition and the rules of each index, so that the opening of a
/// file finds indexes that are missing or were made by other rules.
package struct SearchIndex {
    package let model: ManagedObjectModel
    package let database: Database

    package init(model: ManagedObjectModel, database: Database) {
        self.model = model
        self.database = database
    }

    private static let rules = "restkit_search"

    /// Creates missing indexes, and those with other columns or rules anew; removes others.
    func prepare() throws {
        let known = try knownRules()
        if model.searchTables.isEmpty, known.isEmpty { return }
        var wanted: [String: String] = [:]
        for table in model.searchTables { wanted[table.name] = rules(of: table) }
        if known == wanted { return }
        for name in known.keys where wanted[name] != known[name] { try remove(name) }
        if wanted.isEmpty {
            try database.execute(sql: "DROP TABLE \(Self.rules)")
            return
        }
        try database.execute(
            sql: "CREATE TABLE IF NOT EXISTS \(Self.rules) "
                + "(name TEXT PRIMARY KEY, rules TEXT NOT NULL) STRICT")
        for table in model.searchTables where known[table.name] != wanted[table.name] {
            try table.create(in: .main, database)
            try table.addRows(in: .main, database)
            try database.execute(
                sql: "INSERT INTO \(Self.rules) (name, rules) VALUES (?, ?)",
                arguments: [table.name, rules(of: table)])
        }
    }

    /// Removes all indexes.
    func removeAll() throws {
        let known = try knownRules()
        for name in known.keys { try remove(name) }
        if try database.tableExists(Self.rules) {
            try database.execute(sql: "DROP TABLE \(Self.rules)")
        }
    }

    /// Writes the words of changed rows, in the transaction that changed them.
    func update(_ changes: [TableCommit]) throws(PersistenceError) {
        for table in model.searchTables {
            let commit = changes[table.table.index]
            var changed: [Int64] = []
            for (key, update) in commit.updated
            where table.columns.contains(where: update.mask.contains) {
                changed.append(key)
            }
            changed.sort()
            let removed = changed + commit.deleted.map(\.key)
            if !removed.isEmpty {
                try table.removeRows(RowQuery.list(removed), in: .main, database)
            }
            let added = changed + commit.inserted.map(\.key)
            if !added.isEmpty {
                try table.addRows(RowQuery.list(added), in: .main, database)
            }
        }
    }

    /// Returns the IDs of the changed objects that have been indexed, if the configuration asks for
    /// them.
    func indexedIDs(
        of changes: [TableCommit], store: UUID
    ) throws(PersistenceError) -> [ManagedObjectID] {
        guard model.search.didIndexObjects != nil else { return [] }
        var ids: [ManagedObjectID] = []
        for table in model.searchTables {
            let commit = changes[table.table.index]
            var entities: [Int64: Int] = [:]
            for row in commit.inserted { entities[row.key] = row.entity }
            for (key, update) in commit.updated
            where table.columns.contains(where: update.mask.contains) {
                entities[key] = update.entity
            }
            if entities.isEmpty { continue }
            let query = RowQuery(
                sql: "SELECT rowid FROM \(SQLIdentifier.quoted(table.name)) "
                    + "WHERE rowid IN (SELECT value FROM json_each(?)) ORDER BY 1",
                arguments: [RowQuery.list(entities.keys)])
            let statement = try query.prepare(in: database)
            while try statement.step() {
                let key = statement.integer(0)
                guard let entity = entities[key] else { continue }
                ids.append(
                    ManagedObjectID(key: key, layout: model.layouts[entity], store: store))
            }
        }
        return ids
    }

    /// Creates all indexes anew.
    package func rebuild() throws {
        try removeAll()
        try prepare()
    }

    private func rules(of table: SearchTable) -> String {
        table.definition(in: .main) + "\n" + model.search.signature
    }

    private func knownRules() throws -> [String: String] {
        guard try database.tableExists(Self.rules) else { return [:] }
        var known: [String: String] = [:]
        for row in try Row.fetchAll(database, sql: "SELECT name, rules FROM \(Self.rules)") {
            known[row["name"]] = row["rules"]
        }
        return known
    }

    private func remove(_ name: String) throws {
        try database.execute(sql: "DROP TABLE IF EXISTS \(SQLIdentifier.quoted(name))")
        try database.execute(sql: "DELETE FROM \(Self.rules) WHERE name = ?", arguments: [name])
    }
}

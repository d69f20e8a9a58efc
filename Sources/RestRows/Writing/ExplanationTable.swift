// SPDX-License-Identifier: Apache-2.0

import Foundation
package import GRDB

/// The tables with the writes of rows in a file, which are created with the first of them.
package struct ExplanationTable {
    static let writes = "restkit_write"
    static let name = "restkit_explanation"
    /// The name in place of a property for the insertion of a row.
    static let insertion = ""

    package let database: Database

    package init(database: Database) {
        self.database = database
    }

    /// Returns a Boolean value that indicates whether the file has the tables.
    var isPresent: Bool {
        get throws(PersistenceError) {
            let statement = try PreparedStatement(
                "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = '\(Self.name)'",
                in: database)
            return try statement.step()
        }
    }

    func create() throws {
        try database.execute(
            sql: """
                CREATE TABLE IF NOT EXISTS \(Self.writes) (id INTEGER PRIMARY KEY, \
                method TEXT, url TEXT, status INTEGER, version TEXT, date REAL NOT NULL) STRICT; \
                CREATE TABLE IF NOT EXISTS \(Self.name) (\
                entity TEXT NOT NULL, key INTEGER NOT NULL, property TEXT NOT NULL, \
                write INTEGER NOT NULL REFERENCES \(Self.writes) (id), \
                PRIMARY KEY (entity, key, property)) STRICT, WITHOUT ROWID; \
                CREATE INDEX IF NOT EXISTS restkit_index_explanation ON \(Self.name) (write)
                """)
    }

    /// Removes the writes of entities that are not recorded any more, which would become wrong.
    func keepOnly(_ entities: [String]) throws(PersistenceError) {
        guard try isPresent else { return }
        let list = entities.map(SQLIdentifier.literal).joined(separator: ", ")
        let removal = try PreparedStatement(
            "DELETE FROM \(Self.name) WHERE entity NOT IN (\(list))", in: database)
        guard try removal.run() > 0 else { return }
        let cleaning = try PreparedStatement(
            "DELETE FROM \(Self.writes) WHERE id NOT IN (SELECT write FROM \(Self.name))",
            in: database)
        _ = try cleaning.run()
    }

    // MARK: Writing

    /// Inserts a write and returns its key.
    func insert(
        _ response: RowExplanation.Response?, at date: Date
    ) throws(PersistenceError) -> Int64 {
        let statement = try PreparedStatement(
            "INSERT INTO \(Self.writes) (method, url, status, version, date) "
                + "VALUES (?1, ?2, ?3, ?4, ?5) RETURNING id", in: database)
        let values: [StoredValue] = [
            response.map { .text($0.method) } ?? .null, response.map { .text($0.url) } ?? .null,
            response.map { .integer(Int64($0.status)) } ?? .null,
            response.map { .text($0.mappingVersion) } ?? .null,
            .double(date.timeIntervalSince1970),
        ]
        for (index, value) in values.enumerated() { try statement.bind(value, at: index + 1) }
        guard try statement.step() else {
            throw PersistenceError(.databaseFailure, details: ["no row of a write was inserted"])
        }
        let id = statement.integer(0)
        // The statement ends only after its last step.
        while try statement.step() {}
        return id
    }

    /// Returns the keys of the writes of rows.
    func writes(ofRows keys: [Int64], _ entity: String) throws(PersistenceError) -> Set<Int64> {
        let statement = try PreparedStatement(
            "SELECT DISTINCT write FROM \(Self.name) "
                + "WHERE entity = ?1 AND key IN (SELECT value FROM json_each(?2))", in: database)
        try statement.bind(.text(entity), at: 1)
        try statement.bind(RowQuery.list(keys), at: 2)
        var writes: Set<Int64> = []
        while try statement.step() { writes.insert(statement.integer(0)) }
        return writes
    }

    /// Removes all writes of rows.
    func remove(_ keys: [Int64], _ entity: String) throws(PersistenceError) {
        let statement = try PreparedStatement(
            "DELETE FROM \(Self.name) "
                + "WHERE entity = ?1 AND key IN (SELECT value FROM json_each(?2))", in: database)
        try statement.bind(.text(entity), at: 1)
        try statement.bind(RowQuery.list(keys), at: 2)
        _ = try statement.run()
    }

    /// Removes those of some writes that are not the last one of any property.
    func removeUnused(_ writes: Set<Int64>) throws(PersistenceError) {
        if writes.isEmpty { return }
        let statement = try PreparedStatement(
            "DELETE FROM \(Self.writes) WHERE id IN (SELECT value FROM json_each(?1)) "
                + "AND NOT EXISTS (SELECT 1 FROM \(Self.name) WHERE write = \(Self.writes).id)",
            in: database)
        try statement.bind(RowQuery.list(writes.sorted()), at: 1)
        _ = try statement.run()
    }

    // MARK: Reading

    package func explanation(of id: ManagedObjectID) throws(PersistenceError) -> RowExplanation? {
        guard try isPresent else { return nil }
        let statement = try PreparedStatement(
            "SELECT e.property, w.method, w.url, w.status, w.version, w.date FROM \(Self.name) e "
                + "JOIN \(Self.writes) w ON w.id = e.write WHERE e.entity = ?1 AND e.key = ?2",
            in: database)
        try statement.bind(.text(id.entityName), at: 1)
        try statement.bind(.integer(id.key), at: 2)
        var writes: [String: RowExplanation.Write] = [:]
        while try statement.step() {
            var response: RowExplanation.Response?
            if case .text(let method) = statement.value(1) {
                response = RowExplanation.Response(
                    method: method, url: statement.value(2).collectionText,
                    status: Int(statement.integer(3)),
                    mappingVersion: statement.value(4).collectionText)
            }
            writes[statement.value(0).collectionText] = RowExplanation.Write(
                response: response, date: statement.value(5).collectionDate ?? .distantPast)
        }
        if writes.isEmpty { return nil }
        let insertion = writes.removeValue(forKey: Self.insertion)
        return RowExplanation(objectID: id, insertion: insertion, changes: writes)
    }
}

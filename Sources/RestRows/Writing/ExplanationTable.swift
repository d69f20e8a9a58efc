// SPDX-License-Identifier: Apache-2.0

import Foundation
package import GRDB

/// The tables with the writes of rows in a file, which are created with the first of them.
///
/// | table | holds |
/// |---|---|
/// | `restkit_write` | a row for each response that is the last one to have written something |
/// | `restkit_write_source` | what responses share: method, origin of the URL, status, and version of the mapping |
/// | `restkit_insertion` | the write that has inserted rows, for ranges of keys |
/// | `restkit_explanation` | the last write of each property that has changed since |
///
/// An import inserts rows with consecutive keys, so that a page of rows is one range.
package struct ExplanationTable {
    static let writes = "restkit_write"
    static let name = "restkit_explanation"
    static let sources = "restkit_write_source"
    static let insertions = "restkit_insertion"

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
        if try isPresent { return }
        try database.execute(
            sql: """
                CREATE TABLE IF NOT EXISTS \(Self.sources) (id INTEGER PRIMARY KEY, \
                method TEXT NOT NULL, origin TEXT NOT NULL, status INTEGER NOT NULL, \
                version TEXT NOT NULL, UNIQUE (method, origin, status, version)) STRICT; \
                CREATE TABLE IF NOT EXISTS \(Self.writes) (id INTEGER PRIMARY KEY, \
                source INTEGER REFERENCES \(Self.sources) (id), target TEXT, date REAL NOT NULL) STRICT; \
                CREATE TABLE IF NOT EXISTS \(Self.insertions) (first INTEGER PRIMARY KEY, \
                last INTEGER NOT NULL, entity TEXT NOT NULL, \
                write INTEGER NOT NULL REFERENCES \(Self.writes) (id)) STRICT; \
                CREATE INDEX IF NOT EXISTS restkit_index_insertion ON \(Self.insertions) (write); \
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
        var count = 0
        for table in [Self.name, Self.insertions] {
            let removal = try PreparedStatement(
                "DELETE FROM \(table) WHERE entity NOT IN (\(list))", in: database)
            count += try removal.run()
        }
        guard count > 0 else { return }
        let cleaning = try PreparedStatement(
            "DELETE FROM \(Self.writes) WHERE id NOT IN (SELECT write FROM \(Self.name)) "
                + "AND id NOT IN (SELECT write FROM \(Self.insertions))",
            in: database)
        _ = try cleaning.run()
    }

    // MARK: Writing

    /// Inserts a write and returns its key.
    func insert(
        _ response: RowExplanation.Response?, at date: Date
    ) throws(PersistenceError) -> Int64 {
        var values: [StoredValue] = [.null, .null]
        if let response {
            let (origin, target) = Self.parts(of: response.url)
            values = [.integer(try source(of: response, at: origin)), .text(target)]
        }
        return try insertedID(
            "INSERT INTO \(Self.writes) (source, target, date) VALUES (?1, ?2, ?3) RETURNING id",
            values + [.double(date.timeIntervalSince1970)])
    }

    private func insertedID(
        _ sql: String, _ values: [StoredValue]
    ) throws(PersistenceError) -> Int64 {
        guard let id = try id(sql, values) else {
            throw PersistenceError(.databaseFailure, details: ["no row of a write was inserted"])
        }
        return id
    }

    private func source(
        of response: RowExplanation.Response, at origin: String
    ) throws(PersistenceError) -> Int64 {
        let values: [StoredValue] = [
            .text(response.method), .text(origin), .integer(Int64(response.status)),
            .text(response.mappingVersion),
        ]
        let known = try id(
            "SELECT id FROM \(Self.sources) "
                + "WHERE method = ?1 AND origin = ?2 AND status = ?3 AND version = ?4", values)
        if let known { return known }
        return try insertedID(
            "INSERT INTO \(Self.sources) (method, origin, status, version) "
                + "VALUES (?1, ?2, ?3, ?4) RETURNING id", values)
    }

    /// Runs a statement to its end, and returns the first column of its first row.
    private func id(
        _ sql: String, _ values: [StoredValue]
    ) throws(PersistenceError) -> Int64? {
        let statement = try PreparedStatement(sql, in: database)
        try statement.bind(values[...], from: 1)
        guard try statement.step() else { return nil }
        let id = statement.integer(0)
        while try statement.step() {}
        return id
    }

    /// Divides a URL after its origin, which many writes share.
    private static func parts(of url: String) -> (origin: String, target: String) {
        guard let scheme = url.range(of: "://"),
            let slash = url[scheme.upperBound...].firstIndex(of: "/")
        else { return ("", url) }
        return (String(url[..<slash]), String(url[slash...]))
    }

    /// Records the write that has inserted rows with consecutive keys.
    func insert(
        _ keys: ClosedRange<Int64>, _ entity: String, _ write: Int64
    ) throws(PersistenceError) {
        let statement = try PreparedStatement(
            "INSERT OR REPLACE INTO \(Self.insertions) VALUES (?1, ?2, ?3, ?4)", in: database)
        let values: [StoredValue] = [
            .integer(keys.lowerBound), .integer(keys.upperBound), .text(entity), .integer(write),
        ]
        try statement.bind(values[...], from: 1)
        _ = try statement.run()
    }

    /// Returns the keys of the writes that have changed properties of rows.
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
    ///
    /// - Returns: The keys of the writes that have inserted or changed them.
    func remove(_ keys: [Int64], _ entity: String) throws(PersistenceError) -> Set<Int64> {
        var writes = try writes(ofRows: keys, entity)
        let statement = try PreparedStatement(
            "DELETE FROM \(Self.name) "
                + "WHERE entity = ?1 AND key IN (SELECT value FROM json_each(?2))", in: database)
        try statement.bind(.text(entity), at: 1)
        try statement.bind(RowQuery.list(keys), at: 2)
        _ = try statement.run()
        var rest = keys.sorted()[...]
        while let key = rest.first {
            guard let range = try insertion(of: key) else {
                rest.removeFirst()
                continue
            }
            writes.insert(range.write)
            let end = rest.firstIndex { $0 > range.keys.upperBound } ?? rest.endIndex
            try remove(Array(rest[..<end]), from: range.keys, entity, range.write)
            rest = rest[end...]
        }
        return writes
    }

    /// Removes sorted keys from a range.
    private func remove(
        _ keys: [Int64], from range: ClosedRange<Int64>, _ entity: String, _ write: Int64
    ) throws(PersistenceError) {
        let removal = try PreparedStatement(
            "DELETE FROM \(Self.insertions) WHERE first = ?1", in: database)
        try removal.bind(.integer(range.lowerBound), at: 1)
        _ = try removal.run()
        var first = range.lowerBound
        for key in keys {
            if key > first { try insert(first...key - 1, entity, write) }
            first = key + 1
        }
        if first <= range.upperBound { try insert(first...range.upperBound, entity, write) }
    }

    /// Returns the write that has inserted a row, with the keys of all rows next to it that it has inserted.
    private func insertion(
        of key: Int64
    ) throws(PersistenceError) -> (keys: ClosedRange<Int64>, write: Int64)? {
        let statement = try PreparedStatement(
            "SELECT first, last, write FROM \(Self.insertions) WHERE first <= ?1 "
                + "ORDER BY first DESC LIMIT 1", in: database)
        try statement.bind(.integer(key), at: 1)
        guard try statement.step(), statement.integer(1) >= key else { return nil }
        return (statement.integer(0)...statement.integer(1), statement.integer(2))
    }

    /// Removes those of some writes that are not the last one of any property.
    func removeUnused(_ writes: Set<Int64>) throws(PersistenceError) {
        if writes.isEmpty { return }
        let statement = try PreparedStatement(
            "DELETE FROM \(Self.writes) WHERE id IN (SELECT value FROM json_each(?1)) "
                + "AND NOT EXISTS (SELECT 1 FROM \(Self.name) WHERE write = \(Self.writes).id) "
                + "AND NOT EXISTS (SELECT 1 FROM \(Self.insertions) WHERE write = \(Self.writes).id)",
            in: database)
        try statement.bind(RowQuery.list(writes.sorted()), at: 1)
        _ = try statement.run()
    }

    // MARK: Reading

    package func explanation(of id: ManagedObjectID) throws(PersistenceError) -> RowExplanation? {
        let (insertion, changes) = try writes(ofRow: id.key, id.entityName)
        if insertion == nil, changes.isEmpty { return nil }
        return RowExplanation(objectID: id, insertion: insertion, changes: changes)
    }

    /// Returns the write that has inserted a row, and the last write of each property that has changed since.
    package func writes(
        ofRow key: Int64, _ entity: String
    ) throws(PersistenceError) -> (
        insertion: RowExplanation.Write?, changes: [String: RowExplanation.Write]
    ) {
        guard try isPresent else { return (nil, [:]) }
        let inserted = try insertion(of: key)
        let statement = try PreparedStatement(
            "SELECT e.property, s.method, s.origin || w.target, s.status, s.version, w.date "
                + "FROM (SELECT property, write FROM \(Self.name) WHERE entity = ?1 AND key = ?2 "
                + "UNION ALL SELECT NULL, ?3 WHERE ?3 IS NOT NULL) AS e "
                + "JOIN \(Self.writes) AS w ON w.id = e.write "
                + "LEFT JOIN \(Self.sources) AS s ON s.id = w.source", in: database)
        try statement.bind(.text(entity), at: 1)
        try statement.bind(.integer(key), at: 2)
        try statement.bind(inserted.map { .integer($0.write) } ?? .null, at: 3)
        var insertion: RowExplanation.Write?
        var changes: [String: RowExplanation.Write] = [:]
        while try statement.step() {
            var response: RowExplanation.Response?
            if case .text(let method) = statement.value(1) {
                response = RowExplanation.Response(
                    method: method, url: statement.value(2).collectionText,
                    status: Int(statement.integer(3)),
                    mappingVersion: statement.value(4).collectionText)
            }
            let write = RowExplanation.Write(
                response: response, date: statement.value(5).collectionDate ?? .distantPast)
            if case .text(let property) = statement.value(0) {
                changes[property] = write
            } else {
                insertion = write
            }
        }
        return (insertion, changes)
    }
}

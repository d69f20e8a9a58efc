// SPDX-License-Identifier: Apache-2.0

import GRDB

/// The position in a source up to which its elements are saved.
struct ImportPosition: Hashable {
    /// The number of saved elements.
    var elementCount = 0
    /// The digest of the bytes before the position, or of a part of them.
    var prefix = ContentDigest.Prefix()
    /// A Boolean value that indicates whether the source is saved entirely.
    var isComplete = false
}

/// The tables with the state of unfinished imports, which are created with the first chunk and
/// removed by finishing.
struct ImportTables {
    private static let positions = "restkit_import"
    private static let connections = "restkit_import_connection"

    let database: Database
    /// The name of the import.
    let name: String

    func create() throws {
        try database.execute(
            sql: """
                CREATE TABLE IF NOT EXISTS \(Self.positions) (name TEXT NOT NULL, \
                source TEXT NOT NULL, elements INTEGER NOT NULL, bytes INTEGER NOT NULL, \
                digest INTEGER NOT NULL, complete INTEGER NOT NULL, \
                PRIMARY KEY (name, source)) STRICT, WITHOUT ROWID; \
                CREATE TABLE IF NOT EXISTS \(Self.connections) (name TEXT NOT NULL, \
                source TEXT NOT NULL, owner INTEGER NOT NULL, entity TEXT NOT NULL, \
                PRIMARY KEY (name, source, owner)) STRICT, WITHOUT ROWID
                """)
    }

    /// A Boolean value that indicates whether the file has an unfinished import.
    var isPresent: Bool { get throws { try database.tableExists(Self.positions) } }

    // MARK: Positions

    /// Returns the positions by source.
    func positions() throws -> [String: ImportPosition] {
        guard try isPresent else { return [:] }
        let rows = try Row.fetchAll(
            database,
            sql: "SELECT source, elements, bytes, digest, complete FROM \(Self.positions) "
                + "WHERE name = ?", arguments: [name])
        var positions: [String: ImportPosition] = [:]
        for row in rows {
            let prefix = ContentDigest.Prefix(
                byteCount: row["bytes"], value: UInt64(bitPattern: row["digest"]))
            positions[row["source"]] = ImportPosition(
                elementCount: row["elements"], prefix: prefix, isComplete: row["complete"])
        }
        return positions
    }

    func set(_ position: ImportPosition, of source: String) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO \(Self.positions) VALUES (?, ?, ?, ?, ?, ?)",
            arguments: [
                name, source, position.elementCount, position.prefix.byteCount,
                Int64(bitPattern: position.prefix.value), position.isComplete,
            ])
    }

    // MARK: Connections

    /// Adds objects that wait for their connections.
    func addConnections(_ keys: [String: [Int64]], of source: String) throws {
        let statement = try database.cachedStatement(
            sql: "INSERT OR REPLACE INTO \(Self.connections) VALUES (?, ?, ?, ?)")
        for (entity, keys) in keys {
            for key in keys {
                try statement.execute(arguments: [name, source, key, entity])
            }
        }
    }

    /// Returns the first objects of a source that wait for their connections, by entity.
    func connections(of source: String, limit: Int) throws -> [String: [Int64]] {
        guard try isPresent else { return [:] }
        let rows = try Row.fetchAll(
            database,
            sql: "SELECT owner, entity FROM \(Self.connections) WHERE name = ? AND source = ? "
                + "ORDER BY owner LIMIT ?", arguments: [name, source, limit])
        var keys: [String: [Int64]] = [:]
        for row in rows { keys[row["entity"], default: []].append(row["owner"]) }
        return keys
    }

    func removeConnections(_ keys: [String: [Int64]], of source: String) throws {
        let statement = try database.cachedStatement(
            sql: "DELETE FROM \(Self.connections) WHERE name = ? AND source = ? AND owner = ?")
        for key in keys.values.joined() {
            try statement.execute(arguments: [name, source, key])
        }
    }

    /// Returns the sources with objects that wait for their connections.
    func connectedSources() throws -> [String] {
        guard try isPresent else { return [] }
        return try String.fetchAll(
            database,
            sql: "SELECT DISTINCT source FROM \(Self.connections) WHERE name = ? ORDER BY 1",
            arguments: [name])
    }

    // MARK: Finishing

    /// Removes the state of the import, and the tables if no other import is unfinished.
    func removeAll() throws {
        guard try isPresent else { return }
        for table in [Self.positions, Self.connections] {
            try database.execute(
                sql: "DELETE FROM \(table) WHERE name = ?", arguments: [name])
        }
        let count = try Int.fetchOne(database, sql: "SELECT count(*) FROM \(Self.positions)")
        guard count == 0 else { return }
        for table in [Self.positions, Self.connections] {
            try database.execute(sql: "DROP TABLE \(table)")
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The file of a store, which is created and validated before the store opens it.
package struct StoreFile {
    let path: String
    let model: ManagedObjectModel
    let configuration: StoreConfiguration
    /// The configuration of connections.
    let connection: Configuration

    /// Creates the file if it does not exist, validates it, and returns its identity.
    func prepare() throws(PersistenceError) -> UUID {
        do {
            if !configuration.isReadOnly {
                TemporaryStoreDirectory.removeAbandonedDirectories(beside: path)
            }
            let isMissing = try PrivateFile.isMissing(path)
            try checkDirectory()
            if isMissing {
                try create()
            } else if !configuration.isReadOnly, unsafe access(path, W_OK) != 0 {
                throw PersistenceError(.readOnly, details: ["the configuration is not read-only"])
            }
            // Read-only, so that a file of another application stays unchanged.
            if try read(path, StoreValidation.isEmpty) {
                if configuration.isReadOnly {
                    throw PersistenceError(.cannotOpen, details: ["the file is empty"])
                }
                try createTables(in: path)
            }
            try migrate(path)
            return try validate(path)
        } catch {
            throw PersistenceError(wrapping: error, at: path)
        }
    }

    /// Checks that SQLite can create its log beside a file that the store writes.
    private func checkDirectory() throws {
        guard !configuration.isReadOnly, PrivateFile.isDirectoryReadOnly(of: path) else { return }
        throw PersistenceError(
            .readOnly,
            details: [
                "the directory cannot be written, in which SQLite creates files beside the database"
            ])
    }

    /// Validates a file that exists, without creating or migrating it, and returns its identity.
    func check() throws(PersistenceError) -> UUID {
        let way = "open it with the asynchronous initializer, which"
        do {
            if try PrivateFile.isMissing(path) {
                throw PersistenceError(
                    .cannotOpen, details: ["the file does not exist", "\(way) creates it"])
            }
            if !configuration.isReadOnly, unsafe access(path, W_OK) != 0 {
                throw PersistenceError(.readOnly, details: ["the configuration is not read-only"])
            }
            if try read(path, StoreValidation.isEmpty) {
                throw PersistenceError(
                    .cannotOpen, details: ["the file is empty", "\(way) creates its tables"])
            }
            return try validate(path)
        } catch {
            var error = PersistenceError(wrapping: error, at: path)
            if error.code == .modelMismatch, configuration.migration.isEnabled {
                error.details.append("\(way) migrates it")
            }
            throw error
        }
    }

    private func create() throws {
        if configuration.isReadOnly {
            throw PersistenceError(.cannotOpen, details: ["the file does not exist"])
        }
        try PrivateFile.createDirectory(of: path)
        if configuration.seed == nil {
            _ = try PrivateFile.create(path)
        } else {
            // Another process that opens the store at the same time may be the first.
            let new = try makeReplacement(firstKey: 1)
            _ = try PrivateFile.moveIfAbsent(new.databasePath, to: path)
            new.remove()
        }
    }

    // MARK: Replacing

    /// Creates a complete file with the initial content, in a directory beside the file of the store.
    ///
    /// - Parameter firstKey: The least key that was not reserved before. Keys that other stores reserve until
    ///   the content is replaced are left out, so that no key denotes another object than before.
    /// - Returns: The directory of the new file, which is removed with the object.
    /// - Throws: ``PersistenceError`` if it cannot be created; no file remains.
    package func makeReplacement(
        firstKey: Int64
    ) throws(PersistenceError) -> TemporaryStoreDirectory {
        do {
            let directory = try TemporaryStoreDirectory(beside: path)
            let replacement = directory.databasePath
            if let seed = configuration.seed {
                try DatabaseCopy.writeSeed(seed, to: replacement, connection)
                do {
                    try migrate(replacement)
                    _ = try validate(replacement)
                } catch {
                    throw PersistenceError(
                        wrapping: error, at: seed.path(percentEncoded: false))
                }
            } else {
                _ = try PrivateFile.create(replacement)
                try createTables(in: replacement)
            }
            try write(replacement) { database in
                try database.execute(
                    sql: "UPDATE restkit_store SET next_key = max(next_key, ?)",
                    arguments: [firstKey == 1 ? 1 : firstKey + KeyReservation.blockSize])
                try OpenFile.renewContentVersion(of: database)
            }
            return directory
        } catch {
            throw PersistenceError(wrapping: error, at: path)
        }
    }

    /// Replaces the file of the store, which has no connection in this process.
    ///
    /// - Throws: ``PersistenceError`` with code `busy` if another process has a connection.
    package func replace(by replacement: TemporaryStoreDirectory) throws(PersistenceError) {
        do {
            // SQLite leaves the mode with a log only on the last connection, and then removes the log.
            try DatabaseQueue(path: path, configuration: connection).writeWithoutTransaction {
                try $0.execute(sql: "PRAGMA journal_mode = DELETE")
            }
        } catch {
            let error = PersistenceError(wrapping: error, at: path)
            if error.code != .corrupt, error.code != .notADatabase { throw error }
        }
        try PrivateFile.removeDatabase(path)
        try PrivateFile.replace(path, by: replacement.databasePath)
    }

    // MARK: The content

    private func validate(_ path: String) throws -> UUID {
        try read(path) { try StoreValidation(model: model).identity(of: $0) }
    }

    /// Migrates a file of another model, if the configuration says so.
    private func migrate(_ path: String) throws {
        guard configuration.migration.isEnabled, !configuration.isReadOnly else { return }
        let migrator = Migrator(model: model, migration: configuration.migration)
        guard try read(path, migrator.isNeeded) else { return }
        let queue = try migrationQueue(path)
        try queue.inTransaction(.exclusive) { database in
            try migrator.run(in: database)
            return .commit
        }
        try queue.close()
    }

    private func migrationQueue(_ path: String) throws -> DatabaseQueue {
        var connection = connection
        connection.readonly = false
        // They are checked at the end, when the tables have their names.
        connection.foreignKeysEnabled = false
        return try DatabaseQueue(path: path, configuration: connection)
    }

    /// Returns the plan of the migration of the file, which stays unchanged.
    ///
    /// Steps that prepare the rows run in a transaction that is rolled back.
    package func migrationPlan() throws -> MigrationPlan {
        if try PrivateFile.isMissing(path) {
            throw PersistenceError(.cannotOpen, details: ["the file does not exist"])
        }
        let migrator = Migrator(model: model, migration: configuration.migration)
        guard try read(path, migrator.hasPreparations) else {
            return try read(path, migrator.plan)
        }
        let queue = try migrationQueue(path)
        var plan = MigrationPlan()
        try queue.inTransaction(.exclusive) { database in
            plan = try migrator.preparedPlan(of: database)
            return .rollback
        }
        try queue.close()
        return plan
    }

    /// Returns the model that a file describes.
    package static func model(at path: String) throws(PersistenceError) -> ManagedObjectModel {
        do {
            if try PrivateFile.isMissing(path) {
                throw PersistenceError(.cannotOpen, details: ["the file does not exist"])
            }
            var configuration = Configuration()
            configuration.readonly = true
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            let stored = try queue.read { database in
                try StoreValidation.checkApplication(of: database)
                try StoreValidation.checkFormat(of: database)
                let json = try String.fetchOne(database, sql: "SELECT model FROM restkit_store")
                return try StoredModel(json: json ?? "")
            }
            try queue.close()
            return try stored.model()
        } catch {
            throw PersistenceError(wrapping: error, at: path)
        }
    }

    private func read<Result>(
        _ path: String, _ body: (Database) throws -> Result
    ) throws -> Result {
        do {
            return try readOnce(path, body)
        } catch let error as DatabaseError
            where configuration.isReadOnly && PrivateFile.isDirectoryReadOnly(of: path)
            && (error.resultCode == .SQLITE_CANTOPEN
                || error.extendedResultCode == .SQLITE_READONLY_DIRECTORY)
        {
            throw PersistenceError(
                .readOnly,
                details: [
                    "the directory cannot be written, in which SQLite would create the log of the "
                        + "file: open a copy that backUp(to:) has written",
                    "SQLite result code \(error.extendedResultCode.rawValue)",
                ])
        } catch let error as DatabaseError
            where error.extendedResultCode == .SQLITE_READONLY_ROLLBACK
        {
            guard !configuration.isReadOnly else {
                throw PersistenceError(
                    .readOnly,
                    details: [
                        "the file has the journal of an interrupted transaction: open it once for "
                            + "writing"
                    ])
            }
            // SQLite rolls the transaction back for a connection that can write.
            let queue = try DatabaseQueue(path: path, configuration: connection)
            _ = try queue.read { try $0.tableExists("restkit_store") }
            try queue.close()
            return try readOnce(path, body)
        }
    }

    private func readOnce<Result>(
        _ path: String, _ body: (Database) throws -> Result
    ) throws -> Result {
        var reading = connection
        reading.readonly = true
        let queue = try DatabaseQueue(path: path, configuration: reading)
        let result = try queue.read(body)
        try queue.close()
        return result
    }

    /// Writes with a rollback journal, so that the file itself is complete.
    private func write(_ path: String, _ body: (Database) throws -> Void) throws {
        let queue = try DatabaseQueue(path: path, configuration: connection)
        try queue.inTransaction(.exclusive) { database in
            try body(database)
            return .commit
        }
        try queue.close()
    }

    private func createTables(in path: String) throws {
        try write(path) { database in
            // Another process may have been first.
            guard try StoreValidation.isEmpty(database) else { return }
            try database.execute(sql: "PRAGMA application_id = \(SchemaPlan.applicationID)")
            try database.execute(sql: SchemaPlan.metadataTable)
            for statement in model.schema.statements { try database.execute(sql: statement) }
            try database.execute(
                sql: """
                    INSERT INTO restkit_store (identity, format, model, next_key) VALUES (?, ?, ?, 1)
                    """,
                arguments: [
                    UUID().uuidString.lowercased(), SchemaPlan.formatVersion,
                    try StoredModel(model).json(),
                ])
        }
    }
}

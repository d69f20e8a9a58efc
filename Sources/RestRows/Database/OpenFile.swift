// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The file of an open store, which other programs can remove, replace or migrate, and other stores reset.
///
/// SQLite writes to a removed file as long as it is open, and the process would be the only one that sees
/// what it writes. It also writes the columns that a changed table still has. So each transaction that
/// writes checks the file first, and each read checks the content: it would show the rows of another user.
struct OpenFile: Sendable {
    /// A file that other names may have as well.
    private struct Identity: Hashable {
        let device: UInt64
        let number: UInt64

        /// Creates the identity of the file at a path; `nil` if there is none.
        init?(_ path: String) {
            var status = stat()
            guard unsafe stat(path, &status) == 0 else { return nil }
            device = UInt64(truncatingIfNeeded: status.st_dev)
            number = UInt64(truncatingIfNeeded: status.st_ino)
        }
    }

    private struct State {
        /// The write-ahead log, once it was seen.
        var log: Identity?
        /// The version of the schema that was compared with the model.
        var schemaVersion: Int?
    }

    private final class Checked: Sendable {
        let state = Mutex(State())
    }

    private let path: String
    private let model: ManagedObjectModel
    private let identity: Identity?
    private let contentVersion: Int32
    private let checked = Checked()

    /// Creates the file of a store with its content at present.
    init(_ path: String, model: ManagedObjectModel, in database: Database) throws {
        self.path = path
        self.model = model
        identity = Identity(path)
        contentVersion = try Self.contentVersion(of: database)
    }

    /// Returns the number that a reset changes.
    private static func contentVersion(of database: Database) throws -> Int32 {
        try Int32.fetchOne(database.cachedStatement(sql: "PRAGMA user_version")) ?? 0
    }

    /// Gives the content of a database a number that no earlier content is likely to have.
    static func renewContentVersion(of database: Database) throws {
        try database.execute(sql: "PRAGMA user_version = \(Int32.random(in: 1 ... .max))")
    }

    /// Checks in a transaction that the content is that with which the store was opened.
    ///
    /// - Throws: ``PersistenceError`` with code `fileChanged`.
    func checkContent(in database: Database) throws {
        if try Self.contentVersion(of: database) == contentVersion { return }
        throw PersistenceError(
            .fileChanged, details: ["another store has reset the file while this one was open"])
    }

    /// Checks that the file is at its path and has the model of the store, in a transaction.
    ///
    /// - Throws: ``PersistenceError`` with code `fileChanged`.
    func check(in database: Database) throws {
        if isRemoved { throw removed() }
        try checkContent(in: database)
        let version = try Int.fetchOne(
            database.cachedStatement(sql: "PRAGMA schema_version"))
        if checked.state.withLock({ $0.schemaVersion == version }) { return }
        if let error = try Self.migrated(database, model) { throw error }
        checked.state.withLock { $0.schemaVersion = version }
    }

    /// Returns the error that says what happened to the file, if that is the cause of another error.
    ///
    /// - Parameters:
    ///   - error: The error of an access.
    ///   - configuration: The configuration of connections.
    /// - Returns: An error with code `fileChanged`, or the given one.
    func explaining(_ error: PersistenceError, _ configuration: Configuration) -> PersistenceError {
        let codes: [PersistenceError.Code] = [
            .databaseFailure, .constraintViolation, .cannotOpen, .ioFailure, .corrupt, .readOnly,
        ]
        guard codes.contains(error.code) else { return error }
        var cause: PersistenceError?
        if isRemoved {
            cause = removed()
        } else {
            var reading = configuration
            reading.readonly = true
            // A connection of its own, as the error may be one of a closure on that of the pool.
            let queue = try? DatabaseQueue(path: path, configuration: reading)
            cause = (try? queue?.read { try Self.migrated($0, model) }) ?? nil
            try? queue?.close()
        }
        guard var cause else { return error }
        cause.underlying = error
        cause.path = path
        return cause
    }

    /// A Boolean value that indicates whether the file, or its log, is no longer the one at the path.
    var isRemoved: Bool {
        guard let identity, Identity(path) == identity else { return true }
        let log = Identity(path + "-wal")
        return checked.state.withLock { state in
            guard let known = state.log else {
                state.log = log
                return false
            }
            return log != known
        }
    }

    func removed() -> PersistenceError {
        PersistenceError(
            .fileChanged,
            details: ["another program has removed or replaced the file while the store was open"])
    }

    /// Returns the error of a database with another model; `nil` if it has the model.
    private static func migrated(
        _ database: Database, _ model: ManagedObjectModel
    ) throws -> PersistenceError? {
        let json = try String.fetchOne(database, sql: "SELECT model FROM restkit_store")
        let differences = SchemaDescription.differences(
            file: try StoredModel(json: json ?? "").facts, model: StoredModel(model).facts)
        if differences.isEmpty { return nil }
        return PersistenceError(
            .fileChanged,
            details: ["another program has migrated the file while the store was open"]
                + differences)
    }
}

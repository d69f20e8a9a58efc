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

/// Creates or validates the file of a store before the store opens it.
struct StoreFile {
    let path: String
    let model: ManagedObjectModel
    let configuration: Configuration

    /// Creates the file if it does not exist, validates it, and returns its identity.
    func prepare() throws(PersistenceError) -> UUID {
        if try isMissing() { try createFile() }
        do {
            // Read-only, so that a file of another application stays unchanged.
            var reading = configuration
            reading.readonly = true
            let isEmpty = try DatabaseQueue(path: path, configuration: reading).read(isEmpty)
            if isEmpty {
                // With a rollback journal, so that the application ID is in the file itself.
                let queue = try DatabaseQueue(path: path, configuration: configuration)
                try queue.inTransaction(.exclusive) { database in
                    if try self.isEmpty(database) { try create(in: database) }
                    return .commit
                }
                try queue.close()
            }
            return try DatabaseQueue(path: path, configuration: reading).read(check)
        } catch {
            throw PersistenceError(wrapping: error)
        }
    }

    // MARK: The file

    private func isMissing() throws(PersistenceError) -> Bool {
        var isDirectory: ObjCBool = false
        guard unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            return true
        }
        if isDirectory.boolValue {
            throw PersistenceError(.cannotOpen, details: ["the path is a directory"])
        }
        return false
    }

    /// Creates the file for its owner only; SQLite gives its journal files the same permissions.
    private func createFile() throws(PersistenceError) {
        let directory = (path as NSString).deletingLastPathComponent
        if !directory.isEmpty, unsafe mkdir(directory, 0o700) != 0, errno != EEXIST {
            throw PersistenceError(.cannotOpen, details: ["the directory cannot be created"])
        }
        let descriptor = unsafe open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 || errno == EEXIST else {
            throw PersistenceError(.cannotOpen, details: ["the file cannot be created"])
        }
        if descriptor >= 0 { close(descriptor) }
    }

    // MARK: The content

    private func isEmpty(_ database: Database) throws -> Bool {
        try Int.fetchOne(database, sql: "PRAGMA application_id") == 0
            && Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema") == 0
    }

    private func create(in database: Database) throws {
        try database.execute(sql: "PRAGMA application_id = \(SchemaPlan.applicationID)")
        try database.execute(sql: SchemaPlan.metadataTable)
        for statement in model.schema.statements { try database.execute(sql: statement) }
        try database.execute(
            sql:
                "INSERT INTO restkit_store (identity, format, model, next_key) VALUES (?, ?, ?, 1)",
            arguments: [
                UUID().uuidString.lowercased(), SchemaPlan.formatVersion, model.fingerprint,
            ])
    }

    private func check(_ database: Database) throws -> UUID {
        let applicationID = try Int32.fetchOne(database, sql: "PRAGMA application_id")
        guard applicationID == SchemaPlan.applicationID else {
            throw PersistenceError(.wrongApplicationID)
        }
        let row = try Row.fetchOne(
            database, sql: "SELECT identity, format, model FROM restkit_store")
        guard let row, let identity = UUID(uuidString: row["identity"]) else {
            throw PersistenceError(.corrupt, details: ["the row of restkit_store is missing"])
        }
        guard row["format"] == SchemaPlan.formatVersion else {
            throw PersistenceError(.unsupportedFormat)
        }
        guard row["model"] == model.fingerprint else {
            throw PersistenceError(
                .modelMismatch,
                details: ["the file was created for another model; migration is not available"])
        }
        return identity
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB

/// The validation of a database file before a store uses it.
struct StoreValidation {
    let model: ManagedObjectModel

    /// Returns a Boolean value that indicates whether a database has neither an application nor tables.
    static func isEmpty(_ database: Database) throws -> Bool {
        try Int.fetchOne(database, sql: "PRAGMA application_id") == 0
            && Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema") == 0
    }

    /// Returns the identity of a store after checking application, format, model and tables, in this
    /// order.
    func identity(of database: Database) throws -> UUID {
        try Self.checkApplication(of: database)
        try Self.checkFormat(of: database)
        let row = try Row.fetchOne(database, sql: "SELECT identity, model FROM restkit_store")
        guard let row, let identity = UUID(uuidString: row["identity"]) else {
            throw PersistenceError(.corrupt, details: ["the row of restkit_store is missing"])
        }
        let stored = try StoredModel(json: row["model"])
        let differences = SchemaDescription.differences(
            file: stored.facts, model: StoredModel(model).facts)
        guard differences.isEmpty else {
            throw PersistenceError(.modelMismatch, details: differences)
        }
        let changes = try SchemaInspection.differences(of: database, model.schema)
        guard changes.isEmpty else { throw PersistenceError(.unexpectedSchema, details: changes) }
        return identity
    }

    /// Checks that the database is that of a store.
    static func checkApplication(of database: Database) throws {
        let id = try Int32.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        guard id != SchemaPlan.applicationID else { return }
        func hexadecimal(_ id: Int32) -> String { "0x" + String(UInt32(bitPattern: id), radix: 16) }
        throw PersistenceError(
            .wrongApplicationID,
            details: [
                "its application_id is \(hexadecimal(id)), that of a store is "
                    + hexadecimal(SchemaPlan.applicationID)
            ])
    }

    /// Checks the format alone first, as other columns may differ in another format.
    static func checkFormat(of database: Database) throws {
        guard try database.tableExists("restkit_store") else {
            throw PersistenceError(.corrupt, details: ["the table restkit_store is missing"])
        }
        let format = try Int64.fetchOne(database, sql: "SELECT format FROM restkit_store")
        guard let format else {
            throw PersistenceError(.corrupt, details: ["the row of restkit_store is missing"])
        }
        guard format == SchemaPlan.formatVersion else {
            throw PersistenceError(
                .unsupportedFormat,
                details: [
                    "the file has format \(format), this version of the library reads format "
                        + "\(SchemaPlan.formatVersion)"
                ])
        }
    }
}

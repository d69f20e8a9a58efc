// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Synchronization

@testable import RestPersistence

extension TemporaryStore {
    func open(_ configuration: StoreConfiguration) async throws -> ManagedObjectStore {
        try await ManagedObjectStore(
            at: file, model: ManagedObjectModel(Self.airportEntities), configuration: configuration)
    }

    /// Returns the names of the files in the directory.
    var names: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(
                atPath: directory.path(percentEncoded: false)
            ).sorted()
        }
    }
}

extension ManagedObjectStore {
    @discardableResult
    func insertAirline(_ code: String) async throws -> ManagedObjectID {
        try await perform { context in
            let airline = try context.insert(Airline.self)
            airline.code = code
            try context.save()
            return airline.objectID
        }
    }

    func insertAirlines(_ codes: [String]) async throws {
        try await perform { context in
            for code in codes { try context.insert(Airline.self).code = code }
            try context.save()
        }
    }

    func airlineCodes() async throws -> [String] {
        try await perform { try $0.fetch(Airline.self, orderBy: \.code).map(\.code) }
    }

    /// Calls a closure with a reading connection, and returns the statements that it ran.
    func tracing<Result>(
        _ body: (Database) throws -> Result
    ) throws -> (result: Result, statements: [String]) {
        try database.read { database in
            let statements = Mutex<[String]>([])
            database.trace { event in
                let text = "\(event)"
                statements.withLock { $0.append(text) }
            }
            defer { database.trace() }
            let result = try body(database)
            return (result, statements.withLock(\.self))
        }
    }

    /// Changes a setting of the writing connection.
    func setPragma(_ name: String, _ value: Int) throws {
        try database.write { try $0.execute(sql: "PRAGMA \(name) = \(value)") }
    }

    /// Returns a setting of the writing connection.
    func pragma(_ name: String) throws -> Int? {
        try database.write { try Int.fetchOne($0, sql: "PRAGMA \(name)") }
    }

    /// Runs statements with a connection that has the defaults of SQLite, in one transaction.
    static func executeByDefault(_ statements: String...) throws {
        try DatabaseQueue().write { for sql in statements { try $0.execute(sql: sql) } }
    }

    /// Runs statements with the writing connection, in one transaction.
    func execute(_ statements: String...) throws {
        try database.write { for sql in statements { try $0.execute(sql: sql) } }
    }

    /// Returns a setting of the writing connection, of a reading one, and of one of a context.
    func pragmas(_ name: String) throws -> [Int?] {
        func value(_ database: Database) throws -> Int? {
            try Int.fetchOne(database, sql: "PRAGMA \(name)")
        }
        return [
            try database.write(value), try database.read(value),
            try database.makeReader().read(value),
        ]
    }
}

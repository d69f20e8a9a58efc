// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import RestPersistence

/// A store file in a temporary directory, which is deleted with this object.
final class TemporaryStore: Sendable {
    let directory: URL
    var file: URL { directory.appending(path: "objects.sqlite") }

    static let airportEntities: [any ManagedEntity.Type] = [
        Airport.self, Terminal.self, City.self, Mayor.self, Airline.self,
    ]

    init() throws {
        directory = FileManager.default.temporaryDirectory
            .appending(path: "RestPersistenceTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    func open() async throws -> ManagedObjectStore {
        try await ManagedObjectStore(at: file, model: ManagedObjectModel(Self.airportEntities))
    }

    func open(_ entities: [EntityDescription]) async throws -> ManagedObjectStore {
        try await ManagedObjectStore(at: file, model: ManagedObjectModel(entities))
    }

    /// Returns a connection of another program.
    func observer() throws -> FileObserver {
        FileObserver(connection: try DatabaseQueue(path: file.path))
    }

    /// Runs a statement by another connection, without checks of foreign keys.
    ///
    /// It waits for the store, which reserves keys in the background.
    func execute(_ sql: String) throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        configuration.busyMode = .timeout(10)
        try DatabaseQueue(path: file.path, configuration: configuration).write {
            try $0.execute(sql: sql)
        }
    }

    /// Returns the rows of a query by another connection to the file or to a copy of it.
    func rows(_ sql: String, in copy: URL? = nil) throws -> [[String]] {
        try DatabaseQueue(path: (copy ?? file).path).read { database in
            try Row.fetchAll(database, sql: sql).map { row in
                row.databaseValues.map {
                    $0.isNull ? "-" : String(describing: $0.storage.value ?? "")
                }
            }
        }
    }
}

struct FileObserver {
    let connection: DatabaseQueue

    /// Returns a number that changes when another connection commits.
    func dataVersion() throws -> Int? {
        try connection.read { try Int.fetchOne($0, sql: "PRAGMA data_version") }
    }
}

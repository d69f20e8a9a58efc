// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import RestPersistence

/// A store file in a directory of its own, removed with this value.
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

    /// What another program reads from the file.
    func rows(_ sql: String) throws -> [[String]] {
        try DatabaseQueue(path: file.path).read { database in
            try Row.fetchAll(database, sql: sql).map { row in
                row.databaseValues.map {
                    $0.isNull ? "-" : String(describing: $0.storage.value ?? "")
                }
            }
        }
    }
}

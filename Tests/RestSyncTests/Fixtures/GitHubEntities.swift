// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import RestKit
import RestTesting
import TestSupport

@Entity final class Issue: ManagedObject {
    @Identity var id: Int
    var number: Int
    var title: String
    var state: String
    @MappedKey("created_at") var createdAt: Date
    @MappedKey("closed_at") var closedAt: Date?
    @MappedKey("locked") var isLocked: Bool = false
    var user: User?
    @Inverse("assignedIssues") var assignees: Set<User>
}

@Entity final class User: ManagedObject {
    @Identity var id: Int
    var login: String
    @MappedKey("site_admin") var isAdmin: Bool = false
    @Inverse(\Issue.user) var issues: Set<Issue>
    @Inverse(\Issue.assignees) var assignedIssues: Set<Issue>
}

/// A store in a temporary directory, which is deleted with this object.
final class TemporaryStore: Sendable {
    let directory: URL
    let store: ManagedObjectStore

    init(
        _ entities: [any ManagedEntity.Type] = [Issue.self, User.self],
        configuration: StoreConfiguration = StoreConfiguration()
    ) async throws {
        directory = FileManager.default.temporaryDirectory
            .appending(path: "RestSyncTests-\(UUID().uuidString)")
        store = try await ManagedObjectStore(
            at: directory.appending(path: "objects.sqlite"), model: ManagedObjectModel(entities),
            configuration: configuration)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    /// Returns the rows of a query by another connection, one line each.
    func rows(_ sql: String) throws -> [String] {
        try DatabaseQueue(path: store.url.path).read { database in
            try Row.fetchAll(database, sql: sql).map { row in
                row.databaseValues.map {
                    $0.isNull ? "-" : String(describing: $0.storage.value ?? "")
                }.joined(separator: "|")
            }
        }
    }

    /// Returns a connection of another program.
    func observer() throws -> FileObserver {
        FileObserver(connection: try DatabaseQueue(path: store.url.path))
    }

    /// The number of bytes of the log.
    var logSize: Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: store.url.path + "-wal")
        return attributes?[.size] as? Int ?? 0
    }

    /// Runs statements by another connection.
    ///
    /// It waits for the store, which reserves keys in the background.
    func execute(_ sql: String) throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        try DatabaseQueue(path: store.url.path, configuration: configuration).write {
            try $0.execute(sql: sql)
        }
    }
}

/// A connection of another program.
struct FileObserver {
    let connection: DatabaseQueue

    /// Returns a number that changes when another connection commits.
    func dataVersion() throws -> Int? {
        try connection.read { try Int.fetchOne($0, sql: "PRAGMA data_version") }
    }
}

/// Returns an object manager for a loopback server.
func manager(
    at baseURL: String, limits: TransportLimits = .default
) throws -> ObjectManager {
    var client = try HTTPClient(baseURL: baseURL)
    client.limits = limits
    return ObjectManager(client: client)
}

/// Gets issues from a loopback server that answers with a document.
func getIssues(_ json: String, into store: ManagedObjectStore) async throws -> ManagedResult {
    try await LoopbackServer.run({ _ in .json(json) }) { server in
        let api = try manager(at: server.baseURL)
        try api.add(ResponseDescriptor(Issue.self, at: "issues", keyPath: "issues"))
        return try await api.getObjects(Issue.self, at: "issues", into: store)
    }
}

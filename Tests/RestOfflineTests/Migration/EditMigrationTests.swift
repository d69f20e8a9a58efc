// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import RestKit
import RestOffline
import RestTesting
import Testing

private enum First {
    @Entity final class Memo: ManagedObject {
        @Identity var id: Int?
        var title: String = ""
        var text: String = ""
        var color: String = ""
    }
}

private enum Second {
    @Entity final class Memo: ManagedObject {
        @Identity var id: Int?
        @Renamed(from: "title") var headline: String = ""
        var text: String = ""
    }
}

/// The edits of a file that is opened with another model.
@MainActor @Suite struct EditMigrationTests {
    private static func api(_ server: SimulatedAPI) throws -> ObjectManager {
        let client = try HTTPClient(
            baseURL: "https://memos.example.com/", transport: server)
        return try ObjectManager(client: client, requestFormat: .json)
    }

    private static func rows(_ file: URL, _ sql: String) throws -> [String] {
        try DatabaseQueue(path: file.path).read { database in
            try Row.fetchAll(database, sql: sql).map { row in
                row.databaseValues.map {
                    $0.isNull ? "-" : String(describing: $0.storage.value ?? "")
                }.joined(separator: "|")
            }
        }
    }

    @Test("renamed or removed column with edits → migrates or is quarantined, opens")
    func renamedPropertyIsSentAndRemovedOneQuarantined() async throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "EditMigrationTests-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let file = directory.appending(path: "memos.sqlite")
        let server = SimulatedAPI()
        server.put("memos", 1, ["title": "A", "text": "x", "color": "red"])
        var configuration = OfflineFixture.quick
        configuration.startsPaused = true

        let first = try await ManagedObjectStore(at: file, entities: First.Memo.self)
        let api = try Self.api(server)
        try api.add(Route(First.Memo.self, "memos/:id"))
        let outbox = try await Outbox(store: first, manager: api, configuration: configuration) {
            Sends(First.Memo.self)
        }
        _ = try await api.getObjects(First.Memo.self, at: "memos", into: first)
        try await first.perform { context in
            let memo = try context.first(First.Memo.self, where: { $0.id == 1 })
            memo?.title = "B"
            memo?.color = "blue"
            try context.save()
        }
        await outbox.close()
        try first.close()
        try await DatabaseQueue(path: file.path).write { database in
            try database.execute(
                sql: """
                    INSERT INTO restkit_merge (entry, key, entity, date, base, local, server, result) \
                    SELECT 0, key, entity, 0, v, v, v, v FROM restkit_edit, (SELECT \
                    '{"title":"A","color":"red"}' v UNION ALL \
                    SELECT '{"color":"red"}')
                    """)
        }

        var migrating = StoreConfiguration()
        migrating.migration = .automatic([.discard("Memo.color")])
        let second = try await ManagedObjectStore(
            at: file, entities: Second.Memo.self, configuration: migrating)
        #expect(
            try Self.rows(file, "SELECT property, value FROM restkit_base ORDER BY property")
                == ["headline|A"])
        let renamed = try Self.api(server)
        try renamed.add(Route(Second.Memo.self, "memos/:id"))
        let later = try await Outbox(
            store: second, manager: renamed, configuration: OfflineFixture.quick
        ) {
            Sends(Second.Memo.self)
        }
        let summary = try await later.drain()
        #expect(server.value("memos", 1, "headline") == .string("B"))
        #expect(server.value("memos", 1, "color") == .string("red"))
        #expect(summary.quarantinedCount == 1)
        #expect(summary.unsentCount == 1)
        let kept = try await later.entries()
        #expect(kept.map(\.values) == [#"{"color":"blue"}"#])
        await later.close()
        try second.close()
        let merges = try Self.rows(file, "SELECT base, local, server, result FROM restkit_merge")
        // The record of a merge follows the model as well.
        let image = #"{"headline":"A"}"#
        #expect(merges == [Array(repeating: image, count: 4).joined(separator: "|")])
    }
}

// SPDX-License-Identifier: Apache-2.0

#if Macros && (os(Linux) || os(macOS))
import Foundation
import GRDB
import RestDocument
import RestMapping
import RestPersistence
import Testing

@Entity final class Harbour: ManagedObject {
    @Identity var code: String
    var name: String
    var openedAt: Date?
    var tags: [String] = []
    @Inverse(\Pier.harbour) var piers: [Pier]
    var ferries: Set<Ferry>
}

@Entity final class Pier: ManagedObject {
    @Identity var id: Int
    var harbour: Harbour?
}

@Entity class Ferry: ManagedObject {
    @Identity var id: Int
}

@Entity final class CarFerry: Ferry {
    var cars: Int
}

/// A row of the table, as a program without this library declares it.
private struct HarbourRecord: Codable, FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "Harbour"

    enum CodingKeys: String, CodingKey {
        case key = "restkit_key"
        case code
        case name
        case openedAt
        case tags
    }

    var key: Int64?
    var code: String
    var name: String
    var openedAt: String?
    var tags: String

    mutating func willInsert(_ database: Database) throws {
        key = try Int64.fetchOne(
            database,
            sql: "UPDATE restkit_store SET next_key = next_key + 1 RETURNING next_key - 1")
    }
}

/// The claims of the article "The same file in other programs".
@Suite struct SharedFileTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private func openStore() async throws -> ManagedObjectStore {
        try await ManagedObjectStore(
            at: files.file, entities: Harbour.self, Pier.self, Ferry.self, CarFerry.self)
    }

    private func shell(_ sql: String) throws -> [String] {
        try SQLiteShell.run(sql, in: files.file)
    }

    @Test func tablesHaveDocumentedColumns() async throws {
        let store = try await openStore()
        func columns(_ table: String) throws -> [String] {
            try shell("SELECT name, type, \"notnull\" FROM pragma_table_info('\(table)')")
        }
        #expect(
            try columns("Harbour") == [
                "restkit_key|INTEGER|0", "code|TEXT|1", "name|TEXT|1", "openedAt|TEXT|0",
                "tags|TEXT|1",
            ])
        #expect(
            try columns("Pier") == [
                "restkit_key|INTEGER|0", "id|INTEGER|1", "harbour|INTEGER|0",
                "restkit_position_harbour|INTEGER|0",
            ])
        #expect(
            try columns("Ferry") == [
                "restkit_key|INTEGER|0", "id|INTEGER|1", "cars|INTEGER|0", "restkit_entity|TEXT|1",
            ])
        #expect(try columns("Harbour_ferries") == ["source|INTEGER|1", "target|INTEGER|1"])
        #expect(
            try shell(
                """
                SELECT "table", "from", "to", on_delete FROM pragma_foreign_key_list('Pier');
                SELECT "table", "from", "to", on_delete
                FROM pragma_foreign_key_list('Harbour_ferries') ORDER BY 2
                """) == [
                    "Harbour|harbour|restkit_key|SET NULL", "Harbour|source|restkit_key|CASCADE",
                    "Ferry|target|restkit_key|CASCADE",
                ])
        #expect(
            try shell("SELECT name FROM pragma_index_list('Harbour')") == [
                "restkit_identity_Harbour"
            ])
        #expect(try shell("PRAGMA journal_mode; PRAGMA application_id") == ["wal", "1383287668"])
        try store.close()
    }

    @Test func valuesHaveDocumentedForm() async throws {
        let store = try await openStore()
        try await store.perform { context in
            let harbour = try Harbour.insert(into: context, code: "BGO", name: "Bergen")
            harbour.openedAt = Date(timeIntervalSince1970: 1_714_564_800.5)
            harbour.tags = ["north", "deep \"sea\""]
            harbour.piers = try [7, 3].map { try Pier.insert(into: context, id: $0) }
            let ferry = try CarFerry.insert(into: context, cars: 40)
            ferry.id = 1
            harbour.ferries = [ferry]
            try context.save()
        }
        #expect(
            try shell("SELECT code, openedAt, tags, json_array_length(tags) FROM Harbour") == [
                #"BGO|2024-05-01T12:00:00.500000Z|["north","deep \"sea\""]|2"#
            ])
        #expect(
            try shell(
                """
                SELECT p.id FROM Pier p JOIN Harbour h ON p.harbour = h.restkit_key
                WHERE h.code = 'BGO' ORDER BY p.restkit_position_harbour, p.restkit_key
                """) == ["7", "3"])
        #expect(
            try shell(
                """
                SELECT f.restkit_entity, f.cars FROM Harbour_ferries j
                JOIN Harbour h ON h.restkit_key = j.source
                JOIN Ferry f ON f.restkit_key = j.target
                """) == ["CarFerry|40"])
        // Keys are unique in the file, not only in a table.
        let keys = try shell(
            """
            SELECT restkit_key FROM Harbour UNION ALL SELECT restkit_key FROM Pier
            UNION ALL SELECT restkit_key FROM Ferry
            """)
        #expect(Set(keys).count == 4)
    }

    @Test func recordsOfGRDBReadAndWriteTable() async throws {
        let store = try await openStore()
        try await store.perform { context in
            _ = try Harbour.insert(into: context, code: "OSL", name: "Oslo")
            try context.save()
        }
        var snapshots = store.values(Harbour.Values.self, orderBy: \.code).makeAsyncIterator()
        #expect(try await snapshots.next()?.values.map(\.name) == ["Oslo"])
        let queue = try DatabaseQueue(path: files.file.path(percentEncoded: false))
        try await queue.write { database in
            var oslo = try #require(try HarbourRecord.fetchOne(database))
            oslo.name = "Oslo harbour"
            try oslo.update(database)
            var bergen = HarbourRecord(
                code: "BGO", name: "Bergen", openedAt: "2024-05-01T12:00:00.000000Z",
                tags: #"["north"]"#)
            try bergen.insert(database)
        }
        let values = try #require(try await snapshots.next()).values
        #expect(values.map(\.name) == ["Bergen", "Oslo harbour"])
        #expect(values.map(\.tags) == [["north"], []])
        #expect(values[0].openedAt == Date(timeIntervalSince1970: 1_714_564_800))
        // New objects have other keys, and imports find the row by its identity.
        let document = try Document(
            parsing: #"[{"code": "BGO", "name": "Bergen"}, {"code": "SVG", "name": "Stavanger"}]"#)
        let plan = try EntityMappingPlan(EntityMapping(Harbour.self), in: store.model)
        let result = try await store.importObjects(from: document.root, by: plan)
        #expect((result.total.found, result.total.inserted) == (1, 1))
        #expect(try await store.checkIntegrity() == [])
    }

    @Test func contextReadsRowsOfShellAfterRefresh() async throws {
        let store = try await openStore()
        let context = store.makeContext()
        let harbour = try Harbour.insert(into: context, code: "OSL", name: "Oslo")
        try await context.save()
        _ = try shell(
            """
            PRAGMA foreign_keys = ON;
            BEGIN IMMEDIATE;
            UPDATE Harbour SET name = 'Oslo harbour';
            UPDATE restkit_store SET next_key = next_key + 1;
            INSERT INTO Pier (restkit_key, id, harbour)
            SELECT next_key - 1, 5, (SELECT restkit_key FROM Harbour WHERE code = 'OSL')
            FROM restkit_store;
            COMMIT
            """)
        context.refreshAllObjects()
        #expect(harbour.name == "Oslo harbour")
        // A row without a position is behind the others.
        #expect(harbour.piers.map(\.id) == [5])
        harbour.piers.append(try Pier.insert(into: context, id: 6))
        try await context.save()
        #expect(try shell("SELECT id FROM Pier ORDER BY restkit_position_harbour") == ["5", "6"])
        #expect(try await store.checkIntegrity() == [])
    }

    @Test(arguments: [
        "CREATE VIEW names AS SELECT name FROM Harbour",
        "CREATE TRIGGER t AFTER INSERT ON Harbour BEGIN SELECT 1; END",
        "ALTER TABLE Harbour ADD COLUMN extra TEXT",
        "CREATE UNIQUE INDEX extra ON Harbour (name)",
        "DROP INDEX restkit_identity_Harbour",
    ])
    func refusesAlteredSchema(_ sql: String) async throws {
        try await openStore().close()
        _ = try shell(sql)
        // GRDB has an error type of the same name.
        let error = await #expect(throws: RestPersistence.PersistenceError.self) {
            _ = try await openStore()
        }
        #expect(error?.code == .unexpectedSchema)
    }

    @Test func acceptsTablesAndIndexesOfOthers() async throws {
        try await openStore().close()
        _ = try shell("CREATE TABLE notes (text); CREATE INDEX names ON Harbour (name)")
        let store = try await openStore()
        #expect(try await store.checkIntegrity() == [])
    }
}
#endif

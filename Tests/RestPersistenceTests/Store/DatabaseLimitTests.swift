// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import RestPersistence
import TestSupport
import Testing

/// The limits of SQLite, which are not met or are errors before the database is used.
@Suite struct DatabaseLimitTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private static func attributes(
        _ count: Int, prefix: String = "a", isSearchable: Bool = false
    ) -> [AttributeDescription] {
        (0..<count).map {
            AttributeDescription(
                "\(prefix)\($0)", .integer, isOptional: true, isSearchable: isSearchable)
        }
    }

    @Test(.threat("T69")) func refusesMoreColumnsThanPossible() throws {
        let error = #expect(throws: PersistenceError.self) {
            try ManagedObjectModel([EntityDescription("Wide", attributes: Self.attributes(2_000))])
        }
        #expect(error?.code == .invalidModel)
        #expect(
            error?.details == [
                "the table of Wide and its sub-entities has 2001 columns, and SQLite allows 2000"
            ])
        // A hierarchy has one table, with a column for the name of the entity.
        let hierarchy = #expect(throws: PersistenceError.self) {
            try ManagedObjectModel([
                EntityDescription("Root", attributes: Self.attributes(1_000)),
                EntityDescription(
                    "Leaf", inheriting: "Root", attributes: Self.attributes(999, prefix: "b")),
            ])
        }
        #expect(hierarchy?.details.first?.contains("has 2001 columns") == true)
    }

    @Test(.threat("T69")) func refusesTooManySearchableAttributes() async throws {
        let error = #expect(throws: PersistenceError.self) {
            try ManagedObjectModel([
                EntityDescription("Wide", attributes: Self.attributes(64, isSearchable: true))
            ])
        }
        #expect(error?.details.first?.contains("64 searchable attributes") == true)
        let store = try await files.open([
            EntityDescription("Wide", attributes: Self.attributes(63, isSearchable: true))
        ])
        let found = try await store.perform { context in
            try context.insert(entity: "Wide").setValue(7 as Int?, "a62")
            try context.save()
            return try context.search("Wide", .all("7")).count
        }
        #expect(found == 1)
    }

    /// An expression has at most 1,000 levels.
    @Test(.threat("T69")) func updatesAllColumnsOfWideRow() async throws {
        let count = 1_990
        let store = try await files.open([
            EntityDescription(
                "Wide",
                attributes: [AttributeDescription("id", .integer, isIdentity: true)]
                    + Self.attributes(count))
        ])
        func set(_ value: Int?) async throws -> SaveReport {
            try await store.perform { context in
                let object = try context.fetch(FetchRequest("Wide")).first
                let wide = try object ?? context.insert(entity: "Wide")
                try wide.setValue(1, "id")
                for number in 0..<count { try wide.setValue(value, "a\(number)") }
                return try context.save()
            }
        }
        #expect(try await set(1) == SaveReport(inserted: 1))
        #expect(try await set(2) == SaveReport(updated: 1))
        #expect(try await set(2).updated == 0)
        let columns = try files.rows("SELECT * FROM Wide")
        #expect(columns.first.map { Set($0.dropFirst(2)) } == ["2"])
        #expect(columns.first?.count == count + 2)

        let mapping = ObjectMapping(defaultFor: try #require(store.model.properties(of: "Wide")))
        let plan = try EntityMappingPlan(EntityMapping(mapping), in: store.model)
        func load(_ value: String) async throws -> SaveReport {
            let members = (0..<count).map { "\"a\($0)\":\(value)" }.joined(separator: ",")
            let document = try Document(parsing: "{\"id\":1,\(members)}")
            return try await store.perform { context in
                _ = try context.importObjects(from: document.root, by: plan)
                return try context.save()
            }
        }
        #expect(try await load("3").updated == 1)
        let observer = try files.observer()
        let version = try observer.dataVersion()
        #expect(try await load("3").updated == 0)
        #expect(try observer.dataVersion() == version)
        #expect(try await load("null").updated == 1)
        let cleared = try files.rows("SELECT * FROM Wide")
        #expect(cleared.first.map { Set($0.dropFirst(2)) } == ["-"])
    }

    /// A statement has at most 32,766 parameters.
    @Test(.threat("T69"), arguments: [1, 2, 150]) func findsManyIdentitiesAtOnce(_ width: Int)
        async throws
    {
        let count = width == 150 ? 300 : 33_000
        let store = try await files.open([
            EntityDescription(
                "Item",
                attributes: (0..<width).map {
                    AttributeDescription("k\($0)", .integer, isIdentity: true)
                })
        ])
        let mapping = ObjectMapping(
            defaultFor: try #require(store.model.properties(of: "Item")))
        let plan = try EntityMappingPlan(EntityMapping(mapping), in: store.model)
        let objects = (0..<count).map { number in
            "{" + (0..<width).map { "\"k\($0)\":\(number)" }.joined(separator: ",") + "}"
        }
        let document = try Document(parsing: "[" + objects.joined(separator: ",") + "]")
        for isKnown in [false, true] {
            let total = try await store.perform { context in
                let result = try context.importObjects(from: document.root, by: plan)
                try context.save()
                return result.total
            }
            #expect(total.inserted == (isKnown ? 0 : count))
            #expect(total.unchanged == (isKnown ? count : 0))
        }
        let found = try await store.read { context in
            let ids = try context.fetchIDs(
                FetchRequest("Item", where: .attribute("k0", in: 0..<count)))
            return [ids.count, try context.count(FetchRequest("Item", where: .ids(ids)))]
        }
        #expect(found == [count, count])
    }
}

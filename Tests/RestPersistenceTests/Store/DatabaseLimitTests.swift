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

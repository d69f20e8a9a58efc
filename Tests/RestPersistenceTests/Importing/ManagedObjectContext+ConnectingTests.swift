// SPDX-License-Identifier: Apache-2.0

import GRDB
import RestMapping
import TestSupport
import Testing

@testable import RestPersistence

/// The conditions that are checked before each connection.
@Suite struct ManagedObjectContextConnectingTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private func plan(_ store: ManagedObjectStore) throws -> EntityMappingPlan {
        let rules = EntityRules(
            identification: ["railsID"],
            connections: [
                Connection("favoriteCat", by: ["favoriteCatID": "railsID"]),
                Connection("cats", by: ["sex": "sex"]),
            ])
        return try EntityMappingPlan(
            EntityMapping(store.mapping("Human"), rules: ["Human": rules]), in: store.model)
    }

    /// Inserts a cat and humans that two connections lead to it.
    private func insertHumans(
        _ count: Int, in context: ManagedObjectContext
    ) throws -> [ManagedObject] {
        try context.insert("Cat", ["railsID": 7, "name": "Asia", "sex": "female"])
        return try (0..<count).map { _ in
            try context.insert("Human", ["favoriteCatID": 7, "sex": "female"])
        }
    }

    /// Returns the keys of humans, by the index of the entity.
    private func keys(
        _ humans: [ManagedObject], _ context: ManagedObjectContext
    ) throws -> [[Int64]] {
        let entity = try #require(context.model.index(of: "Human"))
        return context.model.layouts.indices.map {
            $0 == entity ? humans.map(\.objectID.key) : []
        }
    }

    @Test(.parity("K037")) func skipsDeletedObject() async throws {
        let store = try await files.openHumans()
        let plan = try plan(store)
        try await store.write { context in
            let humans = try insertHumans(2, in: context)
            context.delete(humans[0])
            let counts = try context.connect(keys(humans, context), by: plan)
            #expect(counts.reduce(0, +) == 2)
            #expect(try humans[1].titles("favoriteCat") == ["Asia"])
            #expect(try humans[1].titles("cats") == ["Asia"])
            #expect(humans[0].isDeleted)
        }
        let rows = try files.rows("SELECT count(*), count(favoriteCat) FROM Human")
        #expect(rows == [["1", "1"]])
    }

    @Test(.parity("K037"), arguments: [0, 1]) func endsWhenTaskIsCancelled(
        connections made: Int
    ) async throws {
        let store = try await files.openHumans()
        let plan = try plan(store)
        await #expect(throws: CancellationError.self) {
            try await CancellableWork { cancel in
                try await store.write { context in
                    let human = try insertHumans(1, in: context)[0]
                    if made == 0 {
                        cancel()
                    } else {
                        // The search for the destinations of the first connection.
                        context.transaction?.connection.trace(options: .statement) { event in
                            if "\(event)".contains("Cat") { cancel() }
                        }
                    }
                    #expect(throws: CancellationError.self) {
                        try context.connect(keys([human], context), by: plan)
                    }
                    #expect(try human.titles("favoriteCat") == (made == 0 ? [] : ["Asia"]))
                    #expect(try human.titles("cats") == [])
                }
            }.task.value
        }
        #expect(try files.rows("SELECT * FROM Human") == [])
    }
}

// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import RestPersistence
import TestSupport
import Testing

/// Predicates with IDs of other stores, and of objects that were merged with stored ones.
@Suite struct ObjectPredicateTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private func expectFetches(
        _ id: ManagedObjectID, _ isFound: Bool, in context: ManagedObjectContext,
        location: SourceLocation = #_sourceLocation
    ) throws {
        let count = isFound ? 1 : 0
        let predicates: [FetchPredicate] = [
            .ids([id]), .any("terminals", .relationship("airport", id)),
            .any("terminals", .relationship("airport", in: [id])),
        ]
        for predicate in predicates {
            let request = FetchRequest("Airport", where: predicate)
            #expect(try context.count(request) == count, sourceLocation: location)
        }
        #expect(
            try context.count(Terminal.self, where: { $0.airport == id }) == count,
            sourceLocation: location)
    }

    @Test func idOfOtherStoreMatchesNothing() async throws {
        var ids: [ManagedObjectID] = []
        var stores: [(TemporaryStore, ManagedObjectStore)] = []
        for _ in 0..<2 {
            let files = try TemporaryStore()
            let store = try await files.open()
            let id = try await store.write { context in
                let terminal = try context.insert(Terminal.self)
                let airport = try context.insert(Airport.self)
                (airport.code, airport.name) = ("OSL", "Oslo")
                (terminal.number, terminal.airport) = (1, airport)
                return airport.objectID
            }
            ids.append(id)
            stores.append((files, store))
        }
        #expect(ids[0].key == ids[1].key)
        let context = stores[0].1.makeContext()
        try expectFetches(ids[0], true, in: context)
        try expectFetches(ids[1], false, in: context)
    }

    @Test func bothIDsOfMergedObjectMatch() async throws {
        let store = try await files.open()
        let plan = try EntityMappingPlan(EntityMapping(Airport.self), in: store.model)
        let contexts = [store.makeContext(), store.makeContext()]
        let text = #"{"code": "OSL", "name": "Oslo", "terminals": [{"number": 1}]}"#
        var ids: [ManagedObjectID] = []
        for context in contexts {
            let result = try context.importObjects(from: Document(parsing: text).root, by: plan)
            ids += result.objectIDs
        }
        #expect(ids[0] != ids[1])
        for context in contexts { try await context.save() }
        for context in contexts {
            for id in ids { try expectFetches(id, true, in: context) }
        }
    }
}

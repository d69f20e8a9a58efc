// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping
import TestSupport
import Testing

@testable import RestPersistence

@Entity private class Place: ManagedObject {
    @Identity var code: String
    var name: String?
}

@Entity private final class Harbor: Place {
    var depth: Int = 0
}

@Entity private final class Ship: ManagedObject {
    @Identity var id: Int
    @Reference var home: Place?
    @Reference var harbor: Harbor?
    @Reference var visited: [Place]
}

/// The objects that others refer to and that do not exist.
@Suite struct MissingObjectTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private static func open(_ files: TemporaryStore) async throws -> ManagedObjectStore {
        try await ManagedObjectStore(
            at: files.file, entities: Place.self, Harbor.self, Ship.self)
    }

    private func load(
        _ text: String, as type: any ManagedEntity.Type, into context: ManagedObjectContext
    ) throws {
        let mapping = ObjectMapping(
            defaultFor: try #require(context.model.properties(of: type.entity.name)))
        let plan = try EntityMappingPlan(EntityMapping(mapping), in: context.model)
        _ = try context.importObjects(from: try Document(parsing: text).root, by: plan)
    }

    private func texts(_ missing: [MissingObject]) -> [String] {
        missing.map { "\($0.entity).\($0.attribute) \($0.identityText) \($0.referenceCount)" }
    }

    private static let ships = #"""
        [{"id":1,"home":"A","harbor":"H","visited":["C","A"]},
        {"id":2,"home":"A","visited":["B"]},{"id":3,"visited":[]}]
        """#

    @Test func identitiesAreListedOnceWithTheirReferences() async throws {
        let store = try await Self.open(files)
        try await store.write { try load(Self.ships, as: Ship.self, into: $0) }
        let places = try await store.missingObjects(of: Place.self)
        #expect(
            texts(places) == [
                "Harbor.code H 1", "Place.code A 3", "Place.code B 1", "Place.code C 1",
            ])
        // A reference to a place does not tell whether it is a harbor.
        #expect(texts(try await store.missingObjects(of: Harbor.self)) == ["Harbor.code H 1"])
        #expect(try await store.missingObjects(of: Ship.self).isEmpty)
    }

    @Test func arrivedObjectsAreNotMissing() async throws {
        let store = try await Self.open(files)
        try await store.write { try load(Self.ships, as: Ship.self, into: $0) }
        let places = #"[{"code":"A"},{"code":"C"}]"#
        try await store.write { try load(places, as: Place.self, into: $0) }
        #expect(
            texts(try await store.missingObjects(of: Place.self))
                == ["Harbor.code H 1", "Place.code B 1"])
        try await store.write { context in
            let ship = try #require(try context.first(Ship.self, where: { $0.id == 2 }))
            context.delete(ship)
        }
        #expect(texts(try await store.missingObjects(of: Place.self)) == ["Harbor.code H 1"])
    }

    @Test func unsavedReferencesAreIncluded() async throws {
        let store = try await Self.open(files)
        let context = store.makeContext()
        try load(Self.ships, as: Ship.self, into: context)
        #expect(try context.missingObjects(of: Place.self).count == 4)
        #expect(try await store.missingObjects(of: Place.self).isEmpty)
    }

    @Test func unknownEntityIsError() async throws {
        let store = try await files.open()
        await #expect(throws: PersistenceError.self) {
            try await store.missingObjects(of: Ship.self)
        }
    }
}

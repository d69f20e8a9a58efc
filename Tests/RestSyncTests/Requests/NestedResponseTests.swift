// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import TestSupport
import Testing

@testable import RestPersistence

@Entity private final class Owner: ManagedObject {
    @Identity var id: Int
    var name: String?
    var favoriteCat: Kitten?
}

@Entity private final class Kitten: ManagedObject {
    @Identity var id: Int
    var name: String?
}

/// An object whose name is its key path in the response.
@Entity private final class Spot: ManagedObject {
    @Identity var path: String
    var tags: Spot?
    var this: Spot?
    var that: Spot?
}

@Mapped private struct Entirety { var entirely: Spot? }
@Mapped private struct Something { @MappedKey("else") var other: Entirety? }
@Mapped private struct Outside { var there: Spot? }
@Mapped private struct Somewhere { var out: Outside? }
@Mapped private struct Some { var posts: Spot? }
@Mapped private struct Places {
    var posts: Spot?
    var another: Spot?
    var something: Something?
    var somewhere: Somewhere?
    var some: Some?
}

/// Responses with objects in objects.
@MainActor @Suite(.tags(.socket)) struct NestedResponseTests {
    private func run(
        _ entities: [any ManagedEntity.Type], answering body: String,
        _ test: (ObjectManager, TemporaryStore) async throws -> Void
    ) async throws {
        let temporary = try await TemporaryStore(entities)
        try await LoopbackServer.run({ _ in .json(body) }) { server in
            try await test(try manager(at: server.baseURL), temporary)
        }
    }

    @Test(.parity("P274")) func toOneRelationshipIsLoaded() async throws {
        let answer = #"""
            {"human":{"id":1,"name":"Blake Watters","favorite_cat":{"id":2,"name":"Asia"}}}
            """#
        try await run([Owner.self, Kitten.self], answering: answer) { api, temporary in
            let cat = ObjectMapping(for: Kitten.self, ["id": "id", "name": "name"])
            let human = ObjectMapping(for: Owner.self) {
                attribute("id", to: \.id)
                attribute("name", to: \.name)
                relationship("favorite_cat", to: \.favoriteCat, mapping: cat)
            }
            try api.add(ResponseDescriptor(EntityMapping(human), keyPath: "human"))
            let context = temporary.store.mainContext
            let found = try await api.getObjects(Owner.self, at: "humans/1", in: context)
            #expect(found.map(\.name) == ["Blake Watters"])
            #expect(found.first?.favoriteCat?.name == "Asia")
            let rows = """
                SELECT o.name, k.name FROM Owner o JOIN Kitten k ON k.restkit_key = o.favoriteCat
                """
            #expect(try temporary.rows(rows) == ["Blake Watters|Asia"])
        }
    }

    /// The objects that are looked up in the context of the caller are the outermost ones; those below
    /// them are reached by their relationships.
    @Test(.parity("P271")) func pathsBelowAnotherMemberAreDropped() async throws {
        let answer = #"""
            {"posts":{"path":"posts","tags":{"path":"posts.tags"}},
            "another":{"path":"another","this":{"path":"another.this",
            "that":{"path":"another.this.that"}}},
            "something":{"else":{"entirely":{"path":"something.else.entirely"}}},
            "somewhere":{"out":{"there":{"path":"somewhere.out.there"}}},
            "some":{"posts":{"path":"some.posts"}}}
            """#
        try await run([Spot.self], answering: answer) { api, temporary in
            let mapping = EntityMapping(ObjectMapping(for: Places.self))
            let model = temporary.store.model
            let plan = try EntityMappingPlan(
                mapping, compiled: MappingCompiler().compile(mapping.mapping), in: model,
                allowsPlainObjects: true)
            let root = try Document(parsing: answer).root
            let located = try await temporary.store.perform { context in
                defer { context.rollback() }
                let mapped = try MappedRepresentation(root, by: plan, insidePlainObjects: true)
                let ids = try context.importObjects(mapped).locations.values.compactMap(\.self)
                return try context.objects(Spot.self, with: ids).map(\.path)
            }
            #expect(
                Set(located) == [
                    "posts", "another", "something.else.entirely", "somewhere.out.there",
                    "some.posts",
                ])
            #expect(located.count == 5)
            let context = temporary.store.mainContext
            let places: Places = try await api.get("places", in: context)
            #expect(places.posts?.tags?.path == "posts.tags")
            let deepest = try #require(places.another?.this?.that)
            #expect(deepest.path == "another.this.that")
            #expect(deepest.managedObjectContext === context)
            #expect(try temporary.rows("SELECT count(*) FROM Spot") == ["8"])
        }
    }
}

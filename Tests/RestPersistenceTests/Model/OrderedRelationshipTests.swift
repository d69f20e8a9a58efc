// SPDX-License-Identifier: Apache-2.0

import RestMapping
import RestPersistence
import TestSupport
import Testing

@Suite struct OrderedRelationshipTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    /// Returns humans with names, in the order of their keys.
    private static func humans(
        _ names: [String], in context: ManagedObjectContext
    ) throws -> [ManagedObject] {
        try names.map { try context.insert("Human", ["name": $0]) }
    }

    @Test(arguments: [false, true]) func keepsOrderBesideForeignKey(isSaved: Bool) async throws {
        let store = try await files.openHumans()
        try await store.perform { context in
            let human = try context.insert(entity: "Human")
            let cats = try ["a", "b", "c"].map { try context.insert("Cat", ["name": $0]) }
            try human.setRelated("catsInOrderByAge", [cats[2], cats[0], cats[1]])
            if isSaved { try context.save() }
            #expect(try human.titles("catsInOrderByAge") == ["c", "a", "b"])
            try human.setRelated("catsInOrderByAge", [cats[1], cats[2], cats[0]])
            if isSaved { try context.save() }
            #expect(try human.titles("catsInOrderByAge") == ["b", "c", "a"])
            // An object that joins by its own side is the last.
            let last = try context.insert("Cat", ["name": "0"])
            try last.setRelated("inverseOfOrderByAge", [human])
            #expect(try human.titles("catsInOrderByAge") == ["b", "c", "a", "0"])
            try cats[1].setRelated("inverseOfOrderByAge", [])
            #expect(try human.titles("catsInOrderByAge") == ["c", "a", "0"])
            try cats[1].setRelated("inverseOfOrderByAge", [human])
            #expect(try human.titles("catsInOrderByAge").first == "c")
            #expect(try human.titles("catsInOrderByAge").count == 4)
            try context.save()
        }
        try await store.perform { context in
            let human = try #require(try context.fetch(FetchRequest("Human")).first)
            #expect(try Set(human.titles("catsInOrderByAge")) == ["c", "a", "0", "b"])
            #expect(try human.titles("catsInOrderByAge").prefix(2) == ["c", "a"])
        }
    }

    @Test(arguments: [false, true]) func keepsOrderInJoinTable(isSaved: Bool) async throws {
        let store = try await files.openHumans()
        try await store.perform { context in
            let people = try Self.humans(["a", "b", "c", "d"], in: context)
            try people[0].setRelated("friendsInTheOrderWeMet", [people[3], people[1], people[2]])
            if isSaved { try context.save() }
            #expect(try people[0].titles("friendsInTheOrderWeMet") == ["d", "b", "c"])
            // The relationship is its own inverse.
            #expect(try people[3].titles("friendsInTheOrderWeMet") == ["a"])
            try people[0].setRelated("friendsInTheOrderWeMet", [people[2], people[3]])
            if isSaved { try context.save() }
            #expect(try people[0].titles("friendsInTheOrderWeMet") == ["c", "d"])
            #expect(try people[1].titles("friendsInTheOrderWeMet").isEmpty)
            try context.save()
        }
        try await store.perform { context in
            let request = FetchRequest("Human", where: .attribute("name", .equal, "a"))
            let human = try #require(try context.fetch(request).first)
            #expect(try human.titles("friendsInTheOrderWeMet") == ["c", "d"])
        }
    }

    @Test func ordersOneSideOfManyToMany() async throws {
        let store = try await files.openHumans()
        try await store.perform { context in
            let people = try Self.humans(["a", "b"], in: context)
            let houses = try ["x", "y", "z"].map { try context.insert("House", ["city": $0]) }
            try people[0].setRelated("housesResidedAt", [houses[2], houses[0]])
            try people[1].setRelated("housesResidedAt", [houses[0], houses[1], houses[2]])
            try houses[1].setRelated("pastResidents", people)
            try context.save()
        }
        try await store.perform { context in
            let people = try context.fetch(
                FetchRequest("Human", orderBy: [.ascending("name")]))
            let cities = try people.map { human in
                try human.related("housesResidedAt").map { try $0.value("city", as: String?.self) }
            }
            #expect(cities == [["z", "x", "y"], ["x", "y", "z"]])
            let house = try context.fetch(
                FetchRequest("House", where: .attribute("city", .equal, "y")))
            #expect(try Set(house[0].titles("pastResidents")) == ["a", "b"])
        }
    }

    @Test func connectsBothSidesOfSymmetricRelationship() async throws {
        let store = try await files.open([
            EntityDescription(
                "Person", attributes: [AttributeDescription("name", .text)],
                relationships: [.toOne("spouse", "Person", inverse: "spouse")])
        ])
        try await store.perform { context in
            defer { context.rollback() }
            let people = try ["a", "b", "c"].map { try context.insert("Person", ["name": $0]) }
            try people[0].setRelated("spouse", [people[1]])
            #expect(try people[1].related("spouse") == [people[0]])
            try people[2].setRelated("spouse", [people[1]])
            #expect(try people[0].related("spouse").isEmpty)
            #expect(try people[1].related("spouse") == [people[2]])
            try people[1].setRelated("spouse", [])
            #expect(try people[2].related("spouse").isEmpty)
        }
    }
}

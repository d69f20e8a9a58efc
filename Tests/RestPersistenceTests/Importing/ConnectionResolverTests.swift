// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import RestPersistence
import TestSupport
import Testing

/// Connections of many rows, and by the elements of several arrays.
@Suite struct ConnectionResolverTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    /// With few values, all combinations are looked up; with many, the destinations are compared.
    @Test(arguments: [3, 10_000])
    func connectsCombinationsOfArrays(count: Int) async throws {
        let store = try await files.openHumans()
        var human = try store.mapping("Human")
        human.add(["ids": "catIDs", "names": "favoriteColors"])
        let rules = [
            "Human": EntityRules(connections: [
                Connection(
                    "catsInOrderByAge", by: ["catIDs": "railsID", "favoriteColors": "name"])
            ])
        ]
        let ids = Array((1...count).reversed())
        let names = (1...count).map { "\"n\($0)\"" }.joined(separator: ",")
        try await store.perform { [human] context in
            defer { context.rollback() }
            for (id, name) in [(1, "n3"), (1, "n1"), (3, "n2"), (2, "x"), (count + 1, "n1")] {
                try context.insert("Cat", ["railsID": id, "name": name])
            }
            let objects = try context.objects(
                from: #"{"ids": \#(ids), "names": [\#(names)]}"#, by: human, rules: rules)
            // In the order of the arrays.
            let cats = try objects[0].related("catsInOrderByAge")
            #expect(try cats.map { try $0.givenName } == ["n2", "n1", "n3"])
            #expect(try cats.map { try $0.value("railsID", as: Int?.self) } == [3, 1, 1])
        }
    }

    private static func humans(_ numbers: Range<Int>, cat: Int) throws -> Document {
        let objects = numbers.map { #"{"id": \#($0), "cat": \#(cat)}"# }
        return try Document(parsing: "[\(objects.joined(separator: ","))]")
    }

    /// Sets the columns of many rows, those of objects that the context has as well; rows with the same
    /// destination stay as they are.
    @Test func connectsRowsOfManyObjects() async throws {
        let store = try await files.openHumans()
        var human = try store.mapping("Human")
        human.add(["id": "railsID", "cat": "favoriteCatID"])
        let rules = [
            "Human": EntityRules(
                identification: ["railsID"],
                connections: [Connection("favoriteCat", by: ["favoriteCatID": "railsID"])])
        ]
        let mapping = EntityMapping(human, rules: rules)
        try await store.write { context in
            for id in [1, 2] { try context.insert("Cat", ["railsID": id]) }
            try context.save()
        }
        let plan = try EntityMappingPlan(mapping, in: store.model)
        let first = try await store.importObjects(
            from: try Self.humans(0..<500, cat: 1).root, by: plan)
        #expect(first.total.connected == 500)
        let links = "SELECT count(*), count(DISTINCT favoriteCat) FROM Human WHERE favoriteCat"
        #expect(try files.rows(links) == [["500", "1"]])
        let again = try await store.importObjects(
            from: try Self.humans(0..<500, cat: 1).root, by: plan)
        #expect(again.total.connected == 500 && again.total.unchanged == 500)
        #expect(again.changes.updated == 0)
        // In a context, the objects show the new destination, and those that left it are not counted.
        try await store.perform { context in
            let humans = try context.fetch(
                FetchRequest("Human", orderBy: [.ascending("railsID")]))
            let cats = try context.fetch(FetchRequest("Cat", orderBy: [.ascending("railsID")]))
            #expect(try humans[3].related("favoriteCat") == [cats[0]])
            _ = try context.importObjects(
                from: try Self.humans(0..<200, cat: 2).root, by: plan)
            #expect(try humans[3].related("favoriteCat") == [cats[1]])
            #expect(try humans[200].related("favoriteCat") == [cats[0]])
            let moved = FetchPredicate.relationship("favoriteCat", cats[1].objectID)
            #expect(try context.count(FetchRequest("Human", where: moved)) == 200)
            // No cat has the number.
            _ = try context.importObjects(
                from: try Self.humans(0..<1, cat: 9).root, by: plan)
            #expect(try humans[0].related("favoriteCat") == [])
            try context.save()
        }
        #expect(try files.rows(links) == [["499", "2"]])
    }
}

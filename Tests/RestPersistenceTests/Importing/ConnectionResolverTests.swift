// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import RestPersistence
import TestSupport
import Testing

/// Connections by the elements of several arrays.
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
}

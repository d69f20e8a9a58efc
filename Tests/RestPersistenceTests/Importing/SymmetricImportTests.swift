// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import RestPersistence
import TestSupport
import Testing

/// Imports of a one-to-one relationship that is its own inverse.
@Suite struct SymmetricImportTests {
    private static let entities = [
        EntityDescription(
            "Person", attributes: [AttributeDescription("number", .integer, isIdentity: true)],
            relationships: [.toOne("partner", "Person", inverse: "partner")])
    ]

    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private func plan(_ store: ManagedObjectStore) throws -> EntityMappingPlan {
        var person = ObjectMapping(table: try #require(store.model.properties(of: "Person")))
        person.add(["number"])
        var couple = person
        couple.add(RelationshipMapping("partner", to: "partner", mapping: person))
        return try EntityMappingPlan(EntityMapping(couple), in: store.model)
    }

    /// The numbers of the partners of the objects with numbers from 1; 0 for none.
    private func partners(in context: ManagedObjectContext) throws -> [Int] {
        try people(in: context).map { try $0.related("partner").first?.value("number") ?? 0 }
    }

    private func people(in context: ManagedObjectContext) throws -> [ManagedObject] {
        try context.fetch(FetchRequest("Person")).sorted {
            let (left, right): (Int, Int) = (try $0.value("number"), try $1.value("number"))
            return left < right
        }
    }

    /// The documents, and the partners of five people, of which 1 and 2 as well as 3 and 4 are couples.
    private static let documents: [(text: String, partners: [Int])] = [
        (#"[{"number": 1, "partner": {"number": 5}}]"#, [5, 0, 4, 3, 1]),
        (#"[{"number": 5, "partner": {"number": 1}}]"#, [5, 0, 4, 3, 1]),
        (#"[{"number": 1, "partner": {"number": 3}}]"#, [3, 0, 1, 0, 0]),
        (#"[{"number": 1, "partner": null}]"#, [0, 0, 4, 3, 0]),
        (
            #"[{"number": 1, "partner": {"number": 3}}, {"number": 3, "partner": {"number": 1}}]"#,
            [3, 0, 1, 0, 0]
        ),
        (
            #"[{"number": 1, "partner": {"number": 3}}, {"number": 2, "partner": {"number": 4}}]"#,
            [3, 4, 1, 2, 0]
        ),
        (#"[{"number": 1, "partner": {"number": 2}}]"#, [2, 1, 4, 3, 0]),
        (#"[{"number": 5, "partner": {"number": 5}}]"#, [2, 1, 4, 3, 5]),
        (#"[{"number": 1, "partner": {"number": 6}}]"#, [6, 0, 4, 3, 0, 1]),
        (#"[{"number": 6, "partner": {"number": 3}}]"#, [2, 1, 6, 0, 0, 3]),
    ]

    @Test(arguments: documents.indices, [false, true])
    func bothSidesAreSetAtOnce(_ index: Int, isLoaded: Bool) async throws {
        let (text, expected) = Self.documents[index]
        let store = try await files.open(Self.entities)
        let plan = try plan(store)
        let document = try Document(parsing: text)
        try await store.perform { context in
            let people = try (1...5).map { number in
                let person = try context.insert(entity: "Person")
                try person.setValue(number, "number")
                return person
            }
            try people[0].setRelated("partner", [people[1]])
            try people[2].setRelated("partner", [people[3]])
            try context.save()
        }
        try await store.perform { context in
            let loaded = isLoaded ? try people(in: context) : []
            if isLoaded { #expect(try partners(in: context) == [2, 1, 4, 3, 0]) }
            _ = try context.importObjects(from: document.root, by: plan)
            #expect(try partners(in: context) == expected)
            try context.save()
            #expect(try partners(in: context) == expected)
            #expect(loaded.allSatisfy { $0.objectState == .saved })
        }
        let rows = try files.rows(
            """
            SELECT coalesce(b.number, 0) FROM Person a LEFT JOIN Person b
            ON b.restkit_key = a.partner ORDER BY a.number
            """)
        #expect(rows.map { $0[0] } == expected.map { "\($0)" })
    }
}

// SPDX-License-Identifier: Apache-2.0

#if Macros
import RestDocument
import RestMapping
import RestPersistence
import Testing

@Suite struct OpenEnumTests {
    @Test func keepsUnknownRawValueOfDocument() async throws {
        let file = try TemporaryStore()
        let store = try await file.openAnimals()
        let plan = try EntityMappingPlan(EntityMapping(Toy.self), in: store.model)
        let document = try Document(
            parsing:
                #"[{"id": 1, "size": "gigantic", "diets": []}, {"id": 2, "size": "small", "diets": []}]"#
        )
        try await store.perform { context in
            let result = try context.importObjects(from: document.root, by: plan)
            #expect(result.report.issueCount == 0)
            try context.save()
        }
        #expect(try file.rows("SELECT size FROM Toy ORDER BY id") == [["gigantic"], ["small"]])
        try await store.perform { context in
            let toys = try context.fetch(Toy.self, orderBy: \.id)
            #expect(toys.map(\.size) == [.unknown("gigantic"), .known(.small)])
            #expect(toys.map { $0.size?.knownValue } == [nil, .small])
            #expect(try Toy.Values(toys[0]).size == .unknown("gigantic"))
            // Writing the value back is not a change.
            toys[0].size = toys[0].size
            #expect(!context.hasChanges)
            let unknown = try context.fetch(
                Toy.self, where: { $0.size == OpenEnum(rawValue: "gigantic") })
            #expect(unknown == [toys[0]])
        }
    }

    @Test func equalsByRawValue() {
        #expect(OpenEnum<Toy.Size>.unknown("small") == .known(.small))
        #expect(OpenEnum<Toy.Size>(rawValue: "large") == .known(.large))
        #expect(OpenEnum<Toy.Size>.unknown("huge") != .unknown("Huge"))
    }
}
#endif

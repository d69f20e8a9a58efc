// SPDX-License-Identifier: Apache-2.0

import RestKit
import RestTesting
import TestSupport
import Testing

@Entity private final class Pet: ManagedObject {
    @Identity var id: Int
    @Inverse(\Keeper.pet) var keeper: Keeper?
}

@Entity private class Keeper: ManagedObject {
    var name: String?
    var pet: Pet?
}

@Entity private final class YoungKeeper: Keeper {
    var school: String?
    @Inverse("children") var parents: Set<AdultKeeper>
}

@Entity private final class AdultKeeper: Keeper {
    @Inverse("parents") var children: Set<YoungKeeper>
}

/// Relationships whose objects a dynamic mapping creates of entities that inherit from the destination.
@MainActor @Suite(.tags(.socket)) struct DynamicRelationshipTests {
    /// Returns a mapping of pets with a keeper, whose representation tells the entity.
    private func pets(_ assignment: AssignmentPolicy) -> ObjectMapping {
        let child = ObjectMapping(for: YoungKeeper.self, ["name": "name", "school": "school"])
        let parent = ObjectMapping(for: AdultKeeper.self) {
            attribute("name", to: \.name)
            relationship("children", to: \.children, mapping: child)
        }
        let keepers = DynamicMapping([
            MappingMatcher(at: "type", equals: "parent", mapping: parent),
            MappingMatcher(at: "type", equals: "child", mapping: child),
        ])
        var pet = ObjectMapping(for: Pet.self, ["id": "id"])
        pet.add(
            RelationshipMapping("keeper", to: "keeper", mapping: keepers, assignment: assignment))
        return pet
    }

    private func run(
        _ answer: String,
        _ body: (ObjectManager, TemporaryStore) async throws -> Void
    ) async throws {
        let temporary = try await TemporaryStore([
            Pet.self, Keeper.self, YoungKeeper.self, AdultKeeper.self,
        ])
        let response = LoopbackResponse.json(answer, status: 201)
        try await LoopbackServer.run({ _ in response }) { server in
            let api = try manager(at: server.baseURL)
            try api.setRequestFormat(.json)
            try await body(api, temporary)
        }
    }

    @Test(.parity("P098"), arguments: [AssignmentPolicy.replace, .set], [false, true])
    func replacesDestinationOfAnotherEntity(
        policy: AssignmentPolicy, savesToStore: Bool
    ) async throws {
        let answer = """
            {"id": 5555, "keeper": {"type": "parent", "name": "Win", "children": [
              {"name": "Maya", "school": "s"}, {"name": "Brady"}]}}
            """
        try await run(answer) { api, temporary in
            try api.add(ResponseDescriptor(EntityMapping(pets(policy))))
            let context = temporary.store.mainContext
            let cat = try Pet.insert(into: context, id: 5555)
            let old = try YoungKeeper.insert(into: context, name: "old")
            cat.keeper = old
            try await context.save()
            let result = try await api.post(cat, at: "pets") {
                $0.options.savesToPersistentStore = savesToStore
            }
            #expect(result.objectIDs == [cat.objectID])
            let keeper = try #require(cat.keeper as? AdultKeeper)
            #expect(keeper.name == "Win")
            #expect(keeper.pet === cat)
            #expect(Set(keeper.children.map(\.name)) == ["Maya", "Brady"])
            #expect(old.objectState == (policy == .replace ? .deleted : old.objectState))
            if policy == .set { #expect(old.pet == nil && old.objectState != .deleted) }
            let keepers = try context.count(FetchRequest("Keeper"))
            #expect(keepers == (policy == .replace ? 3 : 4))
            try await context.save()
            let rows = try temporary.rows("SELECT name FROM Keeper ORDER BY name")
            #expect(rows == ["Brady", "Maya", "Win"] + (policy == .replace ? [] : ["old"]))
        }
    }

    @Test func eachAlternativeHasItsEntity() async throws {
        let answer = """
            [{"id": 1, "keeper": {"type": "child", "name": "Maya", "school": "s"}},
             {"id": 2, "keeper": {"type": "parent", "name": "Win"}}]
            """
        try await run(answer) { api, temporary in
            try api.add(ResponseDescriptor(EntityMapping(pets(.set))))
            for _ in 0..<2 {
                let pets = try await api.getObjects(
                    Pet.self, at: "pets", in: temporary.store.mainContext)
                #expect(pets.map { ($0.keeper as? YoungKeeper)?.school } == ["s", nil])
                #expect(pets.map { $0.keeper is AdultKeeper } == [false, true])
                #expect(try temporary.rows("SELECT count(*) FROM Keeper") == ["2"])
            }
        }
    }

    /// An entity that does not inherit from the destination is refused when the mapping is compiled.
    @Test func otherEntityIsRefused() {
        var pet = ObjectMapping(for: Pet.self, ["id": "id"])
        let other = ObjectMapping(for: Pet.self, ["id": "id"])
        let child = ObjectMapping(for: YoungKeeper.self, ["name": "name"])
        pet.add(
            RelationshipMapping(
                "keeper", to: "keeper",
                mapping: DynamicMapping(possible: [child, other]) { _ in other }))
        let error = #expect(throws: MappingError.self) { try MappingCompiler().compile(pet) }
        #expect(error?.diagnostics.map(\.code) == [.wrongSubject])
        #expect(error?.diagnostics.map(\.name) == ["keeper"])
    }
}

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

@Entity private final class Hoarder: Keeper {
    @Inverse("hoarder") var pets: Set<HoardedPet>
}

@Entity private final class HoardedPet: ManagedObject {
    @Identity var id: Int
    var hoarder: Hoarder?
    var human: Keeper?
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

    /// A choice between a parent, who has children, and another keeper.
    private func parent(or mapping: ObjectMapping) -> DynamicMapping {
        let child = ObjectMapping(for: YoungKeeper.self, ["name": "name"])
        let parent = ObjectMapping(for: AdultKeeper.self) {
            attribute("name", to: \.name)
            relationship("children", to: \.children, mapping: child)
        }
        return DynamicMapping([
            MappingMatcher(at: "type", equals: "parent", mapping: parent),
            MappingMatcher(at: "type", equals: "other", mapping: mapping),
        ])
    }

    private func run(
        _ answer: String,
        _ body: (ObjectManager, TemporaryStore) async throws -> Void
    ) async throws {
        let temporary = try await TemporaryStore([
            Pet.self, Keeper.self, YoungKeeper.self, AdultKeeper.self, Hoarder.self,
            HoardedPet.self,
        ])
        try await LoopbackServer.run({ request in
            .json(answer, status: request.method == "POST" ? 201 : 200)
        }) { server in
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

    @Test(
        .parity("P247"),
        arguments: [
            (
                #"{"type": "parent", "name": "Win", "children": [{"name": "Maya"}]}"#,
                ["Maya", "Win"]
            ),
            (#"{"type": "other", "name": "Ann", "children": [{"name": "Maya"}]}"#, ["Ann"]),
        ])
    func orphansOfIncompatibleRootEntities(_ answer: String, _ names: [String]) async throws {
        try await run(answer) { api, temporary in
            let human = ObjectMapping(for: Keeper.self, ["name": "name"])
            try api.add(ResponseDescriptor(EntityMapping(parent(or: human))))
            for entity in ["Keeper", "AdultKeeper", "YoungKeeper"] {
                api.addFetchRequestRule { _ in FetchRequest(entity) }
            }
            try await temporary.store.perform { context in
                _ = try AdultKeeper.insert(into: context, name: "orphan")
                try context.save()
            }
            let result: MappingResult = try await api.send(
                ManagedRequest(at: "humans"), in: temporary.store.mainContext)
            #expect(result.count == 1)
            #expect(result.objects(of: Keeper.self).map(\.name) == [names.last])
            #expect(try temporary.rows("SELECT name FROM Keeper ORDER BY name") == names)
        }
    }

    @Test(.parity("P249")) func fetchRequestFollowsDynamicRelationships() async throws {
        let answer = """
            {"name": "Hob", "pets": [
              {"id": 1, "human": {"type": "other", "name": "Maya"}},
              {"id": 2, "human": {"type": "parent", "name": "Win", "children": [{"name": "Bo"}]}}]}
            """
        try await run(answer) { api, temporary in
            let child = ObjectMapping(for: YoungKeeper.self, ["name": "name"])
            let humans = parent(or: child)
            let pet = ObjectMapping(for: HoardedPet.self) {
                attribute("id", to: \.id)
                relationship("human", to: \.human, mapping: humans)
            }
            let hoarder = ObjectMapping(for: Hoarder.self) {
                attribute("name", to: \.name)
                relationship("pets", to: \.pets, mapping: pet)
            }
            try api.add(ResponseDescriptor(EntityMapping(hoarder)))
            api.addFetchRequestRule { _ in FetchRequest("Hoarder") }
            let context = temporary.store.mainContext.child()
            let result = try await api.getObjects(Hoarder.self, at: "hoarder", in: context) {
                $0.options.savesToPersistentStore = false
            }
            let found = try #require(result.first)
            let pets = found.pets.sorted { $0.id < $1.id }
            #expect(
                pets.map { $0.human.map { "\(type(of: $0))" } } == ["YoungKeeper", "AdultKeeper"])
            #expect((pets.last?.human as? AdultKeeper)?.children.map(\.name) == ["Bo"])
            #expect(try temporary.rows("SELECT count(*) FROM Keeper") == ["0"])
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

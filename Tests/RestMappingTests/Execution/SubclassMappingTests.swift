// SPDX-License-Identifier: Apache-2.0

#if Macros
import RestDocument
import RestMapping
import TestSupport
import Testing

enum Shelter {
    @Mapped class Animal {
        var name: String = ""
    }

    @Mapped final class Cat: Animal {
        var lives: Int = 0
    }

    @Mapped struct Owner {
        var pet: Animal?
        var pets: [Animal] = []
        var byName: [String: Animal] = [:]
        var cages: [[Animal]] = []
        var favorite: Field<Animal> = .missing
    }
}

/// Properties of a base class whose relationship has the mapping of a subclass.
@Suite struct SubclassMappingTests {
    private static let cat = #"{"n":"Tom","lives":9}"#

    private static let mapping = ObjectMapping(
        for: Shelter.Cat.self, ["n": "name", "lives": "lives"])

    private func owner(_ json: String, _ property: String) throws -> Shelter.Owner {
        var mapping = ObjectMapping(table: Shelter.Owner.properties)
        mapping.add(RelationshipMapping("x", to: property, mapping: Self.mapping))
        var report = MappingReport()
        let found = try map(Shelter.Owner.self, #"{"x":\#(json)}"#, with: mapping, report: &report)
        #expect(report.issues.isEmpty)
        return try #require(found.first)
    }

    private func lives(_ animal: Shelter.Animal?) -> Int? { (animal as? Shelter.Cat)?.lives }

    @Test func buildsSubclassForOneObject() throws {
        let owner = try owner(Self.cat, "pet")
        #expect(lives(owner.pet) == 9)
        #expect(owner.pet?.name == "Tom")
    }

    @Test func buildsSubclassesForLists() throws {
        #expect(try owner("[\(Self.cat),\(Self.cat)]", "pets").pets.map(lives) == [9, 9])
        #expect(try owner(Self.cat, "pets").pets.map(lives) == [9])
        #expect(try owner("[[\(Self.cat)],[[\(Self.cat)]]]", "pets").pets.map(lives) == [9, 9])
        let cages = try owner("[[\(Self.cat)],[]]", "cages").cages
        #expect(cages.map { $0.map(lives) } == [[9], []])
    }

    @Test func buildsSubclassesForDictionariesAndFields() throws {
        let byName = try owner(#"{"a":\#(Self.cat)}"#, "byName").byName
        #expect(byName.mapValues(lives) == ["a": 9])
        #expect(lives(try owner(Self.cat, "favorite").favorite.value) == 9)
    }

    @Test func buildsSubclassesForMembersOfObject() throws {
        var named = ObjectMapping(for: Shelter.Cat.self) {
            keyOfRepresentation(to: \.name)
            attribute("{name}.lives", to: \.lives)
        }
        named.forcesCollection = true
        var mapping = ObjectMapping(table: Shelter.Owner.properties)
        mapping.add(RelationshipMapping("x", to: "pets", mapping: named))
        let json = #"{"x":{"Tom":{"lives":9},"Kit":{"lives":1}}}"#
        let pets = try map(Shelter.Owner.self, json, with: mapping).first?.pets
        #expect(pets?.map(\.name) == ["Tom", "Kit"])
        #expect(pets?.map(lives) == [9, 1])
    }

    @Test func buildsNoSubclassWithoutItsKeys() throws {
        var mapping = ObjectMapping(table: Shelter.Owner.properties)
        mapping.add(RelationshipMapping("", to: "pet", mapping: Self.mapping))
        mapping.add(RelationshipMapping("pets", to: "pets"))
        let json = #"{"pets":[{"name":"a"}]}"#
        #expect(try map(Shelter.Owner.self, json, with: mapping).map { $0.pet == nil } == [true])
        let whole = try map(Shelter.Owner.self, #"{"lives":3,"pets":[]}"#, with: mapping)
        #expect(whole.map { lives($0.pet) } == [3])
    }

    @Test func appliesPolicyOfSubclassMapping() throws {
        var strict = Self.mapping
        strict.policy = IssuePolicy(invalidValue: .failObject, invalidObject: .drop)
        var mapping = ObjectMapping(table: Shelter.Owner.properties)
        mapping.add(RelationshipMapping("x", to: "pets", mapping: strict))
        var report = MappingReport()
        let json = #"{"x":[{"n":"a","lives":"x"},\#(Self.cat)]}"#
        let found = try map(Shelter.Owner.self, json, with: mapping, report: &report)
        #expect(found.first?.pets.map(lives) == [9])
        #expect(report.issues.map(\.path) == ["x[0].lives"])
        #expect(report.droppedObjectCount == 1)
    }

    @Test func writesSubclassByItsMapping() throws {
        var mapping = ObjectMapping(table: Shelter.Owner.properties)
        mapping.add(RelationshipMapping("x", to: "pets", mapping: Self.mapping))
        var owner = Shelter.Owner()
        owner.pets = try self.owner("[\(Self.cat)]", "pets").pets
        #expect(try json(owner, by: mapping.inverse()) == #"{"x":[\#(Self.cat)]}"#)
        owner.pets = [Shelter.Animal()]
        let error = #expect(throws: MappingError.self) { try json(owner, by: mapping.inverse()) }
        #expect(error?.code == .undeterminedMapping)
    }
}
#endif

// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import TestSupport
import Testing

@Suite struct MappingCompilerTests {
    @Test func allMistakesAreReportedAtOnceWithSuggestions() throws {
        var address = ObjectMapping(table: Address.properties)
        address.add(AttributeMapping("town", to: "citty"))
        var mapping = ObjectMapping(table: Person.properties)
        mapping.add(AttributeMapping("a", to: "nmae"))
        mapping.add(AttributeMapping("b", to: "name"))
        mapping.add(AttributeMapping("c", to: "name"))
        mapping.add(RelationshipMapping("d", to: "mood"))
        mapping.add(RelationshipMapping("e", to: "friends", mapping: address))
        mapping.add(RelationshipMapping("f", to: "address", mapping: address))
        let error = #expect(throws: MappingError.self) {
            try MappingCompiler().compile(mapping)
        }
        #expect(error?.code == .invalidMapping)
        #expect(
            error?.diagnostics.map(\.description) == [
                "Person has no property 'nmae'; did you mean 'name'?",
                "Person.name is mapped more than once",
                "Person.mood does not hold mapped objects",
                "Person.friends does not hold what its mapping builds; did you mean 'Person'?",
                "Address has no property 'citty'; did you mean 'city'?",
            ])
    }

    @Test func theThreeFormsDeclareTheSame() throws {
        let built = ObjectMapping(for: Address.self) {
            attribute("city", to: \.city)
            attribute("zip", to: \.zip)
        }
        let named = ObjectMapping(for: Address.self, ["city": "city", "zip": "zip"])
        let listed = ObjectMapping(for: Address.self, ["city", "zip"])
        let standard = ObjectMapping(for: Address.self)
        let plans = try [built, named, listed, standard].map {
            try MappingCompiler().compile($0).description
        }
        #expect(Set(plans).count == 1)
    }

    @Test func aPlanPrintsItself() throws {
        let mapping = ObjectMapping(for: Person.self) {
            attribute("id", to: \.id)
            attribute("profile.name", to: \.name)
            relationship("friends", to: \.friends)
        }
        let plan = try MappingCompiler().compile(mapping)
        #expect(
            plan.description.hasPrefix(
                """
                #0 Person
                  id -> id
                  profile -> #1
                  friends -> friends #2
                #1 Person
                  name -> name
                #2 Person
                  id -> id
                """))
    }

    @Test func aTypeThatRelatesToItselfIsCompiledOnce() throws {
        let plan = try MappingPlan(Person.self)
        #expect(plan.description.contains("friends -> friends #"))
        #expect(plan.description.split(separator: "\n").filter { $0.hasPrefix("#") }.count <= 3)
    }
}

// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import TestSupport
import Testing

@Suite struct MappingPlanDescriptionTests {
    @Test func describesKeysAndSteps() throws {
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

    @Test func describesSpecialStepsAndObjects() throws {
        var mapping = ObjectMapping(for: User.self) {
            keyOfRepresentation(to: \.name)
            attribute("{name}.id", to: \.userID)
            attribute("town", to: "address.city")
            relationship(
                "@root.friends", to: \.friends,
                mapping: DynamicMapping([
                    MappingMatcher(
                        at: "type", equals: "x",
                        mapping: ObjectMapping(for: User.self, ["id": "userID"]))
                ]), assignment: .union)
            validate(\.userID) { _ in .accept }
        }
        mapping.assignsDefaultForMissing = true
        mapping.policy = .lenient
        let text = try MappingCompiler().compile(mapping).description
        for line in [
            "#0 User (wrong elements are dropped, wrong objects are dropped)",
            "(the key) -> name", "(its value) -> #1", "id -> userID, default if missing, validated",
            "@root.friends -> friends #2, added", "(the object) -> address #", "filled",
            "#2 User (chosen, ", "type = \"x\" -> #3", "town -> ",
        ] {
            #expect(text.contains(line), "\(line) in \(text)")
        }
    }
}

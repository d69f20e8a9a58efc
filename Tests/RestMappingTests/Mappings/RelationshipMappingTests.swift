// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import TestSupport
import Testing

@Suite struct RelationshipMappingTests {
    private func mapping(
        _ table: PropertyTable = User.properties, _ propertyMappings: PropertyMapping...
    ) -> ObjectMapping {
        var mapping = ObjectMapping(table: table)
        for propertyMapping in propertyMappings { mapping.add(propertyMapping) }
        return mapping
    }

    private func relation(
        _ source: SourcePath, _ destination: String, _ mapping: ObjectMapping? = nil
    ) -> PropertyMapping {
        .relationship(RelationshipMapping(source, to: destination, mapping: mapping?.mapping))
    }

    @Test(.parity("M359")) func equalsWithoutMapping() {
        #expect(relation("this", "that") == relation("this", "that"))
    }

    @Test(.parity("M360")) func differsInDestination() {
        #expect(relation("this", "that") != relation("this", "those"))
    }

    @Test(.parity("M361")) func equalsWithEqualMapping() {
        #expect(relation("this", "that", mapping()) == relation("this", "that", mapping()))
    }

    @Test(.parity("M362")) func differsInRelatedType() {
        #expect(
            relation("this", "that", mapping())
                != relation("this", "that", mapping(Home.properties)))
        #expect(relation("this", "that", mapping()) != relation("this", "that"))
    }

    @Test func acceptsMappingsOfAnyKind() {
        let related = mapping()
        let expected = RelationshipMapping("this", to: "that", mapping: Mapping?(related.mapping))
        #expect(RelationshipMapping("this", to: "that", mapping: related) == expected)
        #expect(RelationshipMapping("this", to: "that", mapping: related.mapping) == expected)
        let declared = ObjectMapping(for: User.self) {
            relationship("friends", to: \.friends, mapping: related.mapping)
        }
        #expect(declared.relationships.map(\.mapping) == [related.mapping])
    }
}

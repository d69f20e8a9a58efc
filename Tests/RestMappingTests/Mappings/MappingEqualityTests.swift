// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import TestSupport
import Testing

@Suite struct MappingEqualityTests {
    private func mapping(
        _ table: PropertyTable = User.properties, _ lines: PropertyMapping...
    ) -> ObjectMapping {
        var mapping = ObjectMapping(table: table)
        for line in lines { mapping.add(line) }
        return mapping
    }

    private func relation(
        _ source: SourcePath, _ destination: String, _ mapping: ObjectMapping? = nil
    ) -> PropertyMapping {
        .relationship(RelationshipMapping(source, to: destination, mapping: mapping?.mapping))
    }

    @Test(.parity("M356")) func attributesOfTheSamePlacesAreEqual() {
        #expect(AttributeMapping("this", to: "that") == AttributeMapping("this", to: "that"))
    }

    @Test(.parity("M357")) func attributesOfOtherDestinationsAreNot() {
        #expect(AttributeMapping("this", to: "that") != AttributeMapping("this", to: "other"))
        #expect(AttributeMapping("this", to: "that") != AttributeMapping("these", to: "that"))
    }

    @Test(.parity("M358")) func aCopyOfAnAttributeDoesTheSame() throws {
        let transform = ValueTransform<String>("shout") { ($0.string ?? "").uppercased() }
        let original = AttributeMapping("town", to: "city", using: transform)
        let copy = original
        #expect(copy == original)
        var mapping = ObjectMapping(table: Address.properties)
        mapping.add(copy)
        #expect(
            try map(Address.self, #"{"town":"Oslo"}"#, with: mapping).map(\.city) == ["OSLO"])
        #expect(
            throws: MappingError.self, "the copy keeps the type of the values",
            performing: {
                var wrong = ObjectMapping(table: Address.properties)
                wrong.add(
                    AttributeMapping("a", to: "city", using: ValueTransform<Int>("n") { _ in 1 }))
                return try MappingCompiler().compile(wrong)
            })
    }

    @Test(.parity("M359")) func relationshipsWithoutMappingsAreEqual() {
        #expect(relation("this", "that") == relation("this", "that"))
    }

    @Test(.parity("M360")) func relationshipsOfOtherDestinationsAreNot() {
        #expect(relation("this", "that") != relation("this", "those"))
    }

    @Test(.parity("M361")) func relationshipsWithEqualMappingsAreEqual() {
        #expect(relation("this", "that", mapping()) == relation("this", "that", mapping()))
    }

    @Test(.parity("M362")) func relationshipsToOtherTypesAreNot() {
        #expect(
            relation("this", "that", mapping())
                != relation("this", "that", mapping(Home.properties)))
        #expect(relation("this", "that", mapping()) != relation("this", "that"))
    }

    @Test(.parity("M365")) func mappingsOfOtherTypesAreNot() {
        let line = PropertyMapping.attribute(AttributeMapping("id", to: "id"))
        #expect(mapping(User.properties, line) != mapping(Home.properties, line))
    }

    @Test(.parity("M368")) func mappingsWithoutLinesAreEqual() {
        #expect(mapping() == mapping())
    }

    @Test(.parity("M369")) func mappingsWithTheSameAttributesAreEqual() {
        let first = PropertyMapping.attribute(AttributeMapping("this", to: "that"))
        let second = PropertyMapping.attribute(AttributeMapping("here", to: "there"))
        #expect(mapping(User.properties, first, second) == mapping(User.properties, second, first))
        #expect(mapping(User.properties, first, second) != mapping(User.properties, first))
        var options = mapping(User.properties, first, second)
        options.assignsDefaultForMissing = true
        options.forcesCollection = true
        options.policy = .lenient
        #expect(options == mapping(User.properties, first, second))
    }

    @Test(.parity("M370")) func mappingsWhoseAttributesHaveOtherSourcesAreNot() {
        #expect(
            mapping(User.properties, .attribute(AttributeMapping("this", to: "that")))
                != mapping(User.properties, .attribute(AttributeMapping("those", to: "that"))))
    }

    @Test(.parity("M371")) func mappingsWithEqualRelationshipsAreEqual() {
        #expect(
            mapping(User.properties, relation("this", "that", mapping()))
                == mapping(User.properties, relation("this", "that", mapping())))
    }

    @Test(.parity("M372")) func oneSourceMayFeedTwoDestinationsOfEqualMappings() {
        let lines = [AttributeMapping("this", to: "that"), AttributeMapping("this", to: "that2")]
            .map(PropertyMapping.attribute)
        #expect(
            mapping(User.properties, lines[0], lines[1])
                == mapping(User.properties, lines[0], lines[1]))
    }

    @Test(.parity("M373")) func mappingsWithRelationshipsToOtherTypesAreNot() {
        #expect(
            mapping(User.properties, relation("this", "that", mapping()))
                != mapping(User.properties, relation("this", "that", mapping(Home.properties))))
    }

    @Test(.parity("M374")) func mappingsWithRelationshipsOfOtherDestinationsAreNot() {
        #expect(
            mapping(User.properties, relation("this", "that", mapping()))
                != mapping(User.properties, relation("this", "else", mapping())))
    }

    @Test(.parity("M375")) func relationshipsFedByTheObjectItselfAreEqual() {
        #expect(
            mapping(User.properties, relation("", "that", mapping()))
                == mapping(User.properties, relation(.whole, "that", mapping())))
    }
}

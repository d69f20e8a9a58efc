// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import TestSupport
import Testing

@Suite struct ObjectMappingTests {
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

    @Test(.parity("M003", "M006")) func findsPropertyMappingBySource() {
        var mapping = ObjectMapping(table: User.properties)
        #expect(mapping.propertyMapping(from: "id") == nil)
        #expect(mapping.propertyMapping(from: "another") == nil)
        mapping.add(AttributeMapping("id", to: "userID"))
        mapping.add(RelationshipMapping("another", to: "friends"))
        #expect(
            mapping.propertyMapping(from: "id")
                == .attribute(AttributeMapping("id", to: "userID")))
        #expect(
            mapping.propertyMapping(from: "another")
                == .relationship(RelationshipMapping("another", to: "friends")))
        mapping.add(AttributeMapping("id", to: "luckyNumber"))
        #expect(mapping.propertyMapping(from: "id")?.destination == "luckyNumber")
    }

    @Test(.parity("M004")) func listsAttribute() {
        var mapping = ObjectMapping(table: User.properties)
        let attribute = AttributeMapping("id", to: "userID")
        mapping.add(attribute)
        #expect(mapping.propertyMappings == [.attribute(attribute)])
        #expect(mapping.attributes == [attribute])
        #expect(mapping.relationships == [])
    }

    @Test(.parity("M005")) func listsRelationship() {
        var mapping = ObjectMapping(table: User.properties)
        let relationship = RelationshipMapping("friends", to: "friends")
        mapping.add(relationship)
        #expect(mapping.propertyMappings == [.relationship(relationship)])
        #expect(mapping.relationships == [relationship])
        #expect(mapping.attributes == [])
    }

    @Test(.parity("M007")) func findsPropertyMappingByDestination() {
        var mapping = ObjectMapping(table: User.properties)
        #expect(mapping.propertyMapping(to: "name") == nil)
        mapping.add(AttributeMapping("n", to: "name"))
        mapping.add(RelationshipMapping("f", to: "friends"))
        #expect(
            mapping.propertyMapping(to: "name") == .attribute(AttributeMapping("n", to: "name")))
        #expect(
            mapping.propertyMapping(to: "friends")
                == .relationship(RelationshipMapping("f", to: "friends")))
    }

    @Test(.parity("M009")) func removesPropertyMapping() {
        var mapping = ObjectMapping(table: User.properties)
        let propertyMapping = PropertyMapping.attribute(AttributeMapping("name", to: ""))
        mapping.add(propertyMapping)
        mapping.add(AttributeMapping("id", to: "userID"))
        #expect(mapping.propertyMapping(from: "name") == propertyMapping)
        mapping.remove(propertyMapping)
        #expect(mapping.propertyMapping(from: "name") == nil)
        mapping.remove(to: "userID")
        #expect(mapping.propertyMappings.isEmpty)
    }

    // MARK: Equality

    @Test(.parity("M365")) func differsInType() {
        let propertyMapping = PropertyMapping.attribute(AttributeMapping("id", to: "id"))
        #expect(
            mapping(User.properties, propertyMapping) != mapping(Home.properties, propertyMapping))
    }

    @Test(.parity("M368")) func emptyMappingsAreEqual() {
        #expect(mapping() == mapping())
    }

    @Test(.parity("M369")) func equalsSameAttributesInAnyOrder() {
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

    @Test(.parity("M370")) func differsInAttributeSource() {
        #expect(
            mapping(User.properties, .attribute(AttributeMapping("this", to: "that")))
                != mapping(User.properties, .attribute(AttributeMapping("those", to: "that"))))
    }

    @Test(.parity("M371")) func equalsEqualRelationships() {
        #expect(
            mapping(User.properties, relation("this", "that", mapping()))
                == mapping(User.properties, relation("this", "that", mapping())))
    }

    @Test(.parity("M372")) func equalsTwoDestinationsOfOneSource() {
        let propertyMappings = [
            AttributeMapping("this", to: "that"), AttributeMapping("this", to: "that2"),
        ]
        .map(PropertyMapping.attribute)
        #expect(
            mapping(User.properties, propertyMappings[0], propertyMappings[1])
                == mapping(User.properties, propertyMappings[0], propertyMappings[1]))
    }

    @Test(.parity("M373")) func differsInTypeOfRelationship() {
        #expect(
            mapping(User.properties, relation("this", "that", mapping()))
                != mapping(User.properties, relation("this", "that", mapping(Home.properties))))
    }

    @Test(.parity("M374")) func differsInDestinationOfRelationship() {
        #expect(
            mapping(User.properties, relation("this", "that", mapping()))
                != mapping(User.properties, relation("this", "else", mapping())))
    }

    @Test(.parity("M375")) func equalsRelationshipsOfWholeRepresentation() {
        #expect(
            mapping(User.properties, relation("", "that", mapping()))
                == mapping(User.properties, relation(.whole, "that", mapping())))
    }
}

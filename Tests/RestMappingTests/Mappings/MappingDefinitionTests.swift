// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import TestSupport
import Testing

@Suite struct MappingDefinitionTests {
    @Test(.parity("M001")) func anAttributeKnowsItsSourceAndDestination() {
        let attribute = AttributeMapping("id", to: "userID")
        #expect(attribute.source == "id")
        #expect(attribute.destination == "userID")
    }

    @Test(.parity("M002")) func anAttributePrintsItsSourceBeforeItsDestination() throws {
        let text = String(reflecting: AttributeMapping("origin", to: "userID"))
        let source = try #require(text.firstRange(of: "origin"))
        let destination = try #require(text.firstRange(of: "userID"))
        #expect(source.upperBound <= destination.lowerBound)
    }

    @Test(.parity("M003", "M006")) func aLineIsFoundByItsSource() {
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

    @Test(.parity("M004")) func anAttributeIsAmongAllLinesAndAmongAttributes() {
        var mapping = ObjectMapping(table: User.properties)
        let attribute = AttributeMapping("id", to: "userID")
        mapping.add(attribute)
        #expect(mapping.propertyMappings == [.attribute(attribute)])
        #expect(mapping.attributes == [attribute])
        #expect(mapping.relationships == [])
    }

    @Test(.parity("M005")) func aRelationshipIsAmongAllLinesAndAmongRelationships() {
        var mapping = ObjectMapping(table: User.properties)
        let relationship = RelationshipMapping("friends", to: "friends")
        mapping.add(relationship)
        #expect(mapping.propertyMappings == [.relationship(relationship)])
        #expect(mapping.relationships == [relationship])
        #expect(mapping.attributes == [])
    }

    @Test(.parity("M007")) func aLineIsFoundByItsDestination() {
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

    @Test(.parity("M008")) func oneAttributeServesSeveralMappings() throws {
        let shared = AttributeMapping("town", to: "city")
        var first = ObjectMapping(table: Address.properties)
        first.add(shared)
        var second = ObjectMapping(table: Address.properties)
        for attribute in [shared, AttributeMapping("code", to: "zip")] { second.add(attribute) }
        second.policy = .strict
        var third = second
        third.add("zip", from: "code")
        #expect(first.attributes.map(\.destination) == ["city"])
        #expect(second.attributes.map(\.destination) == ["city", "zip"])
        #expect(third.attributes.count == 3)
        let json = #"{"town":"Oslo","code":"0150"}"#
        #expect(try map(Address.self, json, with: first) == [Address(city: "Oslo", zip: nil)])
        #expect(try map(Address.self, json, with: second) == [Address(city: "Oslo", zip: "0150")])
    }

    @Test(.parity("M009")) func aLineWithoutDestinationCanBeRemoved() {
        var mapping = ObjectMapping(table: User.properties)
        let line = PropertyMapping.attribute(AttributeMapping("name", to: ""))
        mapping.add(line)
        mapping.add(AttributeMapping("id", to: "userID"))
        #expect(mapping.propertyMapping(from: "name") == line)
        mapping.remove(line)
        #expect(mapping.propertyMapping(from: "name") == nil)
        mapping.remove(to: "userID")
        #expect(mapping.propertyMappings.isEmpty)
    }

    // MARK: Key transformation

    private static let upperCase = KeyTransformation(toDestination: { $0.uppercased() })
    private static let capitalized = KeyTransformation(
        toDestination: { $0.prefix(1).uppercased() + $0.dropFirst() })

    @Test(.parity("M010")) func namesOfAListAreTransformed() {
        var mapping = ObjectMapping(
            table: User.properties, keyTransformation: Self.upperCase)
        mapping.add(["name", "rank"])
        #expect(mapping.attributes.map(\.destination) == ["NAME", "RANK"])
        #expect(mapping.attributes.map(\.source) == ["name", "rank"])
        mapping.add(["as": "is"])
        #expect(mapping.propertyMapping(from: "as")?.destination == "is")
    }

    @Test(.parity("M011")) func theNameOfARelationshipIsTransformed() {
        var mapping = ObjectMapping(
            table: User.properties, keyTransformation: Self.upperCase)
        mapping.addRelationship(from: "something")
        #expect(mapping.relationships.map(\.source) == ["something"])
        #expect(mapping.relationships.map(\.destination) == ["SOMETHING"])
    }

    @Test(.parity("M012")) func everyComponentOfADottedNameIsTransformed() {
        var mapping = ObjectMapping(
            table: User.properties, keyTransformation: Self.capitalized)
        mapping.addRelationship(from: "user.comments")
        #expect(mapping.relationships.map(\.destination) == ["User.Comments"])
    }

    @Test(.parity("M013")) func aMappingKeepsTheTransformationItWasMadeWith() throws {
        let configured = { ObjectMapping(table: $0, keyTransformation: Self.capitalized) }
        var mapping = configured(User.properties)
        mapping.add(["user.comments"])
        #expect(mapping.attributes.map(\.destination) == ["User.Comments"])
        var plain = ObjectMapping(table: User.properties)
        plain.add(["user.comments"])
        #expect(plain.attributes.map(\.destination) == ["user.comments"])
        var copy = mapping
        copy.add(["more"])
        #expect(copy.attributes.map(\.destination) == ["User.Comments", "More"])
    }

    @Test(
        arguments: [
            ("created_at", "createdAt"), ("id", "id"), ("html_url", "htmlUrl"),
            ("_links", "_links"),
        ])
    func snakeCaseGoesBothWays(key: String, name: String) throws {
        var mapping = ObjectMapping(table: User.properties, keyTransformation: .snakeCase)
        mapping.add([SourcePath([.key(key)])])
        #expect(mapping.attributes.map(\.destination) == [name])
        let table = PropertyTable(entity: "Any", [Property(name: name)])
        let standard = ObjectMapping(defaultFor: table, keyTransformation: .snakeCase)
        #expect(standard.attributes.map(\.source) == [SourcePath([.key(key)])])
    }

    @Test func theDefaultMappingFollowsTheTransformationWhereNothingIsDeclared() {
        let mapping = ObjectMapping(for: User.self, keyTransformation: .snakeCase)
        #expect(mapping.propertyMapping(to: "friendsSet")?.source == "friends_set")
        #expect(mapping.propertyMapping(to: "userID")?.source == "id")
        #expect(
            ObjectMapping(
                defaultFor: PropertyTable(entity: "E", [Property(name: "htmlURLPath")]),
                keyTransformation: .snakeCase
            ).attributes.map(\.source) == ["html_url_path"])
    }
}

// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import TestSupport
import Testing

@Suite struct KeyTransformationTests {
    private static let upperCase = KeyTransformation(toDestination: { $0.uppercased() })
    private static let capitalized = KeyTransformation(
        toDestination: { $0.prefix(1).uppercased() + $0.dropFirst() })

    @Test(.parity("M010")) func transformsNamesOfList() {
        var mapping = ObjectMapping(
            table: User.properties, keyTransformation: Self.upperCase)
        mapping.add(["name", "rank"])
        #expect(mapping.attributes.map(\.destination) == ["NAME", "RANK"])
        #expect(mapping.attributes.map(\.source) == ["name", "rank"])
        mapping.add(["as": "is"])
        #expect(mapping.propertyMapping(from: "as")?.destination == "is")
    }

    @Test(.parity("M011")) func transformsNameOfRelationship() {
        var mapping = ObjectMapping(
            table: User.properties, keyTransformation: Self.upperCase)
        mapping.addRelationship(from: "something")
        #expect(mapping.relationships.map(\.source) == ["something"])
        #expect(mapping.relationships.map(\.destination) == ["SOMETHING"])
    }

    @Test(.parity("M012")) func transformsEachComponentOfDottedName() {
        var mapping = ObjectMapping(
            table: User.properties, keyTransformation: Self.capitalized)
        mapping.addRelationship(from: "user.comments")
        #expect(mapping.relationships.map(\.destination) == ["User.Comments"])
    }

    @Test(.parity("M013")) func mappingKeepsItsTransformation() throws {
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
    func snakeCaseConvertsBothDirections(key: String, name: String) throws {
        var mapping = ObjectMapping(table: User.properties, keyTransformation: .snakeCase)
        mapping.add([SourcePath([.key(key)])])
        #expect(mapping.attributes.map(\.destination) == [name])
        let table = PropertyTable(entity: "Any", [Property(name: name)])
        let standard = ObjectMapping(defaultFor: table, keyTransformation: .snakeCase)
        #expect(standard.attributes.map(\.source) == [SourcePath([.key(key)])])
    }

    @Test func defaultMappingTransformsUndeclaredKeys() {
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

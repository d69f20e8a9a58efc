// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping
import RestPersistence
import RestTesting
import TestSupport
import Testing

@Suite struct ManagedMappingTestTests {
    private let directory = FileManager.default.temporaryDirectory
        .appending(path: "RestTestingTests-\(UUID().uuidString)")

    private static let entities = [
        EntityDescription(
            "Human",
            attributes: [
                AttributeDescription("name", .text, isOptional: true),
                AttributeDescription("age", .integer, isOptional: true),
                AttributeDescription("favoriteCatID", .integer, isOptional: true),
            ], relationships: [.toOne("favoriteCat", "Cat")]),
        EntityDescription(
            "Cat",
            attributes: [
                AttributeDescription("railsID", .integer, isIdentity: true),
                AttributeDescription("name", .text, isOptional: true),
            ]),
    ]

    @Test(.parity("M352", "X029")) func comparesValuesOfAttributes() async throws {
        try await test(at: "favorite_cat") { test, _ in
            #expect(
                test.meets(MappingExpectation("name", to: "name", value: "Blake Watters")))
            #expect(!test.meets(MappingExpectation("name", to: "name", value: "Invalid")))
            #expect(!test.meets(MappingExpectation("title", to: "name")))
            #expect(test.meets(MappingExpectation("age", to: "age", value: 28)))
            #expect(test.object.objectID.entityName == "Human")
        }
    }

    @Test(.parity("M353", "X029")) func findsExistingRelatedObject() async throws {
        try await test(at: "favorite_cat") { test, asia in
            let expectation = MappingExpectation("favorite_cat", to: "favoriteCat") {
                (cat: ManagedObject) in cat.objectID == asia
            }
            try test.evaluate(expectation)
            let cat = try test.object.related("favoriteCat")[0]
            #expect(
                test.meets(
                    MappingExpectation("favorite_cat", to: "favoriteCat", object: cat)))
            #expect(
                !test.meets(
                    MappingExpectation("favorite_cat", to: "favoriteCat", object: test.object)))
            let another = MappingExpectation("favorite_cat", to: "favoriteCat") {
                (cat: ManagedObject) in cat.objectID != asia
            }
            let error = #expect(throws: MappingTestError.self) { try test.evaluate(another) }
            #expect(error?.code == .evaluation)
            #expect(test.meets(MappingExpectation("name", to: "name", value: "Asia")) == false)
        }
    }

    @Test(.parity("M354", "X029")) func acceptsWholeRepresentationAsSource() async throws {
        try await test(at: .whole) { test, asia in
            #expect(test.meets(MappingExpectation(.whole, to: "favoriteCat")))
            #expect(!test.meets(MappingExpectation("favorite_cat", to: "favoriteCat")))
            let cat = try test.object.value(named: "favoriteCat") as? ManagedObject
            #expect(cat?.objectID == asia)
        }
    }

    @Test(.parity("M355", "X029", "K117")) func expectsConnectionByAttributes() async throws {
        let store = try await store()
        try await store.perform { context in
            defer { context.rollback() }
            let asia = try context.insertObject("Cat", ["railsID": 31340, "name": "Asia"])
            let roy = try context.insertObject("Cat", ["railsID": 31341, "name": "Roy"])
            var human = ObjectMapping(
                table: try #require(context.model.properties(of: "Human")))
            human.add(["name": "name", "favorite_cat_id": "favoriteCatID"])
            let rules = EntityRules(
                connections: [Connection("favoriteCat", by: ["favoriteCatID": "railsID"])])
            let test = try ManagedMappingTest(
                EntityMapping(human, rules: ["Human": rules]),
                on: ["name": "Blake", "favorite_cat_id": 31340], in: context)
            // Connections are made before the test is judged.
            #expect(try test.object.related("favoriteCat") == [asia])
            try test.verify([
                ConnectionExpectation("favoriteCat"),
                ConnectionExpectation("favoriteCat", by: ["favoriteCatID": "railsID"]),
                ConnectionExpectation("favoriteCat", by: ["favoriteCatID": "railsID"], to: [asia]),
            ])
            let wrong = ConnectionExpectation(
                "favoriteCat", by: ["favoriteCatID": "railsID"], to: [roy])
            let error = #expect(throws: MappingTestError.self) { try test.evaluate(wrong) }
            #expect(error?.code == .valueInequality)
            #expect(error?.message.contains("\(asia.objectID)") == true)
            let other = ConnectionExpectation("favoriteCat", by: ["age": "railsID"])
            #expect(!test.meets(other))
            #expect(!test.meets(ConnectionExpectation("cats")))
        }
        try FileManager.default.removeItem(at: directory)
    }

    /// An expectation without a value accepts any, also null.
    @Test(.parity("K117")) func acceptsAnyValueWithoutExpectedOne() async throws {
        let store = try await store()
        try await store.perform { context in
            defer { context.rollback() }
            var human = ObjectMapping(
                table: try #require(context.model.properties(of: "Human")))
            human.add(["name", "age"])
            let test = try ManagedMappingTest(
                EntityMapping(human), on: ["name": nil, "age": 28], in: context)
            #expect(test.meets(MappingExpectation("name", to: "name")))
            #expect(test.meets(MappingExpectation("age", to: "age")))
            #expect(!test.meets(MappingExpectation("age", to: "age", value: 29)))
        }
        try FileManager.default.removeItem(at: directory)
    }

    @Test func throwsWhenKeyPathHasNoValue() async throws {
        let store = try await store()
        try await store.perform { context in
            defer { context.rollback() }
            let mapping = try Self.mapping(context.model, cat: "favorite_cat")
            let error = #expect(throws: MappingTestError.self) {
                try ManagedMappingTest(mapping, on: ["a": 1], at: "human", in: context)
            }
            #expect(error?.code == .nothingToMap)
        }
    }

    /// Maps the human whose cat is already saved.
    private func test(
        at source: SourcePath,
        _ check: @escaping @Sendable (ManagedMappingTest, ManagedObjectID) throws -> Void
    ) async throws {
        let store = try await store()
        let document = try Fixture(relativeTo: #filePath).document("human")
        try await store.perform { context in
            defer { context.rollback() }
            let asia = try context.insert(entity: "Cat")
            try asia.setValue(1234, "railsID")
            try context.save()
            let mapping = try Self.mapping(context.model, cat: source)
            try check(
                ManagedMappingTest(mapping, on: document, at: "human", in: context),
                asia.objectID)
        }
        try FileManager.default.removeItem(at: directory)
    }

    private func store() async throws -> ManagedObjectStore {
        try await ManagedObjectStore(
            at: directory.appending(path: "objects.sqlite"),
            model: ManagedObjectModel(Self.entities))
    }

    private static func mapping(
        _ model: ManagedObjectModel, cat source: SourcePath
    ) throws -> EntityMapping {
        var cat = ObjectMapping(table: try #require(model.properties(of: "Cat")))
        let identity: SourcePath = source == .whole ? "favorite_cat_id" : "id"
        cat.add("railsID", from: identity)
        var human = ObjectMapping(table: try #require(model.properties(of: "Human")))
        human.add(["name", "age"])
        human.add(RelationshipMapping(source, to: "favoriteCat", mapping: cat))
        return EntityMapping(human)
    }
}

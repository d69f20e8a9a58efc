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
            ], relationships: [.toOne("favoriteCat", "Cat")]),
        EntityDescription(
            "Cat",
            attributes: [
                AttributeDescription("railsID", .integer, isIdentity: true),
                AttributeDescription("name", .text, isOptional: true),
            ]),
    ]

    @Test(.parity("M352")) func comparesValuesOfAttributes() async throws {
        try await test(at: "favorite_cat") { test, _ in
            #expect(
                test.meets(MappingExpectation("name", to: "name", value: "Blake Watters")))
            #expect(!test.meets(MappingExpectation("name", to: "name", value: "Invalid")))
            #expect(!test.meets(MappingExpectation("title", to: "name")))
            #expect(test.meets(MappingExpectation("age", to: "age", value: 28)))
            #expect(test.object.objectID.entityName == "Human")
        }
    }

    @Test(.parity("M353")) func findsExistingRelatedObject() async throws {
        try await test(at: "favorite_cat") { test, asia in
            let expectation = MappingExpectation("favorite_cat", to: "favoriteCat") {
                (cat: ManagedObject) in cat.objectID == asia
            }
            try test.evaluate(expectation)
            let another = MappingExpectation("favorite_cat", to: "favoriteCat") {
                (cat: ManagedObject) in cat.objectID != asia
            }
            let error = #expect(throws: MappingTestError.self) { try test.evaluate(another) }
            #expect(error?.code == .evaluation)
            #expect(test.meets(MappingExpectation("name", to: "name", value: "Asia")) == false)
        }
    }

    @Test(.parity("M354")) func acceptsWholeRepresentationAsSource() async throws {
        try await test(at: .whole) { test, asia in
            #expect(test.meets(MappingExpectation(.whole, to: "favoriteCat")))
            #expect(!test.meets(MappingExpectation("favorite_cat", to: "favoriteCat")))
            let cat = try test.object.value(named: "favoriteCat") as? ManagedObject
            #expect(cat?.objectID == asia)
        }
    }

    @Test func throwsWhenKeyPathHasNoValue() async throws {
        let store = try await store()
        try await store.perform { context in
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

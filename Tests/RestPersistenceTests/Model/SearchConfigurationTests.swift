// SPDX-License-Identifier: Apache-2.0

import RestPersistence
import TestSupport
import Testing

@Suite struct SearchConfigurationTests {
    static let entities = [
        EntityDescription(
            "Human",
            attributes: [
                AttributeDescription("name", .text, isOptional: true),
                AttributeDescription("nickName", .text, isOptional: true),
                AttributeDescription("railsID", .integer, isOptional: true),
                AttributeDescription("catIDs", .json, isOptional: true),
                AttributeDescription("updatedAt", .date, isOptional: true),
            ], relationships: [.toMany("cats", "Cat", inverse: "human")]),
        EntityDescription(
            "Cat", attributes: [AttributeDescription("name", .text, isOptional: true)],
            relationships: [.toOne("human", "Human")]),
    ]

    static func model(
        _ attributes: [String: [String]], _ configuration: SearchConfiguration = .init()
    ) throws -> ManagedObjectModel {
        var configuration = configuration
        configuration.attributes = attributes
        return try ManagedObjectModel(entities, search: configuration)
    }

    @Test(.parity("P286", "P290", "K115")) func addsIndexForEachEntity() async throws {
        let names = ["name", "nickName", "railsID", "catIDs"]
        let model = try Self.model(["Human": names, "Cat": ["name"]])
        #expect(model.searchableAttributes(of: "Human") == names)
        #expect(model.searchableAttributes(of: "Cat") == ["name"])
        #expect(model["Human"]?.attributes.filter(\.isSearchable).map(\.name) == names)
        let files = try TemporaryStore()
        try await ManagedObjectStore(at: files.file, model: model).close()
        #expect(
            try files.rows("SELECT name FROM restkit_search ORDER BY 1")
                == [["restkit_search_Cat"], ["restkit_search_Human"]])
        #expect(
            try files.rows("SELECT name FROM pragma_table_info('restkit_search_Human')")
                == names.map { [$0] })
    }

    @Test(.parity("P287")) func combinesDeclaredAndNamedAttributes() throws {
        var entities = Self.entities
        entities[0].attributes[1].isSearchable = true
        let model = try ManagedObjectModel(
            entities, search: SearchConfiguration(attributes: ["Human": ["name"]]))
        #expect(model.searchableAttributes(of: "Human") == ["name", "nickName"])
    }

    @Test(.parity("P288")) func refusesDates() {
        let error = #expect(throws: PersistenceError.self) {
            _ = try Self.model(["Human": ["updatedAt"]])
        }
        #expect(error?.code == .invalidModel)
        #expect(
            error?.details == [
                "Human.updatedAt cannot be searchable: its type is date, and only texts, numbers and "
                    + "JSON values have words"
            ])
    }

    @Test(.parity("P289")) func namesUnknownAttributes() {
        let error = #expect(throws: PersistenceError.self) {
            _ = try Self.model(["Human": ["doesNotExist"], "Dog": ["name"]])
        }
        #expect(
            error?.details == [
                "searchable entity Dog is not in the model",
                "searchable attribute doesNotExist is not one of Human",
            ])
    }

    @Test func refusesNamesOfSQLite() {
        let error = #expect(throws: PersistenceError.self) {
            _ = try ManagedObjectModel([
                EntityDescription(
                    "A", attributes: [AttributeDescription("Rank", .text, isSearchable: true)])
            ])
        }
        #expect(error?.details == ["A.Rank cannot be searchable: SQLite reserves the name"])
    }
}

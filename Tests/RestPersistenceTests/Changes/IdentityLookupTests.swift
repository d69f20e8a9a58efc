// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping
import RestPersistence
import TestSupport
import Testing

@Suite struct IdentityLookupTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    @Test(
        .parity("P180", "P181", "P182"),
        arguments: [("{}", true), ("{}", false), (#"{"id": null}"#, true)])
    func insertsObjectWithoutIdentity(text: String, hasIdentity: Bool) async throws {
        let store = try await files.open([
            EntityDescription(
                "Human",
                attributes: [
                    AttributeDescription(
                        "id", .integer, isOptional: true, isIdentity: hasIdentity)
                ])
        ])
        let result = try await load(text, of: "Human", into: store)
        #expect(result.total.inserted == 1)
        #expect(result.objectIDs.count == 1)
        #expect(try files.rows("SELECT id FROM Human") == [["-"]])
    }

    @Test(.parity("P135", "P184")) func findsNumber() async throws {
        try await expectFound(by: .integer, 123, source: "id", in: #"{"id": 123}"#)
    }

    @Test(.parity("P185")) func findsNestedNumber() async throws {
        try await expectFound(
            by: .integer, 123, source: "monkey.id", in: #"{"monkey": {"id": 123}}"#)
    }

    @Test(.parity("P050")) func findsNumberByText() async throws {
        try await expectFound(by: .integer, 12345, source: "id", in: #"{"id": "12345"}"#)
    }

    @Test(.parity("P051")) func findsTextByNumber() async throws {
        try await expectFound(by: .text, "12345", source: "id", in: #"{"id": 12345}"#)
    }

    @Test(.parity("P186")) func findsDateByText() async throws {
        try await expectFound(
            by: .date, Date(timeIntervalSince1970: 1_332_414_342), source: "id",
            in: #"{"id": "2012-03-22T11:05:42Z"}"#)
    }

    @Test(.parity("P192")) func findsByCompoundIdentity() async throws {
        let store = try await files.open([
            EntityDescription(
                "Human",
                attributes: [
                    AttributeDescription("railsID", .integer, isIdentity: true),
                    AttributeDescription("name", .text, isIdentity: true),
                    AttributeDescription("createdAt", .date, isIdentity: true),
                ])
        ])
        let date = Date(timeIntervalSince1970: 1_332_414_342)
        let ids = try await store.perform { context in
            let humans = try [
                (12345, "Reginald", date), (12345, "Reginald", date + 1), (12345, "Blake", date),
                (1, "Reginald", date),
            ].map { id, name, date in
                let human = try context.insert(entity: "Human")
                try human.setValue(id, "railsID")
                try human.setValue(name, "name")
                try human.setValue(date, "createdAt")
                return human
            }
            try context.save()
            return humans.map(\.objectID)
        }
        let result = try await load(
            #"{"railsID": "12345", "name": "Reginald", "createdAt": "2012-03-22T11:05:42Z"}"#,
            of: "Human", into: store)
        #expect(result.objectIDs == [ids[0]])
        #expect(result.total.found == 1)
    }

    @Test(.parity("P047", "SM16")) func findsByAttributesOfMapping()
        async throws
    {
        let store = try await files.open()
        let first = try await files.load(AirportDocuments.oslo, into: store)
        let plan = try EntityMappingPlan(
            EntityMapping(
                ObjectMapping(for: Airport.self),
                rules: ["Airport": EntityRules(identification: ["name"])]),
            in: store.model)
        let document = try Document(parsing: #"[{"code": "GEN", "name": "Gardermoen"}]"#)
        let result = try await store.perform { context in
            let result = try context.importObjects(from: document.root, by: plan)
            try context.save()
            return result
        }
        #expect(result.objectIDs == [first.result.objectIDs[0]])
        #expect(
            try files.rows("SELECT code FROM Airport ORDER BY 1") == [["BGO"], ["GEN"]])
    }

    @Test(.parity("P044")) func readsIdentityFromModel() {
        let declared = Airport.entity.attributes.filter(\.isIdentity)
        #expect(declared.map(\.name) == ["code"])
    }

    private func expectFound<Value: AttributeValue & Sendable>(
        by type: AttributeType, _ value: Value, source: SourcePath, in text: String
    ) async throws {
        let store = try await files.open([
            EntityDescription(
                "Human", attributes: [AttributeDescription("id", type, isIdentity: true)])
        ])
        let saved = try await store.perform { context in
            let human = try context.insert(entity: "Human")
            try human.setValue(value, "id")
            try context.save()
            return human.objectID
        }
        let result = try await load(text, of: "Human", into: store, source: source)
        #expect(result.objectIDs == [saved])
        #expect(result.total.inserted == 0)
        #expect(try files.rows("SELECT count(*) FROM Human") == [["1"]])
    }

    private func load(
        _ text: String, of entity: String, into store: ManagedObjectStore,
        source: SourcePath? = nil
    ) async throws -> ImportResult {
        let table = try #require(store.model.properties(of: entity))
        var mapping = ObjectMapping(defaultFor: table)
        if let source {
            mapping = ObjectMapping(table: table)
            mapping.add("id", from: source)
        }
        let plan = try EntityMappingPlan(EntityMapping(mapping), in: store.model)
        let document = try Document(parsing: text)
        return try await store.perform { context in
            let result = try context.importObjects(from: document.root, by: plan)
            try context.save()
            return result
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import RestPersistence
import TestSupport
import Testing

/// The import of dynamic mappings.
@Suite struct ImportBatchTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    /// A mapping for airports and cities in one list.
    private func mixed(_ policy: IssuePolicy = .standard) -> DynamicMapping {
        DynamicMapping([
            MappingMatcher(at: "is", equals: "airport", mapping: ObjectMapping(for: Airport.self)),
            MappingMatcher(
                at: "is", equals: "city", mapping: ObjectMapping(for: City.self, policy: policy)),
        ])
    }

    @Test func importsElementsOfSeveralEntities() async throws {
        let store = try await files.open()
        let json = """
            [{"is": "city", "name": "Oslo"}, {"is": "airport", "code": "OSL", "name": "G"},
             {"is": "ship", "name": "Fram"}, {"is": "city", "name": "Oslo", "population": 1}]
            """
        let result = try await load(json, EntityMapping(mixed()), into: store)
        #expect(result.objectIDs.map(\.entityName) == ["City", "Airport", "City"])
        #expect(result.objectIDs[0] == result.objectIDs[2])
        #expect(result.total.inserted == 2)
        #expect(result.report.droppedObjectCount == 1)
        #expect(try files.rows("SELECT name, population FROM City") == [["Oslo", "1"]])
        #expect(try files.rows("SELECT code FROM Airport") == [["OSL"]])
    }

    /// A plain value that no matcher matches has the wrong type; such an object is dropped.
    @Test func choosesMappingOfPlainValue() async throws {
        let store = try await files.open()
        var city = ObjectMapping(table: ObjectMapping(for: City.self).table)
        city.add("name", from: .whole)
        let mapping = DynamicMapping([
            MappingMatcher(at: "", is: .string, mapping: city),
            MappingMatcher(at: "is", equals: "city", mapping: ObjectMapping(for: City.self)),
        ])
        let json = #"["Oslo", {"is": "city", "name": "Bergen"}, {"is": "ship"}]"#
        let result = try await load(json, EntityMapping(mapping), into: store)
        #expect(result.report.droppedObjectCount == 1)
        #expect(
            try files.rows("SELECT name FROM City ORDER BY 1") == [["Bergen"], ["Oslo"]])
        let error = await #expect(throws: MappingError.self) {
            try await load(
                #"[{"is": "city", "name": "Hamar"}, 7]"#, EntityMapping(mapping), into: store)
        }
        #expect(error?.code == .invalidObject)
        #expect(try files.rows("SELECT count(*) FROM City") == [["2"]])
    }

    @Test func choosesMappingOfRelatedObject() async throws {
        let store = try await files.open()
        let terminals = DynamicMapping([
            MappingMatcher(
                at: "no", is: .number,
                mapping: ObjectMapping(for: Terminal.self, ["no": "number"])),
            MappingMatcher(
                at: "number", is: .number,
                mapping: ObjectMapping(for: Terminal.self, ["number": "number"])),
        ])
        let mapping = ObjectMapping(for: Airport.self) {
            attribute("code", to: \.code)
            attribute("name", to: \.name)
            relationship("terminals", to: \.terminals, mapping: terminals)
        }
        let json = """
            {"code": "OSL", "name": "G", "terminals": [{"no": 1}, {"number": 2}, {"gate": 3}]}
            """
        let result = try await load(json, EntityMapping(mapping), into: store)
        #expect(result.total.inserted == 3)
        #expect(try files.rows("SELECT number FROM Terminal ORDER BY 1") == [["1"], ["2"]])
    }

    @Test func usesPolicyOfChosenMapping() async throws {
        let store = try await files.open()
        let lenient = EntityMapping(mixed(.lenient))
        let result = try await load(#"[{"is": "city", "name": null}]"#, lenient, into: store)
        #expect(result.objectIDs.isEmpty)
        #expect(result.report.issues.map(\.path.description).contains("[0].name"))
        await #expect(throws: PersistenceError.self) {
            try await load(#"[{"is": "airport", "code": "X"}]"#, lenient, into: store)
        }
    }

    @Test func reportsDroppedElement() async throws {
        let store = try await files.open()
        let plan = EntityMapping(ObjectMapping(for: City.self, policy: .lenient))
        let result = try await load(#"[{"other": 1}, {"name": "Oslo"}]"#, plan, into: store)
        #expect(result.objectIDs.count == 1)
        #expect(result.report.issues.map(\.code) == [.unmappable])
        #expect(result.report.droppedObjectCount == 1)
    }

    @Test func importsEntitiesWithoutClass() async throws {
        let store = try await files.open([
            EntityDescription(
                "Human", attributes: [AttributeDescription("name", .text, isIdentity: true)],
                relationships: [.toOne("friend", "Human"), .toMany("cats", "Cat")]),
            EntityDescription(
                "Cat", attributes: [AttributeDescription("lives", .integer, isOptional: true)]),
        ])
        let table = try #require(store.model.properties(of: "Human"))
        let plan = try EntityMappingPlan(
            EntityMapping(ObjectMapping(defaultFor: table)), in: store.model)
        let document = try Document(
            parsing: #"{"name": "a", "friend": {"name": "b"}, "cats": [{"lives": 9}]}"#)
        try await store.perform { context in
            defer { context.rollback() }
            let result = try context.importObjects(from: document.root, by: plan)
            let human = try context.object(with: result.objectIDs[0])
            #expect(try human.value(named: "name") as? String == "a")
            #expect(try human.text(at: "friend.name") == "b")
            #expect(try human.value(at: "cats[0].lives") as? Int == 9)
            #expect(try human.value(at: "friend.friend") == nil)
            let error = #expect(throws: MappingError.self) { try human.value(named: "nme") }
            #expect(error?.code == .unknownProperty)
            #expect(error?.description.contains("'name'") == true)
        }
    }

    @Test func rejectsMappingOfUnknownEntity() async throws {
        let store = try await files.open([City.entity, Mayor.entity])
        let error = #expect(throws: PersistenceError.self) {
            try EntityMappingPlan(EntityMapping(mixed()), in: store.model)
        }
        #expect(error?.code == .unknownEntity)
    }

    private func load(
        _ text: String, _ mapping: EntityMapping, into store: ManagedObjectStore
    ) async throws -> ImportResult {
        let plan = try EntityMappingPlan(mapping, in: store.model)
        let document = try Document(parsing: text)
        return try await store.perform { context in
            let result = try context.importObjects(from: document.root, by: plan)
            try context.save()
            return result
        }
    }
}

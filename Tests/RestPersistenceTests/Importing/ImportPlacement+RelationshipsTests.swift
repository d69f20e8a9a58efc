// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import RestPersistence
import TestSupport
import Testing

@Suite struct ImportPlacementRelationshipsTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    @Test(.parity("P090", "P092"), arguments: ["[]", "null"])
    func emptiesToManyRelationship(value: String) async throws {
        let store = try await files.open()
        _ = try await files.load(AirportDocuments.oslo, into: store)
        let (result, _) = try await files.load(
            #"[{"code": "OSL", "name": "n", "terminals": \#(value)}]"#, into: store)
        #expect(result.report.issues.isEmpty)
        #expect(
            try files.rows("SELECT number FROM Terminal WHERE airport IS NULL ORDER BY 1")
                == [["1"], ["2"]])
    }

    @Test(.parity("P091")) func emptiesToOneRelationship() async throws {
        let store = try await files.open()
        _ = try await files.load(AirportDocuments.oslo, into: store)
        let (result, _) = try await files.load(
            #"[{"code": "OSL", "name": "n", "city": null}]"#, into: store)
        #expect(result.report.issues.isEmpty)
        #expect(
            try files.rows("SELECT code, city IS NULL FROM Airport ORDER BY 1")
                == [["BGO", "0"], ["OSL", "1"]])
        #expect(try files.rows("SELECT count(*) FROM City") == [["2"]])
    }

    @Test(.parity("P095")) func acceptsNullForListOfNewObject() async throws {
        let store = try await files.open()
        let (result, _) = try await files.load(
            #"[{"code": "OSL", "name": "n", "terminals": null}]"#, into: store)
        #expect(result.total.inserted == 1)
        #expect(result.report.issues.isEmpty)
        let count = try await store.perform { context in
            try context.object(Airport.self, with: result.objectIDs[0]).terminals.count
        }
        #expect(count == 0)
    }

    @Test(.parity("P093")) func importsNestedObjectsOfToManyRelationship() async throws {
        let store = try await files.open([
            EntityDescription(
                "Human",
                attributes: [
                    AttributeDescription("name", .text, isIdentity: true),
                    AttributeDescription("favoriteCatID", .integer, isOptional: true),
                ],
                relationships: [.toMany("cats", "Cat", inverse: "human")]),
            EntityDescription(
                "Cat", attributes: [AttributeDescription("name", .text)],
                relationships: [.toOne("human", "Human")]),
        ])
        var cat = ObjectMapping(table: try #require(store.model.properties(of: "Cat")))
        cat.add("name", from: "name")
        var human = ObjectMapping(table: try #require(store.model.properties(of: "Human")))
        human.add("name", from: "name")
        human.add("favoriteCatID", from: "favoriteCatID")
        human.add(RelationshipMapping("cats", to: "cats", mapping: cat))
        let plan = try EntityMappingPlan(EntityMapping(human), in: store.model)
        let document = try Document(
            parsing:
                #"{"name": "Blake Watters", "favoriteCatID": 31337, "cats": [{"name": "Asia"}]}"#)
        let (result, cats) = try await store.perform { context in
            let result = try context.importObjects(from: document.root, by: plan)
            let human = try context.object(with: result.objectIDs[0])
            let cats = try human.related("cats").map { try $0.value("name", as: String.self) }
            try context.save()
            return (result, cats)
        }
        #expect(result.report.issues.isEmpty)
        #expect(result.total.inserted == 2)
        #expect(cats == ["Asia"])
        #expect(
            try files.rows(
                """
                SELECT Human.name, favoriteCatID, Cat.name FROM Human
                LEFT JOIN Cat ON Cat.human = Human.restkit_key
                """) == [["Blake Watters", "31337", "Asia"]])
    }

    @Test(.parity("P097")) func connectsBothSidesOfManyToManyRelationship() async throws {
        let store = try await files.open()
        let plan = try EntityMappingPlan(EntityMapping(Terminal.self), in: store.model)
        let document = try Document(
            parsing: #"{"number": 1, "airlines": [{"code": "SK"}, {"code": "DY"}]}"#)
        let ids = try await store.perform { context in
            let result = try context.importObjects(from: document.root, by: plan)
            try context.save()
            return result.objectIDs
        }
        #expect(ids.count == 1)
        try await store.perform { context in
            let terminal = try context.object(Terminal.self, with: ids[0])
            #expect(Set(terminal.airlines.map(\.code)) == ["SK", "DY"])
            for airline in terminal.airlines { #expect(airline.terminals == [terminal]) }
        }
    }

    @Test func unionKeepsExistingDestinations() async throws {
        let store = try await files.open()
        _ = try await files.load(AirportDocuments.oslo, into: store)
        var mapping = ObjectMapping(for: Airport.self, ["code": "code", "name": "name"])
        mapping.add(RelationshipMapping("terminals", to: "terminals", assignment: .union))
        mapping.assignsNilForMissingRelationships = true
        try await load(
            """
            [{"code": "OSL", "name": "n", "terminals": [{"number": 3}]}, {"code": "BGO", "name": "n"}]
            """, by: mapping, into: store)
        #expect(
            try files.rows("SELECT number FROM Terminal WHERE airport IS NOT NULL ORDER BY 1")
                == [["1"], ["2"], ["3"]])
    }

    @Test(.parity("M235")) func unionWithMissingListChangesNothing() async throws {
        let store = try await files.open()
        _ = try await files.load(AirportDocuments.oslo, into: store)
        var mapping = ObjectMapping(for: Airport.self, ["code": "code", "name": "name"])
        mapping.add(RelationshipMapping("terminals", to: "terminals", assignment: .union))
        mapping.assignsNilForMissingRelationships = true
        try await load(#"[{"code": "OSL", "name": "new"}]"#, by: mapping, into: store)
        #expect(try files.rows("SELECT name FROM Airport WHERE code = 'OSL'") == [["new"]])
        #expect(
            try files.rows("SELECT number, airport IS NULL FROM Terminal ORDER BY 1")
                == [["1", "0"], ["2", "0"]])
    }

    // MARK: Replacing

    private func replacing(_ property: String) -> ObjectMapping {
        var mapping = ObjectMapping(for: Airport.self, ["code": "code", "name": "name"])
        mapping.add(
            RelationshipMapping(SourcePath([.key(property)]), to: property, assignment: .replace))
        return mapping
    }

    @Test(.parity("M231")) func replacingListDeletesOtherObjects() async throws {
        let store = try await files.open()
        _ = try await files.load(AirportDocuments.oslo, into: store)
        try await load(
            #"[{"code": "OSL", "name": "n", "terminals": [{"number": 2}, {"number": 3}]}]"#,
            by: replacing("terminals"), into: store)
        #expect(
            try files.rows("SELECT number, airport IS NULL FROM Terminal ORDER BY 1")
                == [["2", "0"], ["3", "0"]])
    }

    @Test(.parity("M232")) func replacingTwiceWithoutIdentityKeepsNewObjects() async throws {
        let store = try await files.open([
            EntityDescription(
                "Human", attributes: [AttributeDescription("name", .text, isIdentity: true)],
                relationships: [.toMany("cats", "Cat")]),
            EntityDescription(
                "Cat", attributes: [AttributeDescription("name", .text, isOptional: true)]),
        ])
        var mapping = ObjectMapping(table: try #require(store.model.properties(of: "Human")))
        mapping.add("name", from: "name")
        mapping.add(RelationshipMapping("cats", to: "cats", assignment: .replace))
        for _ in 1...2 {
            try await load(
                #"[{"name": "Jeff", "cats": [{"name": "Roy"}]}]"#, by: mapping, into: store)
            #expect(try files.rows("SELECT name FROM Cat") == [["Roy"]])
        }
    }

    @Test(.parity("M233")) func replacingObjectDeletesIt() async throws {
        let store = try await files.open()
        _ = try await files.load(AirportDocuments.oslo, into: store)
        try await load(
            #"[{"code": "OSL", "name": "n", "city": {"name": "Oslo II"}}]"#,
            by: replacing("city"), into: store)
        #expect(
            try files.rows("SELECT name FROM City ORDER BY 1") == [["Bergen"], ["Oslo II"]])
        #expect(
            try files.rows(
                "SELECT c.name FROM Airport a JOIN City c ON a.city = c.restkit_key WHERE code='OSL'"
            ) == [["Oslo II"]])
    }

    @Test(.parity("M234")) func replacingByMissingObjectDeletesIt() async throws {
        let store = try await files.open()
        _ = try await files.load(AirportDocuments.oslo, into: store)
        var mapping = replacing("city")
        mapping.assignsNilForMissingRelationships = true
        try await load(#"[{"code": "OSL", "name": "n"}]"#, by: mapping, into: store)
        #expect(try files.rows("SELECT name FROM City ORDER BY 1") == [["Bergen"]])
        #expect(
            try files.rows("SELECT code, city IS NULL FROM Airport ORDER BY 1")
                == [["BGO", "0"], ["OSL", "1"]])
    }

    @Test func emptiesMissingRelationshipIfConfigured() async throws {
        let store = try await files.open()
        _ = try await files.load(AirportDocuments.oslo, into: store)
        var mapping = ObjectMapping(
            for: Airport.self, ["code": "code", "name": "name", "terminals": "terminals"])
        let json = #"[{"code": "OSL", "name": "n"}]"#
        let query = "SELECT count(*) FROM Terminal WHERE airport IS NOT NULL"
        try await load(json, by: mapping, into: store)
        #expect(try files.rows(query) == [["2"]])
        mapping.assignsNilForMissingRelationships = true
        try await load(json, by: mapping, into: store)
        #expect(try files.rows(query) == [["0"]])
    }

    @Test func importsMembersAsObjectsIdentifiedByKeys() async throws {
        let store = try await files.open()
        var mapping = ObjectMapping(for: Airport.self, ["{code}.name": "name"])
        mapping.nestingAttribute = "code"
        mapping.forcesCollection = true
        try await load(
            #"{"OSL": {"name": "Gardermoen"}, "BGO": {"name": "Flesland"}}"#, by: mapping,
            into: store)
        #expect(
            try files.rows("SELECT code, name FROM Airport ORDER BY 1")
                == [["BGO", "Flesland"], ["OSL", "Gardermoen"]])
    }

    private func load(
        _ text: String, by mapping: ObjectMapping, into store: ManagedObjectStore
    ) async throws {
        let plan = try EntityMappingPlan(EntityMapping(mapping), in: store.model)
        let document = try Document(parsing: text)
        try await store.perform { context in
            _ = try context.importObjects(from: document.root, by: plan)
            try context.save()
        }
    }

    @Test(.parity("P096")) func connectsObjectsOfEntitiesWithoutClass() async throws {
        let store = try await files.open([
            EntityDescription(
                "Storm", attributes: [AttributeDescription("name", .text, isOptional: true)],
                relationships: [.toMany("clouds", "Cloud")]),
            EntityDescription(
                "Cloud", attributes: [AttributeDescription("name", .text, isIdentity: true)]),
        ])
        let table = try #require(store.model.properties(of: "Storm"))
        let plan = try EntityMappingPlan(
            EntityMapping(ObjectMapping(defaultFor: table)), in: store.model)
        let document = try Document(parsing: #"{"clouds": [{"name": "Nimbus"}]}"#)
        let ids = try await store.perform { context in
            let result = try context.importObjects(from: document.root, by: plan)
            try context.save()
            return result.objectIDs
        }
        let id = try #require(ids.first)
        try await store.perform { context in
            let storm = try context.object(with: id)
            let clouds = try storm.related("clouds")
            #expect(clouds.map(\.objectID.entityName) == ["Cloud"])
            #expect(try clouds.first?.value("name", as: String.self) == "Nimbus")
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import RestPersistence
import TestSupport
import Testing

/// Identities outside of an object's representation.
@Suite struct EntityMappingTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    @Test(
        .parity("M244", "M245", "M246", "M247", "M248"),
        arguments: [
            (
                "friends", "@parent.house_id",
                #"{"name": "g", "house_id": 2, "friends": [{"name": "Jeff"}]}"#
            ),
            (
                "friends", "@root.house_id",
                #"{"name": "g", "house_id": 2, "friends": [{"name": "Jeff"}]}"#
            ),
            (
                "people.friends", "@parent.@parent.house.house_id",
                #"""
                {"name": "g", "house": {"house_id": 2}, "house_id": 1,
                "people": {"house": {"house_id": 1}, "friends": [{"name": "Jeff"}]}}
                """#
            ),
            (
                "people.friends", "@root.house_id",
                #"""
                {"name": "g", "house_id": 2,
                "people": {"house_id": 1, "friends": [{"name": "Jeff"}]}}
                """#
            ),
        ] as [(SourcePath, SourcePath, String)])
    func findsObjectByIdentityInParentRepresentation(
        place: SourcePath, source: SourcePath, json: String
    ) async throws {
        let store = try await files.open([
            EntityDescription(
                "Group", attributes: [AttributeDescription("name", .text, isIdentity: true)],
                relationships: [.toMany("friends", "Human")]),
            EntityDescription(
                "Human",
                attributes: [
                    AttributeDescription("name", .text, isIdentity: true),
                    AttributeDescription("houseID", .integer, isIdentity: true),
                ]),
        ])
        let humans = ObjectMapping(defaultFor: try #require(store.model.properties(of: "Human")))
        try await load(
            #"[{"name": "Jeff", "houseID": 1}, {"name": "Jeff", "houseID": 2}]"#, by: humans,
            into: store)
        var human = ObjectMapping(table: humans.table)
        human.add("name", from: "name")
        human.add("houseID", from: source)
        var group = ObjectMapping(table: try #require(store.model.properties(of: "Group")))
        group.add("name", from: "name")
        group.add(RelationshipMapping(place, to: "friends", mapping: human))
        for document in [json, "[\(json)]"] { try await load(document, by: group, into: store) }
        #expect(try files.rows("SELECT houseID FROM Human ORDER BY 1") == [["1"], ["2"]])
        let found = try await store.perform { [group] context in
            let plan = try EntityMappingPlan(EntityMapping(group), in: store.model)
            let result = try context.importObjects(
                from: Document(parsing: json).root, by: plan)
            let id = try #require(result.objectIDs.first)
            return try context.object(with: id).related("friends").map {
                try $0.value("houseID", as: Int.self)
            }
        }
        #expect(found == [2])
    }

    @Test(.parity("M243")) func findsObjectByAttributeOfParentObject() async throws {
        let store = try await files.open([
            EntityDescription(
                "Human",
                attributes: [
                    AttributeDescription("name", .text, isIdentity: true),
                    AttributeDescription("houseID", .integer, isIdentity: true),
                ],
                relationships: [.toMany("friends", "Human")])
        ])
        let table = try #require(store.model.properties(of: "Human"))
        var human = ObjectMapping(table: table)
        human.add("name", from: "name")
        human.add("houseID", from: "houseID")
        try await load(
            #"[{"name": "Jeff", "houseID": 1}, {"name": "Jeff", "houseID": 12345}]"#, by: human,
            into: store)
        var friend = ObjectMapping(table: table)
        friend.add("name", from: "name")
        friend.add("houseID", from: "@metadata.mapping.parentObject.houseID")
        var owner = ObjectMapping(table: table)
        owner.add(RelationshipMapping("friends", to: "friends", mapping: friend))
        owner.add("name", from: "name")
        owner.add("houseID", from: "house_id")
        let json = #"{"friends": [{"name": "Jeff"}], "name": "Blake", "house_id": "12345"}"#
        for document in [json, "[\(json)]"] { try await load(document, by: owner, into: store) }
        #expect(
            try files.rows("SELECT name, houseID FROM Human ORDER BY 1, 2")
                == [["Blake", "12345"], ["Jeff", "1"], ["Jeff", "12345"]])
        let found = try await store.perform { [owner] context in
            let plan = try EntityMappingPlan(EntityMapping(owner), in: store.model)
            let result = try context.importObjects(
                from: Document(parsing: json).root, by: plan)
            let id = try #require(result.objectIDs.first)
            return try context.object(with: id).related("friends").map {
                try $0.value("houseID", as: Int.self)
            }
        }
        #expect(found == [12345])
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
}

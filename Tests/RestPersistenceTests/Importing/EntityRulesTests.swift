// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping
import RestPersistence
import TestSupport
import Testing

/// Rules that find, skip and delete objects.
@Suite struct EntityRulesTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    // MARK: Identification

    private static func plan(
        _ entities: [EntityDescription], of entity: String, _ rules: [String: EntityRules]
    ) throws -> EntityMappingPlan {
        let model = try ManagedObjectModel(entities)
        let table = try #require(model.properties(of: entity))
        return try EntityMappingPlan(
            EntityMapping(ObjectMapping(defaultFor: table), rules: rules), in: model)
    }

    private static func entity(
        _ name: String, inheriting superentity: String? = nil, _ attributes: [String],
        identity: Set<String> = []
    ) -> EntityDescription {
        EntityDescription(
            name, inheriting: superentity,
            attributes: attributes.map {
                AttributeDescription(
                    $0, .text, isOptional: true, isIdentity: identity.contains($0))
            })
    }

    @Test(
        .parity("P022", "P024", "P025", "P026", "P027", "P028", "P029", "P030", "P031", "P045"),
        arguments: [
            ("Parent", ["parentID", "id"], "parentID"),
            ("Monkey", ["url", "monkeyID"], "monkeyID"),
            ("Monkey", ["ID", "url"], "ID"), ("Monkey", ["id", "identifier"], "identifier"),
            ("Monkey", ["URL", "name"], "URL"), ("Monkey", ["url"], "url"),
            ("Monkey", ["monkey_id", "id"], "monkey_id"),
            ("ArcticMonkey", ["arctic_monkey_id"], "arctic_monkey_id"),
            ("ArcticMonkeyURL", ["arctic_monkey_url_id"], "arctic_monkey_url_id"),
            ("Human", ["railsID", "railsUserID", "name"], nil),
        ] as [(String, [String], String?)])
    func infersIdentification(entity: String, attributes: [String], expected: String?) throws {
        let entities = [Self.entity(entity, attributes)]
        let plan = try Self.plan(
            entities, of: entity, [entity: EntityRules(infersIdentification: true)])
        #expect(plan.identification(of: entity).map(\.name) == (expected.map { [$0] } ?? []))
        // Nothing is inferred unless the rules say so.
        let plain = try Self.plan(entities, of: entity, [:])
        #expect(plain.identification(of: entity).isEmpty)
    }

    @Test(.parity("P032", "P033", "P034", "P035", "P036", "P044", "P047"))
    func declaredAttributesPrecedeInferredOnes() throws {
        let infers = EntityRules(infersIdentification: true)
        let inherited = [
            Self.entity("Parent", ["monkeyID"]), Self.entity("Monkey", inheriting: "Parent", []),
        ]
        let plan = try Self.plan(inherited, of: "Monkey", ["Monkey": infers])
        #expect(plan.identification(of: "Monkey").map(\.name) == ["monkeyID"])
        let declared = [
            Self.entity("Monkey", ["name", "monkeyID"], identity: ["name"]),
            Self.entity("SubMonkey", inheriting: "Monkey", []),
        ]
        let own = try Self.plan(declared, of: "SubMonkey", ["Monkey": infers])
        #expect(own.identification(of: "Monkey").map(\.name) == ["name"])
        #expect(own.identification(of: "SubMonkey").map(\.name) == ["name"])
        let two = [Self.entity("Monkey", ["name", "monkeyID"], identity: ["name", "monkeyID"])]
        #expect(
            try Self.plan(two, of: "Monkey", [:]).identification(of: "Monkey").map(\.name)
                == ["name", "monkeyID"])
        // Those of a mapping precede all others, in their order.
        let rules = ["Monkey": EntityRules(identification: ["monkeyID", "name"])]
        #expect(
            try Self.plan(two, of: "Monkey", rules).identification(of: "Monkey").map(\.name)
                == ["monkeyID", "name"])
    }

    @Test(.parity("P038", "P039"), arguments: ["nonExistant", "cats"])
    func refusesIdentificationThatIsNoAttribute(name: String) throws {
        let error = #expect(throws: PersistenceError.self) {
            try Self.plan(
                HumanEntities.all, of: "Human",
                ["Human": EntityRules(identification: ["railsID", name])])
        }
        #expect(error?.code == .invalidMapping)
        #expect(error?.details == ["Human.\(name) is not an attribute"])
    }

    @Test(.parity("P059")) func identificationPredicateSelectsAmongObjects() async throws {
        let store = try await files.openHumans()
        var human = try store.mapping("Human")
        human.add("railsID", from: "id")
        let rules = [
            "Human": EntityRules(
                identification: ["railsID"],
                identificationPredicate: .attribute("age", .less, 30))
        ]
        try await store.perform { [human] context in
            defer { context.rollback() }
            let people = try [30, 28].map {
                try context.insert("Human", ["railsID": 123, "age": $0])
            }
            for isSaved in [false, true] {
                if isSaved { try context.save() }
                let objects = try context.objects(
                    from: #"{"id": 123}"#, by: human, rules: rules)
                #expect(objects == [people[1]])
            }
        }
    }

    @Test func findsOnlyEntitiesOfMappingByOtherAttributes() async throws {
        let store = try await files.openHumans()
        var parent = try store.mapping("Parent")
        parent.add("name", from: "name")
        try await store.perform { [parent] context in
            defer { context.rollback() }
            let others = try ["Child", "Human"].map { try context.insert($0, ["name": "Blake"]) }
            try context.save()
            let objects = try context.objects(
                from: #"{"name": "Blake"}"#, by: parent, identification: ["Parent": ["name"]])
            #expect(objects.allSatisfy { !others.contains($0) })
            #expect(objects.map(\.objectID.entityName) == ["Parent"])
        }
        #expect(
            try files.rows("SELECT name FROM sqlite_schema WHERE name LIKE 'restkit_lookup%'")
                == [["restkit_lookup_Human_name"]])
    }

    // MARK: Modification

    private func isUpdated(
        _ attribute: String, stored: StoredValue, received: String,
        mapsRelationships: Bool = false
    ) async throws -> (attributes: Bool, relationships: Bool) {
        let store = try await files.openHumans()
        var cat = try store.mapping("Cat")
        cat.add("name", from: "name")
        var human = try store.mapping("Human")
        human.add(["nickName": "nickName", "sex": "sex", "updatedAt": "updatedAt"])
        human.add(["railsID": "railsID", "name": "name"])
        human.add(RelationshipMapping("cats", to: "cats", mapping: cat))
        let rules = [
            "Human": EntityRules(
                identification: ["sex"], modificationAttribute: attribute,
                mapsRelationshipsOfUnmodified: mapsRelationships)
        ]
        return try await store.perform { [human] context in
            defer { context.rollback() }
            let object = try context.insert("Human", ["sex": "x", "nickName": "old"])
            switch (attribute, stored) {
            case (_, .integer(let number)): try object.setValue(Int?(Int(number)), attribute)
            case ("name", .text(let name)): try object.setValue(String?(name), attribute)
            case (_, .text): try object.setValue(Date(storedValue: stored), attribute)
            default: break
            }
            try context.save()
            let text = """
                {"sex": "x", "nickName": "new", "\(attribute)": \(received),
                 "cats": [{"name": "Asia"}]}
                """
            let objects = try context.objects(from: text, by: human, rules: rules)
            #expect(objects == [object])
            let count = try context.count(FetchRequest("Cat"))
            #expect(try object.related("cats").count == count)
            return (try object.value("nickName", as: String?.self) == "new", count == 1)
        }
    }

    private static let day = Date(timeIntervalSince1970: 1_332_414_342).storedValue
    private static let nextDay = Date(timeIntervalSince1970: 1_332_500_742).storedValue

    @Test(
        .parity(
            "P066", "P067", "P068", "P069", "P070", "P071", "P072", "P073", "K023"),
        arguments: [
            ("name", .text("Blake Watters"), #""Blake Watters""#, false),
            ("name", .text("MISMATCH"), #""Blake Watters""#, true),
            ("name", .text("Z"), #""A""#, true),
            ("updatedAt", day, #""2012-03-22T11:05:42Z""#, false),
            ("updatedAt", nextDay, #""2012-03-22T11:05:42Z""#, false),
            ("updatedAt", day, #""2012-03-23T11:05:42Z""#, true),
            ("railsID", .integer(123), "123", false), ("railsID", .integer(999), "100", false),
            ("railsID", .integer(100), "999", true), ("railsID", .integer(100), "null", true),
            ("railsID", .integer(100), #""x""#, true), ("railsID", .null, "1", true),
        ] as [(String, StoredValue, String, Bool)])
    func skipsUnmodifiedObject(
        attribute: String, stored: StoredValue, received: String, isModified: Bool
    ) async throws {
        let updated = try await isUpdated(attribute, stored: stored, received: received)
        #expect(updated == (isModified, isModified))
    }

    @Test(.parity("P074")) func mapsRelationshipsOfUnmodifiedObject() async throws {
        let updated = try await isUpdated(
            "updatedAt", stored: Self.day, received: #""2012-03-22T11:05:42Z""#,
            mapsRelationships: true)
        #expect(updated == (false, true))
    }

    @Test(.parity("P075")) func rulesOfChosenMappingSkipProperties() async throws {
        let store = try await files.openHumans()
        var human = try store.mapping("Human")
        human.add(["name": "name", "nickName": "nickName"])
        let chosen = human
        let people = DynamicMapping(possible: [human]) { _ in chosen }
        try await store.perform { context in
            defer { context.rollback() }
            let object = try context.insert("Human", ["name": "Blake", "nickName": "old"])
            try context.objects(
                from: #"{"name": "Blake", "nickName": "new"}"#, by: people,
                rules: [
                    "Human": EntityRules(identification: ["name"], modificationAttribute: "name")
                ])
            #expect(try object.value("nickName", as: String?.self) == "old")
        }
    }

    @Test(.parity("P061", "P062"), arguments: ["railsID", "INVALID", "cats"])
    func checksModificationAttribute(name: String) throws {
        let rules = ["Human": EntityRules(modificationAttribute: name)]
        guard name != "railsID" else {
            _ = try Self.plan(HumanEntities.all, of: "Human", rules)
            return
        }
        let error = #expect(throws: PersistenceError.self) {
            try Self.plan(HumanEntities.all, of: "Human", rules)
        }
        #expect(error?.details == ["Human.\(name) is not an attribute"])
    }

    /// Only existing objects are skipped.
    ///
    /// RestKit compared a new object with its own representation, and therefore mapped nothing but its
    /// identity.
    @Test(.parity("K061"), arguments: [["railsID"], ["railsID", "name"]])
    func modificationAttributeMayIdentify(identification: [String]) async throws {
        let store = try await files.openHumans()
        var cat = try store.mapping("Cat")
        cat.add("name", from: "name")
        var human = try store.mapping("Human")
        human.add(["id": "railsID", "name": "name", "nick": "nickName"])
        human.add(RelationshipMapping("cats", to: "cats", mapping: cat))
        let rules = [
            "Human": EntityRules(identification: identification, modificationAttribute: "railsID")
        ]
        @Sendable func text(_ nick: String) -> String {
            #"{"id": 1, "name": "n", "nick": "\#(nick)", "cats": [{"name": "\#(nick)"}]}"#
        }
        try await store.perform { [human] context in
            defer { context.rollback() }
            let created = try context.objects(from: text("a"), by: human, rules: rules)
            #expect(try created[0].value("nickName", as: String?.self) == "a")
            #expect(try created[0].titles("cats") == ["a"])
            for isSaved in [false, true] {
                if isSaved { try context.save() }
                // An object that is found is equal by definition, and therefore never changes again.
                let found = try context.objects(from: text("b"), by: human, rules: rules)
                #expect(found == created)
                #expect(try created[0].value("nickName", as: String?.self) == "a")
                #expect(try created[0].titles("cats") == ["a"])
            }
            #expect(try context.save().hasChanges == false)
            #expect(try context.count(FetchRequest("Cat")) == 1)
        }
    }

    @Test(.parity("K024")) func unmodifiedObjectIsNotConnected() async throws {
        let store = try await files.openHumans()
        var human = try store.mapping("Human")
        human.add(["name": "name", "favoriteCatID": "favoriteCatID"])
        let rules = [
            "Human": EntityRules(
                identification: ["name"], modificationAttribute: "name",
                connections: [Connection("favoriteCat", by: ["favoriteCatID": "railsID"])])
        ]
        try await store.perform { [human] context in
            defer { context.rollback() }
            try context.insert("Cat", ["railsID": 5])
            let object = try context.insert("Human", ["name": "Blake", "favoriteCatID": 5])
            try context.objects(from: #"{"name": "Blake"}"#, by: human, rules: rules)
            #expect(try object.related("favoriteCat").isEmpty)
            let other = try context.objects(
                from: #"{"name": "Jeff", "favoriteCatID": 5}"#, by: human, rules: rules)
            #expect(try other[0].related("favoriteCat").count == 1)
        }
    }

    // MARK: Deletion

    @Test(.parity("P076", "P077", "P078", "K025"), arguments: [false, true])
    func deletesAllObjectsOfPredicate(isSaved: Bool) async throws {
        let store = try await files.openHumans()
        let copy = try ManagedObjectModel(HumanEntities.all)
        var human = ObjectMapping(table: try #require(copy.properties(of: "Human")))
        human.add(["name": "name", "sex": "sex"])
        let rules = [
            "Human": EntityRules(deletionPredicate: .attribute("sex", .equal, "female"))
        ]
        try await store.perform { [human] context in
            defer { context.rollback() }
            let unrelated = try context.insert("Human", ["sex": "female", "name": "old"])
            let child = try context.insert("Child", ["sex": "female"])
            let kept = try context.insert("Human", ["sex": "male"])
            if isSaved { try context.save() }
            let plan = try EntityMappingPlan(
                EntityMapping(human, rules: rules), in: context.model)
            let result = try context.importObjects(
                from: try Document(
                    parsing: #"[{"name": "Whatever", "sex": "female"}, {"name": "n"}]"#
                ).root, by: plan)
            #expect(result.total.deleted == 3)
            #expect([unrelated, child].map(\.objectState) == [.deleted, .deleted])
            #expect(kept.objectState != .deleted)
            let names = try context.fetch(FetchRequest("Human")).map { try $0.givenName }
            #expect(Set(names) == ["n", nil])
            try context.save()
        }
        #expect(try files.rows("SELECT count(*) FROM Human") == [["2"]])
    }

    @Test(.parity("P079", "K026")) func deletesAfterConnecting() async throws {
        let store = try await files.openHumans()
        var human = try store.mapping("Human")
        human.add(["name": "name", "favoriteCatID": "favoriteCatID"])
        let rules = [
            "Human": EntityRules(
                deletionPredicate: .relationship("favoriteCat", nil),
                connections: [Connection("favoriteCat", by: ["favoriteCatID": "railsID"])])
        ]
        try await store.perform { [human] context in
            defer { context.rollback() }
            let cat = try context.insert("Cat", ["railsID": 12345])
            let objects = try context.objects(
                from: #"[{"name": "a", "favoriteCatID": 12345}]"#, by: human, rules: rules)
            #expect(try objects[0].related("favoriteCat") == [cat])
            #expect(objects[0].objectState != .deleted)
        }
    }
}

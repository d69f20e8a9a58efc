// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import RestPersistence
import TestSupport
import Testing

/// Stored objects that a document moves to a new object, which is discarded.
@Suite struct DiscardedOwnerTests {
    private static let number = AttributeDescription("number", .integer, isIdentity: true)
    private static let code = AttributeDescription(
        "code", .text, isOptional: true, maximumLength: 2)

    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private func open(requiresHost: Bool = false) async throws -> ManagedObjectStore {
        try await files.open([
            EntityDescription(
                "Owner", attributes: [Self.number, Self.code],
                relationships: [
                    .toOne("passport", "Passport", inverse: "owner"),
                    .toOne("twin", "Owner", inverse: "twin"),
                    .toMany("guests", "Guest", inverse: "host", isOrdered: true),
                    .toMany("friends", "Guest", inverse: "friends"),
                ]),
            EntityDescription(
                "Passport", attributes: [Self.number],
                relationships: [.toOne("owner", "Owner", inverse: "passport")]),
            EntityDescription(
                "Guest", attributes: [Self.number],
                relationships: [
                    .toOne("host", "Owner", inverse: "guests", isOptional: !requiresHost),
                    .toMany("friends", "Owner", inverse: "friends"),
                ]),
        ])
    }

    /// The reference has waited in the context, or in the store.
    @Test(arguments: [false, true])
    func referenceToDiscardedObjectWaitsOn(savesBetween: Bool) async throws {
        let store = try await files.open([
            EntityDescription(
                "Owner", attributes: [Self.number, Self.code],
                relationships: [.toMany("guests", "Guest", inverse: "host")]),
            EntityDescription(
                "Guest", attributes: [Self.number],
                relationships: [
                    .toOne(
                        "host", "Owner", inverse: "guests",
                        reference: ReferenceDescription(by: "number"))
                ]),
        ])
        let policy = IssuePolicy(invalidElement: .drop, invalidObject: .drop)
        let plans = try ["Guest", "Owner"].map { entity in
            let table = try #require(store.model.properties(of: entity))
            return try EntityMappingPlan(
                EntityMapping(ObjectMapping(defaultFor: table, policy: policy)), in: store.model)
        }
        let guest = try Document(parsing: #"{"number": 1, "host": 5}"#)
        let invalid = try Document(parsing: #"{"number": 5, "code": "long"}"#)
        let valid = try Document(parsing: #"{"number": 5, "code": "ok"}"#)
        try await store.perform { context in
            func check(waits: Bool) throws {
                let guests = try context.fetch(FetchRequest("Guest"))
                #expect(try guests.flatMap { try $0.related("host") }.isEmpty == waits)
                #expect(try context.pendingReferences(ofEntity: "Guest").isEmpty == !waits)
            }
            _ = try context.importObjects(from: guest.root, by: plans[0])
            if savesBetween { try context.save() }
            let result = try context.importObjects(from: invalid.root, by: plans[1])
            #expect(result.total.discarded == 1 && result.total.connected == 0)
            try check(waits: true)
            if savesBetween { try context.save() }
            try check(waits: true)
            _ = try context.importObjects(from: valid.root, by: plans[1])
            try check(waits: false)
            try context.save()
            try check(waits: false)
        }
    }

    /// A mapping of owners with guests, or of objects with an owner, that drops invalid objects.
    private func plan(
        _ entity: String, _ relationship: String, _ related: String, in store: ManagedObjectStore
    ) throws -> EntityMappingPlan {
        func mapping(_ entity: String) throws -> ObjectMapping {
            var mapping = ObjectMapping(
                table: try #require(store.model.properties(of: entity)))
            mapping.policy = IssuePolicy(invalidElement: .drop, invalidObject: .drop)
            let names: [SourcePath] = entity == "Owner" ? ["number", "code"] : ["number"]
            mapping.add(names)
            return mapping
        }
        var root = try mapping(entity)
        root.add(
            RelationshipMapping(
                SourcePath(stringLiteral: relationship), to: relationship,
                mapping: try mapping(related)))
        return try EntityMappingPlan(EntityMapping(root), in: store.model)
    }

    /// Saves an owner with two guests, a passport and a twin, all with numbers.
    private func populate(_ store: ManagedObjectStore) async throws {
        try await store.perform { context in
            func insert(_ entity: String, _ number: Int) throws -> ManagedObject {
                let object = try context.insert(entity: entity)
                try object.setValue(number, "number")
                return object
            }
            let owner = try insert("Owner", 1)
            try owner.setRelated("guests", [try insert("Guest", 1), try insert("Guest", 2)])
            try owner.setRelated("passport", [try insert("Passport", 1)])
            try owner.setRelated("twin", [try insert("Owner", 2)])
            try context.save()
        }
    }

    private func importAndSave(
        _ text: String, _ plan: EntityMappingPlan, _ store: ManagedObjectStore,
        inTransaction: Bool = false
    ) async throws -> ImportResult {
        let document = try Document(parsing: text)
        if inTransaction {
            return try await store.write { context in
                let result = try context.importObjects(from: document.root, by: plan)
                try context.save()
                return result
            }
        }
        return try await store.perform { context in
            let result = try context.importObjects(from: document.root, by: plan)
            try context.save()
            return result
        }
    }

    private static let hosts =
        "SELECT g.number, o.number, g.restkit_position_host FROM Guest g "
        + "LEFT JOIN Owner o ON o.restkit_key = g.host ORDER BY g.number"

    @Test(arguments: [false, true], [false, true])
    func childKeepsFormerOwner(requiresHost: Bool, inTransaction: Bool) async throws {
        let store = try await open(requiresHost: requiresHost)
        try await populate(store)
        let plan = try plan("Owner", "guests", "Guest", in: store)
        let before = try files.rows("SELECT * FROM Guest ORDER BY number")
        let result = try await importAndSave(
            #"[{"number": 9, "code": "long", "guests": [{"number": 2}, {"number": 1}]}]"#, plan,
            store, inTransaction: inTransaction)
        #expect(try files.rows("SELECT * FROM Guest ORDER BY number") == before)
        #expect(try files.rows("SELECT number FROM Owner ORDER BY number") == [["1"], ["2"]])
        #expect(result.counts["Owner"]?.discarded == 1)
    }

    @Test func childKeepsOwnerOfItsOwnColumn() async throws {
        let store = try await open()
        try await populate(store)
        let plan = try plan("Guest", "host", "Owner", in: store)
        let before = try files.rows("SELECT * FROM Guest ORDER BY number")
        _ = try await importAndSave(
            #"[{"number": 1, "host": {"number": 9, "code": "long"}}]"#, plan, store)
        #expect(try files.rows("SELECT * FROM Guest ORDER BY number") == before)
    }

    @Test func childKeepsUnsavedOwner() async throws {
        let store = try await open()
        try await populate(store)
        let plan = try plan("Owner", "guests", "Guest", in: store)
        let document = try Document(
            parsing: #"[{"number": 9, "code": "long", "guests": [{"number": 1}]}]"#)
        try await store.perform { context in
            let owners = try context.fetch(FetchRequest("Owner"))
            let guests = try context.fetch(FetchRequest("Guest"))
            let first = try #require(try guests.first { try $0.value("number") == 1 })
            let second = try #require(try owners.first { try $0.value("number") == 2 })
            try first.setRelated("host", [second])
            _ = try context.importObjects(from: document.root, by: plan)
            #expect(try first.related("host") == [second])
            #expect(try second.related("guests") == [first])
            context.rollback()
            #expect(try first.related("host") != [second])
            #expect(!context.hasChanges)
        }
    }

    /// A list that the document contains decides that an object has left its owner.
    @Test func childLeavesOwnerWhoseListLacksIt() async throws {
        let store = try await open()
        try await populate(store)
        let plan = try plan("Owner", "guests", "Guest", in: store)
        _ = try await importAndSave(
            """
            [{"number": 1, "guests": [{"number": 2}]},
             {"number": 9, "code": "long", "guests": [{"number": 1}]}]
            """, plan, store)
        let hosts = try files.rows(
            "SELECT number, host IS NULL FROM Guest ORDER BY number")
        #expect(hosts == [["1", "1"], ["2", "0"]])
    }

    @Test(arguments: ["passport", "owner", "twin"])
    func oneToOneKeepsFormerDestination(side: String) async throws {
        let store = try await open()
        try await populate(store)
        let query = "SELECT a.*, b.* FROM Owner a, Passport b ORDER BY a.number"
        let before = try files.rows(query)
        switch side {
        case "passport":
            let plan = try plan("Owner", "passport", "Passport", in: store)
            _ = try await importAndSave(
                #"[{"number": 9, "code": "long", "passport": {"number": 1}}]"#, plan, store)
        case "owner":
            let plan = try plan("Passport", "owner", "Owner", in: store)
            _ = try await importAndSave(
                #"[{"number": 1, "owner": {"number": 9, "code": "long"}}]"#, plan, store)
        default:
            let plan = try plan("Owner", "twin", "Owner", in: store)
            _ = try await importAndSave(
                #"[{"number": 9, "code": "long", "twin": {"number": 1}}]"#, plan, store)
        }
        #expect(try files.rows(query) == before)
    }
}

// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import RestPersistence
import TestSupport
import Testing

/// References and objects of documents that are large, or that contradict themselves.
@Suite struct ImportPlacementReferencesTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private static let byID = ReferenceDescription(by: "id")

    private static let entities = [
        EntityDescription(
            "Person",
            attributes: [
                AttributeDescription("id", .integer, isIdentity: true),
                AttributeDescription("name", .text, isOptional: true),
            ],
            relationships: [
                .toOne("boss", "Person", reference: byID),
                .toOne("partner", "Person", inverse: "partner", reference: byID),
                .toMany("friends", "Person", reference: byID),
                .toMany("route", "Person", isOrdered: true, reference: byID),
                .toOne("mentor", "Person"),
            ])
    ]

    private func open() async throws -> (store: ManagedObjectStore, plan: EntityMappingPlan) {
        let store = try await files.open(Self.entities)
        let table = try #require(store.model.properties(of: "Person"))
        let plan = try EntityMappingPlan(
            EntityMapping(ObjectMapping(defaultFor: table)), in: store.model)
        return (store, plan)
    }

    /// Unsaved references of a context are connected by a later document of the context.
    @Test(arguments: [false, true], [false, true])
    func manyReferencesToOneMissingObject(savesBetween: Bool, isReversed: Bool) async throws {
        let (store, plan) = try await open()
        let count = 3000
        let ids = Array(1...count)
        let persons = ids.map { #"{"id": \#($0), "boss": 0}"# }.joined(separator: ",")
        let leader = #"{"id": 0, "friends": \#(ids), "route": \#(ids + [-1])}"#
        let texts = isReversed ? [persons, leader] : [leader, persons]
        try await store.perform { context in
            for (index, text) in texts.enumerated() {
                let document = try Document(parsing: "[\(text)]")
                let result = try context.importObjects(from: document.root, by: plan)
                #expect(result.report.issues.isEmpty)
                if index == 1 { #expect(result.total.connected >= count) }
                if savesBetween { try context.save() }
            }
            try context.save()
            let pending = try context.pendingReferences(ofEntity: "Person")
            #expect(pending.map(\.identity) == [.integer(-1)])
        }
        #expect(
            try files.rows("SELECT count(DISTINCT boss), count(boss) FROM Person")
                == [["1", "\(count)"]])
        #expect(try files.rows("SELECT count(*) FROM Person_friends") == [["\(count)"]])
        #expect(
            try files.rows(
                """
                SELECT count(*) FROM Person_route r JOIN Person p ON p.restkit_key = r.target
                WHERE r.target_position = p.id - 1
                """) == [["\(count)"]])
    }

    /// Adding references to a list that is pending takes each of them once.
    @Test func unitedReferencesArePendingOnce() async throws {
        let store = try await files.open(Self.entities)
        let table = try #require(store.model.properties(of: "Person"))
        var friend = ObjectMapping(table: table)
        friend.add("id", from: .whole)
        var person = ObjectMapping(table: table)
        person.add("id", from: "id")
        person.add(
            RelationshipMapping("friends", to: "friends", mapping: friend, assignment: .union))
        let plan = try EntityMappingPlan(EntityMapping(person), in: store.model)
        let lists = [Array(1...3000), Array(2000...5000)]
        try await store.perform { context in
            for list in lists {
                let document = try Document(parsing: #"{"id": 0, "friends": \#(list)}"#)
                _ = try context.importObjects(from: document.root, by: plan)
            }
            try context.save()
            let pending = try context.pendingReferences(ofEntity: "Person")
            #expect(Set(pending.map(\.identity)) == Set((1...5000).map { .integer($0) }))
            #expect(pending.count == 5000)
        }
    }

    @Test func contradictingDuplicatesAreOneObject() async throws {
        let (store, plan) = try await open()
        let document = try Document(
            parsing: """
                [{"id": 1, "name": "a", "boss": 2, "friends": [2], "mentor": {"id": 2, "name": "x"}},
                 {"id": "1", "name": null, "friends": [1, 1, 3]},
                 {"id": 2, "mentor": {"id": 2, "name": "y", "boss": 2}},
                 {"id": 1.0, "boss": 1, "name": "b"}]
                """)
        try await store.perform { context in
            for _ in 0..<2 {
                let result = try context.importObjects(from: document.root, by: plan)
                #expect(result.report.issues.isEmpty)
                #expect(Set(result.objectIDs).count == 2)
                #expect(result.objectIDs.count == 4)
                let objects = try result.objectIDs.map { try context.object(with: $0) }
                let (one, two) = (objects[0], objects[2])
                #expect(objects == [one, one, two, one])
                #expect(try one.givenName == "b")
                #expect(try one.related("boss") == [one])
                #expect(try one.related("friends") == [one])
                #expect(try one.related("mentor") == [two])
                #expect(try two.givenName == "y")
                #expect(try two.related("mentor") == [two])
                #expect(try two.related("boss") == [two])
                try context.save()
            }
            let pending = try context.pendingReferences(ofEntity: "Person")
            #expect(pending.map(\.identity) == [.integer(3)])
        }
    }

    /// Each value that does not fit is an issue with its path; the others of the document are taken.
    @Test(
        arguments: [
            (#"{"id": 1, "boss": [2]}"#, ["[0].boss"]),
            (#"{"id": 1, "friends": "x"}"#, ["[0].friends"]),
            (#"{"id": 1, "friends": [2, "x", null, {}]}"#, nil),
            (#"{"id": 1, "mentor": [[]]}"#, nil), (#"{"id": {}, "name": 1}"#, nil),
            (#"{"id": 1, "friends": null, "route": null, "mentor": null, "boss": null}"#, []),
        ] as [(String, [String]?)])
    func unsuitableValuesAreIssues(text: String, paths: [String]?) async throws {
        let store = try await files.open(Self.entities)
        let table = try #require(store.model.properties(of: "Person"))
        var mapping = ObjectMapping(defaultFor: table)
        mapping.policy = IssuePolicy(invalidElement: .drop, invalidObject: .drop)
        let plan = try EntityMappingPlan(EntityMapping(mapping), in: store.model)
        let document = try Document(parsing: #"[\#(text), {"id": 9, "name": "kept"}]"#)
        let result = try await store.importObjects(from: document.root, by: plan)
        let found = result.report.issues.map(\.path.description)
        if let paths { #expect(found == paths) } else { #expect(!found.isEmpty) }
        #expect(found.allSatisfy { $0.hasPrefix("[0]") })
        #expect(try files.rows("SELECT name FROM Person WHERE id = 9") == [["kept"]])
    }
}

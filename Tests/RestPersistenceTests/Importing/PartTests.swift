// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import RestPersistence
import TestSupport
import Testing

/// Parts of objects, which have no identity and only the rows of former ones.
@Suite struct PartTests {
    private static func entities(
        _ rule: DeleteRule, _ assignment: AssignmentPolicy = .set
    ) -> [EntityDescription] {
        var lines = RelationshipDescription.toMany(
            "lines", "Line", inverse: "order", isOrdered: true, deleteRule: rule)
        lines.assignment = assignment
        return [
            EntityDescription(
                "Order", attributes: [AttributeDescription("id", .integer, isIdentity: true)],
                relationships: [lines, .toOne("address", "Address", deleteRule: rule)]),
            EntityDescription(
                "Line",
                attributes: [
                    AttributeDescription("text", .text, isOptional: true),
                    AttributeDescription("discount", .integer, isOptional: true),
                    AttributeDescription("count", .integer, default: .integer(1)),
                ],
                relationships: [
                    .toOne("order", "Order", inverse: "lines"), .toMany("marks", "Mark"),
                ]),
            EntityDescription(
                "Mark", attributes: [AttributeDescription("id", .integer, isIdentity: true)]),
            EntityDescription(
                "Address", attributes: [AttributeDescription("city", .text, isOptional: true)]),
        ]
    }

    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private func lines() throws -> [[String]] {
        try files.rows(
            """
            SELECT text, discount, count,
              (SELECT count(*) FROM Line_marks WHERE source = Line.restkit_key) FROM Line
            """)
    }

    @Test func reusedRowLosesWhatRepresentationLacks() async throws {
        let store = try await files.open(Self.entities(.cascade))
        try await store.load(
            "Order",
            """
            {"id": 1, "lines": [{"text": "A", "discount": 10, "count": 3, "marks": [{"id": 1}]},
             {"text": "B"}]}
            """)
        #expect(try lines() == [["A", "10", "3", "1"], ["B", "-", "1", "0"]])
        try await store.load("Order", #"{"id": 1, "lines": [{"text": "B"}]}"#)
        #expect(try lines() == [["B", "-", "1", "0"]])
    }

    /// A program's own attributes are not those of the representation.
    @Test func reusedRowKeepsWhatMappingLacks() async throws {
        let store = try await files.open(Self.entities(.cascade))
        var line = try store.mapping("Line")
        line.add(["text": "text", "discount": "discount"])
        var order = try store.mapping("Order")
        order.add("id", from: "id")
        order.add(RelationshipMapping("lines", to: "lines", mapping: line))
        let plan = try EntityMappingPlan(EntityMapping(order), in: store.model)
        let texts = [#"{"text": "A", "discount": 10}"#, #"{"text": "B"}"#]
        let documents = try texts.map {
            try Document(parsing: #"{"id": 1, "lines": [\#($0)]}"#)
        }
        try await store.perform { context in
            _ = try context.importObjects(from: documents[0].root, by: plan)
            try context.fetch(FetchRequest("Line"))[0].setValue(7, "count")
            try context.save()
            _ = try context.importObjects(from: documents[1].root, by: plan)
            try context.save()
        }
        #expect(try lines() == [["B", "-", "7", "0"]])
    }

    /// Parts that are deleted with their owner are deleted when other ones replace them.
    @Test(
        arguments: [
            (DeleteRule.cascade, AssignmentPolicy.set, ["1", "0"]), (.nullify, .set, ["2", "1"]),
            (.nullify, .replace, ["1", "1"]),
        ] as [(DeleteRule, AssignmentPolicy, [String])])
    func ownedPartsAreDeletedWhenReplaced(
        rule: DeleteRule, assignment: AssignmentPolicy, counts: [String]
    ) async throws {
        let store = try await files.open(Self.entities(rule, assignment))
        for _ in 0..<3 {
            try await store.load(
                "Order",
                #"{"id": 1, "lines": [{"text": "A"}, {"text": "B"}], "address": {"city": "Oslo"}}"#)
            try await store.load("Order", #"{"id": 1, "lines": [{"text": "C"}], "address": null}"#)
            if counts == ["2", "1"] { break }
        }
        let found = try files.rows(
            "SELECT (SELECT count(*) FROM Line), (SELECT min(1, count(*)) FROM Address)")
        #expect(found == [counts])
    }

    /// Without an owner, further ones would be inserted by each import of the document.
    @Test(
        arguments: [(.cascade, .set), (.nullify, .set), (.nullify, .replace)]
            as [(DeleteRule, AssignmentPolicy)])
    func partsOfReplacedListAreNotInserted(
        rule: DeleteRule, assignment: AssignmentPolicy
    ) async throws {
        let store = try await files.open(Self.entities(rule, assignment))
        for _ in 0..<2 {
            try await store.load(
                "Order",
                """
                [{"id": 1, "lines": [{"text": "A", "marks": [{"id": 1}]}, {"text": "B"}],
                  "address": {"city": "Oslo"}},
                 {"id": 1, "lines": [{"text": "C"}], "address": {"city": "Bergen"}}]
                """)
            #expect(try lines() == [["C", "-", "1", "0"]])
            #expect(try files.rows("SELECT city FROM Address") == [["Bergen"]])
        }
    }

    /// The order without lines has none any more, wherever another one has.
    @Test func partsOfOtherOwnersStay() async throws {
        let store = try await files.open(Self.entities(.cascade))
        try await store.load(
            "Order",
            #"[{"id": 1, "lines": [{"text": "A"}]}, {"id": 2, "lines": [{"text": "B"}]}]"#)
        let result = try await store.load("Order", #"{"id": 1, "lines": []}"#)
        #expect(result.counts["Line"]?.deleted == 1)
        #expect(try lines().map { $0[0] } == ["B"])
    }
}

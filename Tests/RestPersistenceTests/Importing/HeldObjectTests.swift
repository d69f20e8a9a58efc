// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import TestSupport
import Testing

@testable import RestPersistence

/// Objects that a response may not insert, because they were deleted since its request was sent.
@Suite struct HeldObjectTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private static let entities = [
        EntityDescription(
            "Post", attributes: [AttributeDescription("number", .integer, isIdentity: true)],
            relationships: [.toMany("comments", "Comment", inverse: "post")]),
        EntityDescription(
            "Comment",
            attributes: [AttributeDescription("number", .integer, isIdentity: true)],
            relationships: [
                .toOne("post", "Post", inverse: "comments", isOptional: false),
                .toMany("answers", "Answer", inverse: "comment"),
            ]),
        EntityDescription(
            "Answer",
            attributes: [AttributeDescription("number", .integer, isIdentity: true)],
            relationships: [.toOne("comment", "Comment", inverse: "answers", isOptional: false)]),
    ]

    @Test func newObjectsThatRequireHeldOnesAreHeld() async throws {
        let store = try await files.open(Self.entities)
        var post = try store.mapping("Post")
        post.add(["number"])
        var comment = try store.mapping("Comment")
        comment.add(["number"])
        comment.add(RelationshipMapping("post", to: "post", mapping: post))
        var answer = try store.mapping("Answer")
        answer.add(["number"])
        answer.add(RelationshipMapping("comment", to: "comment", mapping: comment))
        let plan = try EntityMappingPlan(EntityMapping(answer), in: store.model)
        let document = try Document(
            parsing: """
                [{"number": 1, "comment": {"number": 1, "post": {"number": 1}}},
                {"number": 2, "comment": {"number": 2, "post": {"number": 2}}}]
                """)
        let representation = try MappedRepresentation(document.root, by: plan)
        try await store.perform { context in
            var written = WrittenValues()
            written.add(removed: [.integer(1)], try store.model.layout(named: "Post").table.index)
            var options = ImportOptions()
            options.fence = WriteFence(written: written)
            let result = try context.importObjects(representation, options)
            try context.save()
            #expect(result.isHeldBack)
            #expect(result.objectIDs.count == 1)
        }
        for table in ["Post", "Comment", "Answer"] {
            #expect(try files.rows("SELECT number FROM \(table)") == [["2"]])
        }
    }
}

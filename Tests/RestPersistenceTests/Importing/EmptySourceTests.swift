// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import RestPersistence
import TestSupport
import Testing

/// Dotted sources that lead through null, an empty list, or nothing.
@Suite struct EmptySourceTests {
    private static let entities = [
        EntityDescription(
            "Issue",
            attributes: [
                AttributeDescription("id", .integer, isIdentity: true),
                AttributeDescription(
                    "milestone", .text, isOptional: true, sourceKey: "milestone.title"),
                AttributeDescription("labels", .json, isOptional: true, sourceKey: "labels.name"),
            ],
            relationships: [
                .toMany(
                    "assignees", "User", sourceKey: "assignees.id",
                    reference: ReferenceDescription(by: "id")),
                .toOne(
                    "author", "User", sourceKey: "user.id",
                    reference: ReferenceDescription(by: "id")
                ),
            ]),
        EntityDescription(
            "User", attributes: [AttributeDescription("id", .integer, isIdentity: true)]),
    ]

    @Test(
        arguments: [
            (#""milestone": null, "labels": [], "assignees": [], "user": null"#, "- [] 0 -"),
            (#""milestone": null, "labels": null, "assignees": null, "user": null"#, "- - 0 -"),
            (#""milestone": {"title": null}, "labels": [null]"#, "- [] 2 1"),
            (#""milestone": {}, "labels": [{}], "assignees": [{}], "user": {}"#, #"m ["a"] 2 1"#),
            ("", #"m ["a"] 2 1"#),
            (#""labels": [{"name": "b"}], "assignees": [{"id": 3}]"#, #"m ["b"] 1 1"#),
        ] as [(String, String)])
    func emptyIsEmptyAndAbsentIsAbsent(members: String, expected: String) async throws {
        let files = try TemporaryStore()
        let store = try await files.open(Self.entities)
        try await store.load("User", #"[{"id": 1}, {"id": 2}, {"id": 3}]"#)
        try await store.load(
            "Issue",
            """
            {"id": 7, "milestone": {"title": "m"}, "labels": [{"name": "a"}],
             "assignees": [{"id": 1}, {"id": 2}], "user": {"id": 1}}
            """)
        let comma = members.isEmpty ? "" : ", "
        let result = try await store.load("Issue", #"{"id": 7\#(comma)\#(members)}"#)
        #expect(result.report.issues.isEmpty)
        let line = try files.rows(
            """
            SELECT milestone, labels, (SELECT count(*) FROM Issue_assignees),
              (SELECT id FROM User WHERE restkit_key = author) FROM Issue
            """)
        #expect(line.map { $0.joined(separator: " ") } == [expected])
    }
}

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

    private static let examples: [(members: String, expected: String)] = [
        (#""milestone": null, "labels": [], "assignees": [], "user": null"#, "- [] 0 -"),
        (#""milestone": null, "labels": null, "assignees": null, "user": null"#, "- - 0 -"),
        (#""milestone": {"title": null}, "labels": [null]"#, "- [] 2 1"),
        (#""milestone": {}, "labels": [{}], "assignees": [{}], "user": {}"#, #"m ["a"] 2 1"#),
        ("", #"m ["a"] 2 1"#),
        (#""labels": [{"name": "b"}], "assignees": [{"id": 3}]"#, #"m ["b"] 1 1"#),
    ]

    private func check(_ example: Int, _ model: ManagedObjectModel) async throws {
        let (members, expected) = Self.examples[example]
        let files = try TemporaryStore()
        let store = try await ManagedObjectStore(at: files.file, model: model)
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

    @Test(arguments: examples.indices)
    func emptyIsEmptyAndAbsentIsAbsent(_ example: Int) async throws {
        try await check(example, ManagedObjectModel(Self.entities))
    }

    #if Macros
    @Test(arguments: examples.indices)
    func markersOfClassHaveSameRule(_ example: Int) async throws {
        try await check(example, ManagedObjectModel([TrackedIssue.self, TrackedUser.self]))
    }
    #endif
}

#if Macros
@Entity(name: "Issue") private final class TrackedIssue: ManagedObject {
    @Identity var id: Int
    @MappedKey("milestone.title") var milestone: String?
    @MappedKey("labels.name") var labels: [String]?
    @Connected("assignees.id") var assignees: Set<TrackedUser>
    @Connected("user.id") var author: TrackedUser?
}

@Entity(name: "User") private final class TrackedUser: ManagedObject {
    @Identity var id: Int
}
#endif

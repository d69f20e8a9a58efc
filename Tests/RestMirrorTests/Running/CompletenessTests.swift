// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument
import RestKit
import RestMirror
import RestTesting
import TestSupport
import Testing

/// Lists that may have more records than were read, which a run says.
@Suite(.tags(.socket)) struct CompletenessTests {
    private static func definition(
        _ base: String, pagination: PaginationDefinition?, relation: Bool = false,
        ignored: Bool = false
    ) -> Definition {
        var entities = [
            EntityDefinition(
                name: "Item", identity: ["id"],
                attributes: [
                    AttributeDefinition("id", .integer), AttributeDefinition("comments", .json),
                ])
        ]
        if relation {
            entities[0].attributes.removeLast()
            entities[0].relations = [
                RelationDefinition("comments", to: "Comment", isToMany: true)
            ]
            entities.append(
                EntityDefinition(
                    name: "Comment", identity: ["id"],
                    attributes: [AttributeDefinition("id", .integer)]))
        }
        if ignored {
            entities[0].attributes.removeLast()
            entities[0].ignored = ["comments"]
        }
        return Definition(
            api: APIDefinition(base: base, pagination: pagination),
            resources: [
                ResourceDefinition(
                    name: "items", path: Template(text: "items"), entity: .one("Item"))
            ], entities: entities)
    }

    private static func warnings(
        _ body: String, _ definition: (String) -> Definition
    ) async throws -> (kinds: [MirrorWarning.Kind], isComplete: Bool) {
        let file = try MirrorFile()
        let log = EventLog()
        return try await ScriptedAPI.run { api, base in
            api["/items"] = body
            let summary = try await file.run(definition(base)) { log.append($0) }
            return (log.warnings, summary.isComplete)
        }
    }

    @Test(arguments: [
        #"[{"id": 1, "comments": [{"id": 5}], "comments_count": 3}]"#,
        #"[{"id": 1, "comments": [{"id": 5}], "commentCount": 3}]"#,
        #"[{"id": 1, "comments": [], "total_comments": 1}]"#,
    ])
    func embeddedListShorterThanItsCountIsSaid(_ body: String) async throws {
        let plain = try await Self.warnings(body) {
            Self.definition($0, pagination: PaginationDefinition(.singlePage))
        }
        #expect(plain.kinds == [.shortEmbeddedList])
        #expect(plain.isComplete)
        // The rows of a relation would be taken for all of them.
        let related = try await Self.warnings(body) {
            Self.definition($0, pagination: PaginationDefinition(.singlePage), relation: true)
        }
        #expect(related.kinds == [.shortEmbeddedList])
        #expect(!related.isComplete)
        let ignored = try await Self.warnings(body) {
            Self.definition($0, pagination: PaginationDefinition(.singlePage), ignored: true)
        }
        #expect(ignored.kinds == [])
    }

    @Test(arguments: [
        #"{"id": 1, "comments": {"total": 9, "data": [{"id": 5}]}}"#,
        #"{"id": 1, "comments": {"object": "list", "has_more": true, "data": [{"id": 5}]}}"#,
        #"{"id": 1, "comments": {"pageInfo": {"hasNextPage": true}, "nodes": [{"id": 5}]}}"#,
    ])
    func objectAroundAListAnnouncesMore(_ record: String) async throws {
        let found = try await Self.warnings("[\(record)]") {
            Self.definition($0, pagination: PaginationDefinition(.singlePage))
        }
        #expect(found.kinds == [.shortEmbeddedList])
    }

    @Test(arguments: [
        #"[{"id": 1, "comments": [{"id": 5}], "comments_count": 1}]"#,
        #"[{"id": 1, "comments": {"total": 1, "data": [{"id": 5}]}}]"#,
        #"[{"id": 1, "comments": {"has_more": false, "data": [{"id": 5}]}}]"#,
        #"[{"id": 1, "comments": [], "stars_count": 12}]"#,
    ])
    func wholeEmbeddedListIsNotSaid(_ body: String) async throws {
        let found = try await Self.warnings(body) {
            Self.definition($0, pagination: PaginationDefinition(.singlePage))
        }
        #expect(found.kinds == [])
        #expect(found.isComplete)
    }

    @Test(arguments: [(4, MirrorWarning.Kind.fewerThanTotal, false), (1, .moreThanTotal, true)])
    func totalThatDisagreesIsSaid(
        _ total: Int, _ kind: MirrorWarning.Kind, _ isComplete: Bool
    ) async throws {
        let found = try await Self.warnings(
            #"{"total": \#(total), "items": [{"id": 1}, {"id": 2}]}"#
        ) {
            Self.definition(
                $0, pagination: PaginationDefinition(.linkHeader, total: .body("total")))
        }
        #expect(found.kinds == [kind])
        #expect(found.isComplete == isComplete)
    }

    /// A total without a declared pagination is the sign of one that nobody has declared.
    @Test(arguments: [
        #"{"total": 40, "items": [{"id": 1}, {"id": 2}]}"#,
        #"{"meta": {"total_count": 40}, "items": [{"id": 1}, {"id": 2}]}"#,
    ])
    func totalOfAnUnpagedListIsFound(_ body: String) async throws {
        let found = try await Self.warnings(body) { Self.definition($0, pagination: nil) }
        #expect(found.kinds == [.fewerThanTotal])
        #expect(!found.isComplete)
    }

    @Test func saysThatRecordsHaveOneIdentity() async throws {
        let found = try await Self.warnings(#"[{"id": 1}, {"id": 2}, {"id": 1}]"#) {
            Self.definition($0, pagination: PaginationDefinition(.singlePage))
        }
        #expect(found.kinds == [.repeatedIdentity])
        let none = try await Self.warnings(#"[{"id": 1}, {"id": 2}]"#) {
            Self.definition($0, pagination: PaginationDefinition(.singlePage))
        }
        #expect(none.kinds.isEmpty)
    }

    /// A deletion that the server takes back does not change the page with the record.
    @Test func deletedRowComesBackWithItsUnchangedPage() async throws {
        let file = try MirrorFile()
        try await ScriptedAPI.run { api, base in
            api["/items"] = #"[{"id": 1}, {"id": 2}]"#
            api.setHeaders([("ETag", "\"a\"")], at: "/items")
            api["/deletions"] = #"[{"item": 2}]"#
            var definition = Self.definition(base, pagination: PaginationDefinition(.singlePage))
            definition.resources[0].deletion = .list(resource: "deletions", identity: "item")
            definition.resources.append(
                ResourceDefinition(
                    name: "deletions", path: Template(text: "deletions"), entity: .one("Item")))
            definition.api.budget.parallelRequestCount = 1
            try await file.run(definition)
            api["/deletions"] = "[]"
            try await file.run(definition)
            try await file.run(definition)
            #expect(try file.integers("SELECT id FROM Item ORDER BY id") == [1, 2])
            #expect(try file.integers("SELECT count(*) FROM restkit_mirror_gone") == [0])
        }
    }
}

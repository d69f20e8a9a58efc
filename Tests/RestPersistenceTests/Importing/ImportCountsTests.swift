// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import RestPersistence
import TestSupport
import Testing

/// The numbers of objects that an import affected, by entity.
@Suite struct ImportCountsTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private static let entities = [
        EntityDescription(
            "Author",
            attributes: [
                AttributeDescription("id", .integer, isIdentity: true),
                AttributeDescription("name", .text),
            ]),
        EntityDescription(
            "Article",
            attributes: [
                AttributeDescription("id", .integer, isIdentity: true),
                AttributeDescription("title", .text, isOptional: true),
                AttributeDescription("state", .text, isOptional: true),
                AttributeDescription("editorID", .integer, isOptional: true),
            ],
            relationships: [
                .toOne("author", "Author"),
                .toOne("editor", "Author"),
                .toMany(
                    "readers", "Author", reference: ReferenceDescription(by: "id")),
            ]),
    ]

    private func load(
        _ text: String, into store: ManagedObjectStore
    ) async throws -> (result: ImportResult, saved: SaveReport) {
        var mapping = ObjectMapping(
            defaultFor: try #require(store.model.properties(of: "Article")),
            policy: IssuePolicy(invalidElement: .drop, invalidObject: .drop))
        mapping.assignsDefaultForMissing = false
        let rules = [
            "Article": EntityRules(
                deletionPredicate: .attribute("state", .equal, "gone"),
                connections: [Connection("editor", by: ["editorID": "id"])])
        ]
        let plan = try EntityMappingPlan(EntityMapping(mapping, rules: rules), in: store.model)
        let document = try Document(parsing: text)
        return try await store.perform { context in
            let result = try context.importObjects(from: document.root, by: plan)
            return (result, try context.save())
        }
    }

    private func counts(
        inserted: Int = 0, updated: Int = 0, unchanged: Int = 0, connected: Int = 0,
        pending: Int = 0, discarded: Int = 0, deleted: Int = 0
    ) -> [Int] {
        [inserted, updated, unchanged, connected, pending, discarded, deleted]
    }

    private func counts(_ counts: ImportCounts?) -> [Int] {
        guard let counts else { return [] }
        return [
            counts.inserted, counts.updated, counts.unchanged, counts.connected, counts.pending,
            counts.discarded, counts.deleted,
        ]
    }

    @Test func countsObjectsByEntity() async throws {
        let store = try await files.open(Self.entities)
        let first = try await load(
            """
            [{"id": 1, "title": "One", "author": {"id": 7, "name": "Ada"}, "readers": [7, 8]},
             {"id": 2, "title": "Two", "editorID": 7},
             {"id": 3, "title": "Three", "state": "gone"},
             {"id": 4, "author": {"id": 9}}]
            """, into: store)
        #expect(
            counts(first.result.counts["Article"])
                == counts(inserted: 4, connected: 2, pending: 1, deleted: 1))
        #expect(
            counts(first.result.counts["Author"]) == counts(inserted: 1, discarded: 1))
        #expect(counts(first.result.total)[0] == 5)
        let issue = try #require(first.result.report.issues.first)
        #expect(first.result.report.issues.count == 1)
        #expect(issue.path.description == "[3].author")
        #expect(issue.property == "name")

        let second = try await load(
            """
            [{"id": 1, "title": "One", "author": {"id": 7, "name": "Ada"}},
             {"id": 2, "title": "2", "editorID": 7}]
            """, into: store)
        #expect(
            counts(second.result.counts["Article"])
                == counts(updated: 1, unchanged: 1, connected: 1))
        #expect(counts(second.result.counts["Author"]) == counts(unchanged: 1))
        #expect(second.result.total.found == 3)
        #expect(second.saved.updated == 1)
        #expect(second.saved.unchanged == 2)
    }

    /// Importing the same again leaves the context without changes.
    @Test(.parity("K029")) func unchangedObjectsStayClean() async throws {
        let store = try await files.open(Self.entities)
        let text = #"[{"id": 1, "title": "One", "author": {"id": 7, "name": "Ada"}}]"#
        let plan = try EntityMappingPlan(
            EntityMapping(
                ObjectMapping(defaultFor: try #require(store.model.properties(of: "Article")))),
            in: store.model)
        let document = try Document(parsing: text)
        _ = try await load(text, into: store)
        let observer = try files.observer()
        let version = try observer.dataVersion()
        try await store.perform { context in
            let result = try context.importObjects(from: document.root, by: plan)
            #expect(result.total.unchanged == 2)
            #expect(!context.hasChanges)
            #expect(context.updatedObjects.isEmpty)
            let saved = try context.save()
            #expect(saved == SaveReport(unchanged: 2))
        }
        #expect(try observer.dataVersion() == version)
    }
}

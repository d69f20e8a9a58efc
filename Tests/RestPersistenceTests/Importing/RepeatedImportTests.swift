// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping
import RestPersistence
import TestSupport
import Testing

/// Documents that are imported again, with relationships that contradict each other.
///
/// Set `RESTKIT_PAYLOAD_CASES` for more random cases.
@Suite struct RepeatedImportTests {
    private static let cases = TestEnvironment.number("RESTKIT_PAYLOAD_CASES") ?? 40

    /// Documents, and the lines of the store afterwards.
    private static let documents: [(entity: String, text: String, lines: [String])] = [
        // The comment names its article, whose list lacks it.
        (
            "Comment", #"{"id": 5, "article": {"id": 1, "comments": [{"id": 6}]}}"#,
            [
                #"Article 1 - comments ["6", "5"]"#, #"Comment 5 - article ["1"]"#,
                #"Comment 6 - article ["1"]"#,
            ]
        ),
        // The comment names another article than the one whose list has it.
        (
            "Article", #"{"id": 1, "comments": [{"id": 5, "article": {"id": 2}}]}"#,
            ["Article 1 -", #"Article 2 - comments ["5"]"#, #"Comment 5 - article ["2"]"#]
        ),
        // A null that ends a cycle.
        (
            "Article", #"{"id": 1, "comments": [{"id": 5, "article": null}]}"#,
            [#"Article 1 - comments ["5"]"#, #"Comment 5 - article ["1"]"#]
        ),
        // Of two lists, the last has the comment.
        (
            "Article",
            #"[{"id": 1, "comments": [{"id": 5}, {"id": 6}]}, {"id": 2, "comments": [{"id": 5}]}]"#,
            [
                #"Article 1 - comments ["6"]"#, #"Article 2 - comments ["5"]"#,
                #"Comment 5 - article ["2"]"#, #"Comment 6 - article ["1"]"#,
            ]
        ),
        // Of two articles with one editor, the one that the editor names.
        (
            "Article",
            """
            [{"id": 1, "editor": {"id": 7, "edits": {"id": 1}}}, {"id": 2, "editor": {"id": 7}}]
            """,
            [#"Article 1 - editor ["7"]"#, "Article 2 -", #"Person 7 - edits ["1"]"#]
        ),
        // Of two articles with one editor, the last.
        (
            "Article", #"[{"id": 1, "editor": {"id": 7}}, {"id": 2, "editor": {"id": 7}}]"#,
            ["Article 1 -", #"Article 2 - editor ["7"]"#, #"Person 7 - edits ["2"]"#]
        ),
        // The editor names another article.
        (
            "Article", #"{"id": 1, "editor": {"id": 7, "edits": {"id": 2}}}"#,
            ["Article 1 -", #"Article 2 - editor ["7"]"#, #"Person 7 - edits ["2"]"#]
        ),
        (
            "Person", #"{"id": 1, "partner": {"id": 2, "partner": {"id": 3}}}"#,
            ["Person 1 -", #"Person 2 - partner ["3"]"#, #"Person 3 - partner ["2"]"#]
        ),
        (
            "Person", #"{"id": 1, "partner": {"id": 2, "partner": null}}"#,
            [#"Person 1 - partner ["2"]"#, #"Person 2 - partner ["1"]"#]
        ),
        // The tag has the article, whose list lacks the tag.
        (
            "Article", #"{"id": 1, "tags": [{"id": 2, "articles": [{"id": 3}]}]}"#,
            [
                #"Article 1 - tags ["2"]"#, #"Article 3 - tags ["2"]"#,
                #"Tag 2 - articles ["1", "3"]"#,
            ]
        ),
        // Of two lists of one article, the lines of the last.
        (
            "Article",
            """
            [{"id": 1, "lines": [{"title": "a"}, {"title": "b"}]},
             {"id": 1, "lines": [{"title": "c"}]}]
            """,
            [#"Article 1 - lines ["c0"]"#, #"Line c0 c article ["1"]"#]
        ),
    ]

    @Test(arguments: documents.indices, [false, true])
    func contradictionsAreDecidedByDocument(_ index: Int, savesBetween: Bool) async throws {
        let files = try TemporaryStore()
        let store = try await files.open(MagazineEntities.all(0))
        let (entity, text, expected) = Self.documents[index]
        var imports = ImportSequence(in: store.model)
        for _ in 0..<2 {
            try imports.add(entity, text, saves: savesBetween, expecting: expected)
        }
        #expect(try await imports.difference(in: store, MagazineEntities.lines) == nil)
    }

    /// A document with a reference that waits, the document of the object, and the lines afterwards.
    private static let arrivals: [(first: (String, String), second: (String, String), [String])] = [
        (
            ("Article", #"{"id": 1, "tags": [2]}"#), ("Tag", #"{"id": 2, "articles": []}"#),
            ["Article 1 -", "Tag 2 -"]
        ),
        (
            ("Article", #"{"id": 1, "tags": [2]}"#), ("Tag", #"{"id": 2, "articles": [1]}"#),
            [#"Article 1 - tags ["2"]"#, #"Tag 2 - articles ["1"]"#]
        ),
        (
            ("Article", #"{"id": 1, "comments": [5]}"#),
            ("Comment", #"{"id": 5, "article": null}"#), ["Article 1 -", "Comment 5 -"]
        ),
        (
            ("Article", #"{"id": 1, "comments": [5]}"#), ("Comment", #"{"id": 5}"#),
            [#"Article 1 - comments ["5"]"#, #"Comment 5 - article ["1"]"#]
        ),
        // The comment waits for another article.
        (
            ("Article", #"{"id": 1, "comments": [5]}"#), ("Comment", #"{"id": 5, "article": 9}"#),
            ["Article 1 -", "Comment 5 -", "Comment 5 article waits for integer(9)"]
        ),
        (
            ("Comment", #"{"id": 5, "article": 1}"#), ("Article", #"{"id": 1, "comments": []}"#),
            ["Article 1 -", "Comment 5 -"]
        ),
        (
            ("Article", #"{"id": 1, "editor": 7}"#), ("Person", #"{"id": 7, "edits": null}"#),
            ["Article 1 -", "Person 7 -"]
        ),
        (
            ("Person", #"{"id": 7, "edits": 1}"#), ("Article", #"{"id": 1, "editor": null}"#),
            ["Article 1 -", "Person 7 -"]
        ),
        (
            ("Person", #"{"id": 1, "partner": 2}"#), ("Person", #"{"id": 2, "partner": null}"#),
            ["Person 1 -", "Person 2 -"]
        ),
    ]

    /// The document of an object is newer than the references that have waited for it.
    @Test(arguments: arrivals.indices, [false, true])
    func documentOfAwaitedObjectDecides(_ index: Int, savesBetween: Bool) async throws {
        let files = try TemporaryStore()
        let store = try await files.open(MagazineEntities.all(MagazineEntities.variantCount - 1))
        let (first, second, expected) = Self.arrivals[index]
        var imports = ImportSequence(in: store.model)
        try imports.add(first.0, first.1, saves: savesBetween)
        try imports.add(second.0, second.1, saves: savesBetween, expecting: expected)
        #expect(try await imports.difference(in: store, MagazineEntities.lines) == nil)
    }

    /// An owner that has got another partner while it waited keeps that one.
    @Test func partnerOfWaitingOwnerIsKept() async throws {
        for (waiting, other, awaited, expected) in [
            (
                ("Person", #"{"id": 7, "edits": 1}"#), ("Article", #"{"id": 2, "editor": 7}"#),
                ("Article", #"{"id": 1}"#),
                ["Article 1 -", #"Article 2 - editor ["7"]"#, #"Person 7 - edits ["2"]"#]
            ),
            (
                ("Article", #"{"id": 1, "editor": 7}"#), ("Person", #"{"id": 8, "edits": 1}"#),
                ("Person", #"{"id": 7}"#),
                [#"Article 1 - editor ["8"]"#, "Person 7 -", #"Person 8 - edits ["1"]"#]
            ),
        ] {
            let files = try TemporaryStore()
            let store = try await files.open(
                MagazineEntities.all(MagazineEntities.variantCount - 1))
            for (entity, text) in [waiting, other, awaited] { try await store.load(entity, text) }
            #expect(try await store.read { try MagazineEntities.lines(of: $0) } == expected)
        }
    }

    /// An object of a relationship within its entity can be at both sides.
    @Test(arguments: [false, true]) func chainIsImportedWhole(isReversed: Bool) async throws {
        let files = try TemporaryStore()
        let store = try await files.open([
            EntityDescription(
                "Stop", attributes: [AttributeDescription("id", .integer, isIdentity: true)],
                relationships: [
                    .toOne("next", "Stop", inverse: "previous"),
                    .toOne("previous", "Stop", inverse: "next"),
                ])
        ])
        let text =
            isReversed
            ? #"{"id": 3, "previous": {"id": 2, "previous": {"id": 1}}}"#
            : #"{"id": 1, "next": {"id": 2, "next": {"id": 3}}}"#
        for _ in 0..<2 {
            try await store.load("Stop", text)
            let next = try await store.read { context in
                try context.fetch(FetchRequest("Stop")).map { stop in
                    let next = try stop.related("next").map { try $0.value("id", as: Int.self) }
                    return "\(try stop.value("id", as: Int.self)) \(next)"
                }.sorted()
            }
            #expect(next == ["1 [2]", "2 [3]", "3 []"])
        }
    }

    /// The objects that wait for each other arrive in one of the documents, or never.
    @Test(arguments: [
        (savesBetween: false, usesNewContexts: false), (true, false), (true, true),
    ])
    func importingTwiceEqualsImportingOnce(
        savesBetween: Bool, usesNewContexts: Bool
    ) async throws {
        for seed in 0..<Self.cases {
            let variant = seed * 37 % MagazineEntities.variantCount
            let files = try TemporaryStore()
            let store = try await files.open(MagazineEntities.all(variant))
            var generator = MagazineGenerator(variant: variant, seed: seed)
            var imports = ImportSequence(
                in: store.model, usesNewContexts: usesNewContexts)
            for _ in 0..<5 {
                let (entity, text) = generator.document()
                try imports.add(entity, text, saves: savesBetween)
            }
            let difference = try await imports.difference(in: store, MagazineEntities.lines)
            #expect(difference == nil, "seed \(seed), variant \(variant)")
            if difference != nil { return }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument
import RestMirror
import RestTesting
import TestSupport
import Testing

/// Rows that are deleted, and rows that are not.
@Suite(.tags(.socket)) struct DeletionTests {
    private static func definition(
        _ base: String, _ deletion: DeletionDefinition, also others: [ResourceDefinition] = []
    ) -> Definition {
        Definition(
            api: APIDefinition(base: base, pagination: PaginationDefinition(.linkHeader)),
            resources: [
                ResourceDefinition(
                    name: "items", path: Template(text: "items"), deletion: deletion,
                    entity: .one("Item"))
            ] + others,
            entities: [
                EntityDefinition(
                    name: "Item", identity: ["id"],
                    attributes: [
                        AttributeDefinition("id", .integer), AttributeDefinition("name", .text),
                        AttributeDefinition("deleted_at", .text),
                    ], relations: [RelationDefinition("owner", to: "Item", form: .identity)])
            ])
    }

    private static func ids(_ file: MirrorFile) throws -> [Int] {
        try file.integers("SELECT id FROM Item ORDER BY id")
    }

    @Test func tombstonesDeleteRows() async throws {
        let file = try MirrorFile()
        let tombstone = DeletionDefinition.tombstone(Condition(at: "deleted_at", .exists))
        try await ScriptedAPI.run { api, base in
            api["/items"] = #"[{"id": 1, "name": "a"}, {"id": 2, "name": "b"}]"#
            try await file.run(Self.definition(base, tombstone))
            api["/items"] =
                #"[{"id": 2, "deleted_at": "2024-01-01"}, {"id": 3, "deleted_at": "2024-01-01"}]"#
            try await file.run(Self.definition(base, tombstone))
            // What a list does not contain stays without a proof.
            #expect(try Self.ids(file) == [1])
        }
    }

    @Test func listsOfDeletionsDeleteRows() async throws {
        let file = try MirrorFile()
        let events = ResourceDefinition(
            name: "events", path: Template(text: "events"), entity: .one("Item"))
        let deletion = DeletionDefinition.list(resource: "events", identity: "data.object")
        try await ScriptedAPI.run { api, base in
            api["/items"] = #"[{"id": 1}, {"id": 2}]"#
            api["/events"] = "[]"
            try await file.run(Self.definition(base, deletion, also: [events]))
            api["/items"] = #"[{"id": 1}]"#
            api["/events"] = #"[{"data": {"object": 2}}, {"data": {"object": 9}}]"#
            try await file.run(Self.definition(base, deletion, also: [events]))
            #expect(try Self.ids(file) == [1])
        }
    }

    @Test func rowStaysWhileAnotherRefersToIt() async throws {
        let file = try MirrorFile()
        try await ScriptedAPI.run { api, base in
            api["/items"] = #"[{"id": 1}, {"id": 2, "owner": 1}]"#
            try await file.run(Self.definition(base, .walk))
            api["/items"] = #"[{"id": 2, "owner": 1}]"#
            try await file.run(Self.definition(base, .walk))
            #expect(try Self.ids(file) == [1, 2])
            api["/items"] = #"[{"id": 2, "owner": null}]"#
            try await file.run(Self.definition(base, .walk))
            #expect(try Self.ids(file) == [2])
        }
    }

    private static func authors(at base: String) -> Definition {
        Definition(
            api: APIDefinition(base: base, pagination: PaginationDefinition(.singlePage)),
            resources: [
                ResourceDefinition(
                    name: "authors", path: Template(text: "authors"), deletion: .walk,
                    entity: .one("Author")),
                ResourceDefinition(
                    name: "books", path: Template(text: "books"), entity: .one("Book")),
            ],
            entities: [
                EntityDefinition(
                    name: "Author", identity: ["id"],
                    attributes: [AttributeDefinition("id", .integer)],
                    relations: [
                        RelationDefinition(
                            "books", to: "Book", isToMany: true, form: .inverse, inverse: "author",
                            isOwned: true)
                    ]),
                EntityDefinition(
                    name: "Book", identity: ["id"],
                    attributes: [AttributeDefinition("id", .integer)],
                    relations: [
                        RelationDefinition(
                            "author", to: "Author", form: .identity, inverse: "books")
                    ]),
            ])
    }

    /// A row that is deleted with its owner comes back although the server confirms its page.
    @Test func rowDeletedWithItsOwnerIsReadAgain() async throws {
        let file = try MirrorFile()
        try await ScriptedAPI.run { api, base in
            api["/authors"] = #"[{"id": 1}, {"id": 2}]"#
            api["/books"] = #"[{"id": 10, "author": 1}, {"id": 20, "author": 2}]"#
            try await file.run(Self.authors(at: base))
            api["/authors"] = #"[{"id": 2}]"#
            try await file.run(Self.authors(at: base))
            #expect(try file.integers("SELECT id FROM Author") == [2])
            // The server still lists the book, with the same bytes as before.
            try await file.run(Self.authors(at: base))
            #expect(try file.integers("SELECT id FROM Book ORDER BY id") == [10, 20])
            let content = try file.content()
            try await file.run(Self.authors(at: base))
            #expect(try file.content() == content)
        }
    }

    @Test func rowOfAnotherListStays() async throws {
        let file = try MirrorFile()
        let closed = ResourceDefinition(
            name: "closed", path: Template(text: "closed"), deletion: .walk, entity: .one("Item"))
        try await ScriptedAPI.run { api, base in
            api["/items"] = #"[{"id": 1}, {"id": 2}]"#
            api["/closed"] = "[]"
            try await file.run(Self.definition(base, .walk, also: [closed]))
            api["/items"] = #"[{"id": 1}]"#
            api["/closed"] = #"[{"id": 2}]"#
            try await file.run(Self.definition(base, .walk, also: [closed]))
            #expect(try Self.ids(file) == [1, 2])
        }
    }

    /// A walk that ended early goes on where it ended, and deletes nothing that it did not look for.
    @Test func interruptedWalkDeletesNothing() async throws {
        let file = try MirrorFile()
        try await ScriptedAPI.run { api, base in
            func setPages(_ pages: [String]) {
                for (index, page) in pages.enumerated() {
                    let target = index == 0 ? "/items" : "/items?page=\(index + 1)"
                    api[target] = page
                    let next = "<\(base)items?page=\(index + 2)>; rel=\"next\""
                    api.setHeaders(index + 1 < pages.count ? [("Link", next)] : [], at: target)
                }
            }
            setPages([#"[{"id": 1}, {"id": 2}]"#, #"[{"id": 3}, {"id": 4}]"#, #"[{"id": 5}]"#])
            try await file.run(Self.definition(base, .walk))
            setPages([#"[{"id": 2}, {"id": 3}]"#, #"[{"id": 4}, {"id": 5}]"#, "[]"])
            api.fail([403], at: "/items?page=2")
            let failed = try await file.run(Self.definition(base, .walk))
            #expect(!failed.isComplete)
            #expect(try Self.ids(file) == [1, 2, 3, 4, 5])
            api.forgetRequests()
            let resumed = try await file.run(Self.definition(base, .walk))
            #expect(resumed.isComplete)
            #expect(api.targets.first == "/items?page=2")
            #expect(try Self.ids(file) == [2, 3, 4, 5])
        }
    }
}

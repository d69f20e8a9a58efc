// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import RestPersistence
import TestSupport
import Testing

/// Payloads that arrive one after the other, with the store that each of them leaves.
@Suite struct PayloadPairTests {
    /// A payload, an update, and the lines of the store after each.
    struct Pair: Sendable, CustomTestStringConvertible {
        let name: String
        var entity = "Author"
        let first: String
        let before: [String]
        let update: String
        let after: [String]

        var testDescription: String { name }
    }

    private static let entities = [
        EntityDescription(
            "Author",
            attributes: [
                AttributeDescription("id", .integer, isOptional: true, isIdentity: true),
                AttributeDescription("name", .text, isOptional: true),
            ],
            relationships: [
                .toMany("books", "Book", inverse: "author"),
                .toMany("favorites", "Book", inverse: "fans", isOrdered: true),
                .toOne("mentor", "Author", inverse: "pupils"),
                .toMany("pupils", "Author", inverse: "mentor"),
            ]),
        EntityDescription(
            "Book",
            attributes: [
                AttributeDescription("id", .integer, isOptional: true, isIdentity: true),
                AttributeDescription("title", .text, isOptional: true),
            ],
            relationships: [
                .toOne("author", "Author", inverse: "books"),
                .toMany("tags", "Tag", inverse: "books"),
                .toMany("fans", "Author", inverse: "favorites"),
            ]),
        EntityDescription(
            "Tag", attributes: [AttributeDescription("name", .text, isIdentity: true)],
            relationships: [.toMany("books", "Book", inverse: "tags")]),
    ]

    // An author's line has its books (`books`), its favorites in order and its mentor; a book's line has
    // its title and its tags.
    static let pairs = [
        Pair(
            name: "changed attribute", first: #"[{"id": 1, "name": "Ann"}]"#,
            before: ["A1 Ann"], update: #"[{"id": 1, "name": "Bea"}]"#, after: ["A1 Bea"]),
        Pair(
            name: "missing attribute", first: #"[{"id": 1, "name": "Ann"}]"#,
            before: ["A1 Ann"], update: #"[{"id": 1}]"#, after: ["A1 Ann"]),
        Pair(
            name: "null attribute", first: #"[{"id": 1, "name": "Ann"}]"#,
            before: ["A1 Ann"], update: #"[{"id": 1, "name": null}]"#, after: ["A1 -"]),
        Pair(
            name: "identity as text", first: #"[{"id": 1, "name": "Ann"}]"#,
            before: ["A1 Ann"], update: #"[{"id": "1", "name": "Bea"}]"#, after: ["A1 Bea"]),
        Pair(
            name: "missing identities", first: #"[{"name": "Ann"}]"#, before: ["A- Ann"],
            update: #"[{"name": "Ann"}]"#, after: ["A- Ann", "A- Ann"]),
        Pair(
            name: "null identity beside a known one", first: #"[{"id": 1, "name": "Ann"}]"#,
            before: ["A1 Ann"], update: #"[{"id": null, "name": "Bea"}, {"id": 1}]"#,
            after: ["A- Bea", "A1 Ann"]),
        Pair(
            name: "object that occurs twice", first: #"[{"id": 1, "name": "Ann"}]"#,
            before: ["A1 Ann"],
            update: #"[{"id": 1, "name": "Bea"}, {"id": 2}, {"id": 1, "name": "Cid"}]"#,
            after: ["A1 Cid", "A2 -"]),
        Pair(
            name: "null in place of objects", first: #"[{"id": 1, "name": "Ann"}]"#,
            before: ["A1 Ann"], update: "null", after: ["A1 Ann"]),
        Pair(
            name: "added member of to-many",
            first: #"[{"id": 1, "books": [{"id": 1, "title": "a"}]}]"#,
            before: ["A1 - books 1", "B1 a"],
            update: #"[{"id": 1, "books": [{"id": 1}, {"id": 2, "title": "b"}]}]"#,
            after: ["A1 - books 1,2", "B1 a", "B2 b"]),
        Pair(
            name: "removed member of to-many",
            first: #"[{"id": 1, "books": [{"id": 1, "title": "a"}, {"id": 2, "title": "b"}]}]"#,
            before: ["A1 - books 1,2", "B1 a", "B2 b"],
            update: #"[{"id": 1, "books": [{"id": 2, "title": "c"}]}]"#,
            after: ["A1 - books 2", "B1 a", "B2 c"]),
        Pair(
            name: "null list", first: #"[{"id": 1, "books": [{"id": 1}]}]"#,
            before: ["A1 - books 1", "B1 -"], update: #"[{"id": 1, "books": null}]"#,
            after: ["A1 -", "B1 -"]),
        Pair(
            name: "empty list", first: #"[{"id": 1, "books": [{"id": 1}]}]"#,
            before: ["A1 - books 1", "B1 -"], update: #"[{"id": 1, "books": []}]"#,
            after: ["A1 -", "B1 -"]),
        Pair(
            name: "missing list", first: #"[{"id": 1, "books": [{"id": 1}]}]"#,
            before: ["A1 - books 1", "B1 -"], update: #"[{"id": 1, "name": "Ann"}]"#,
            after: ["A1 Ann books 1", "B1 -"]),
        Pair(
            name: "list with null", first: #"[{"id": 1, "books": [{"id": 1}]}]"#,
            before: ["A1 - books 1", "B1 -"],
            update: #"[{"id": 1, "books": [null, {"id": 2}]}]"#,
            after: ["A1 - books 2", "B1 -", "B2 -"]),
        Pair(
            name: "member that moves to another owner",
            first: #"[{"id": 1, "books": [{"id": 1}, {"id": 2}]}, {"id": 2, "books": []}]"#,
            before: ["A1 - books 1,2", "A2 -", "B1 -", "B2 -"],
            update: #"[{"id": 2, "books": [{"id": 1}]}]"#,
            after: ["A1 - books 2", "A2 - books 1", "B1 -", "B2 -"]),
        Pair(
            name: "other side of to-many", entity: "Book",
            first: #"[{"id": 1, "author": {"id": 1}}, {"id": 2, "author": {"id": 1}}]"#,
            before: ["A1 - books 1,2", "B1 -", "B2 -"],
            update: #"[{"id": 1, "author": null}, {"id": 2}, {"id": 3, "author": {"id": 1}}]"#,
            after: ["A1 - books 2,3", "B1 -", "B2 -", "B3 -"]),
        Pair(
            name: "many-to-many", entity: "Book",
            first:
                #"[{"id": 1, "tags": [{"name": "x"}, {"name": "y"}]}, {"id": 2, "tags": [{"name": "x"}]}]"#,
            before: ["B1 - tags x,y", "B2 - tags x", "Tx", "Ty"],
            update: #"[{"id": 1, "tags": [{"name": "y"}, {"name": "z"}]}]"#,
            after: ["B1 - tags y,z", "B2 - tags x", "Tx", "Ty", "Tz"]),
        Pair(
            name: "other side of many-to-many", entity: "Tag",
            first: #"[{"name": "x", "books": [{"id": 1}, {"id": 2}]}]"#,
            before: ["B1 - tags x", "B2 - tags x", "Tx"],
            update: #"[{"name": "y", "books": [{"id": 2}]}, {"name": "x", "books": [{"id": 2}]}]"#,
            after: ["B1 -", "B2 - tags x,y", "Tx", "Ty"]),
        Pair(
            name: "null list of many-to-many", entity: "Book",
            first: #"[{"id": 1, "tags": [{"name": "x"}]}, {"id": 2, "tags": [{"name": "x"}]}]"#,
            before: ["B1 - tags x", "B2 - tags x", "Tx"],
            update: #"[{"id": 1, "tags": null}, {"id": 2, "title": "b"}]"#,
            after: ["B1 -", "B2 b tags x", "Tx"]),
        Pair(
            name: "order of ordered to-many",
            first: #"[{"id": 1, "favorites": [{"id": 3}, {"id": 1}, {"id": 2}]}]"#,
            before: ["A1 - favorites 3,1,2", "B1 -", "B2 -", "B3 -"],
            update: #"[{"id": 1, "favorites": [{"id": 2}, {"id": 1}, {"id": 3}]}]"#,
            after: ["A1 - favorites 2,1,3", "B1 -", "B2 -", "B3 -"]),
        Pair(
            name: "members of ordered to-many",
            first: #"[{"id": 1, "favorites": [{"id": 1}, {"id": 2}, {"id": 3}]}]"#,
            before: ["A1 - favorites 1,2,3", "B1 -", "B2 -", "B3 -"],
            update: #"[{"id": 1, "favorites": [{"id": 4}, {"id": 3}, {"id": 4}, {"id": 1}]}]"#,
            after: ["A1 - favorites 4,3,1", "B1 -", "B2 -", "B3 -", "B4 -"]),
        Pair(
            name: "object of its own relationship",
            first: #"[{"id": 1, "mentor": {"id": 2, "name": "Bea"}}]"#,
            before: ["A1 - mentor 2", "A2 Bea"],
            update: #"[{"id": 1, "mentor": {"id": 1}}, {"id": 2, "mentor": {"id": 1}}]"#,
            after: ["A1 - mentor 1", "A2 Bea mentor 1"]),
        Pair(
            name: "null and missing destination",
            first: #"[{"id": 1, "mentor": {"id": 3}}, {"id": 2, "mentor": {"id": 3}}]"#,
            before: ["A1 - mentor 3", "A2 - mentor 3", "A3 -"],
            update: #"[{"id": 1, "mentor": null}, {"id": 2, "name": "Bea"}]"#,
            after: ["A1 -", "A2 Bea mentor 3", "A3 -"]),
        Pair(
            name: "inverse of its own entity",
            first: #"[{"id": 1, "pupils": [{"id": 2}, {"id": 3, "pupils": [{"id": 4}]}]}]"#,
            before: ["A1 -", "A2 - mentor 1", "A3 - mentor 1", "A4 - mentor 3"],
            update: #"[{"id": 1, "pupils": [{"id": 4}]}, {"id": 3, "pupils": []}]"#,
            after: ["A1 -", "A2 -", "A3 -", "A4 - mentor 1"]),
        Pair(
            name: "graph that leads back",
            first: #"[{"id": 1, "books": [{"id": 1, "author": {"id": 1, "name": "Ann"}}]}]"#,
            before: ["A1 Ann books 1", "B1 -"],
            update: #"[{"id": 2, "name": "Bea", "books": [{"id": 1, "title": "a"}]}]"#,
            after: ["A1 Ann", "A2 Bea books 1", "B1 a"]),
    ]

    @Test(arguments: pairs, [false, true])
    func leavesExpectedStore(_ pair: Pair, savesFirst: Bool) async throws {
        let files = try TemporaryStore()
        let store = try await files.open(Self.entities)
        let mapping = ObjectMapping(
            defaultFor: try #require(store.model.properties(of: pair.entity)))
        let plan = try EntityMappingPlan(EntityMapping(mapping), in: store.model)
        let (first, update) = (
            try Document(parsing: pair.first), try Document(parsing: pair.update)
        )
        let lines = try await store.perform { context in
            _ = try context.importObjects(from: first.root, by: plan)
            if savesFirst { try context.save() }
            let before = try Self.lines(of: context)
            _ = try context.importObjects(from: update.root, by: plan)
            let after = try Self.lines(of: context)
            try context.save()
            return (before, after)
        }
        #expect(lines.0 == pair.before)
        #expect(lines.1 == pair.after)
        // A new context reads rows only.
        let stored = try await store.perform { try Self.lines(of: $0) }
        #expect(stored == pair.after)
    }

    @Test func pairsAreAtLeastTwenty() { #expect(Self.pairs.count >= 20) }

    /// Returns a line for each object, sorted.
    private static func lines(of context: ManagedObjectContext) throws -> [String] {
        func id(_ object: ManagedObject) throws -> String {
            try object.value("id", as: Int?.self).map(String.init) ?? "-"
        }
        func list(
            _ name: String, of object: ManagedObject, isOrdered: Bool = false,
            _ key: (ManagedObject) throws -> String
        ) throws -> String {
            let keys = try object.related(name).map(key)
            if keys.isEmpty { return "" }
            return " \(name) " + (isOrdered ? keys : keys.sorted()).joined(separator: ",")
        }
        let authors = try context.fetch(FetchRequest("Author")).map { author in
            let name = try author.value("name", as: String?.self) ?? "-"
            return try "A\(id(author)) \(name)" + list("books", of: author, id)
                + list("favorites", of: author, isOrdered: true, id)
                + list("mentor", of: author, id)
        }
        let books = try context.fetch(FetchRequest("Book")).map { book in
            let title = try book.value("title", as: String?.self) ?? "-"
            return try "B\(id(book)) \(title)"
                + list("tags", of: book) { try $0.value("name", as: String.self) }
        }
        let tags = try context.fetch(FetchRequest("Tag")).map {
            try "T\($0.value("name", as: String.self))"
        }
        return authors.sorted() + books.sorted() + tags.sorted()
    }
}

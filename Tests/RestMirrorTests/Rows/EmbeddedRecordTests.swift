// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument
import RestMirror
import TestSupport
import Testing

/// Objects and lists in records that are a part of what other records have.
@Suite(.tags(.socket)) struct EmbeddedRecordTests {
    private static func resource(
        _ name: String, _ entity: String, for parent: String? = nil
    ) -> ResourceDefinition {
        var resource = ResourceDefinition(
            name: name, path: Template(text: name), pagination: PaginationDefinition(.singlePage),
            entity: .one(entity))
        if let parent {
            resource.path = Template(parts: [
                .text(parent + "/"), .parent(parent, path: "id"), .text("/" + name),
            ])
            resource.parents = [ParentDefinition(name: parent, source: .resource(parent))]
        }
        return resource
    }

    private static func entity(
        _ name: String, _ attributes: [String], _ relations: [RelationDefinition] = []
    ) -> EntityDefinition {
        EntityDefinition(
            name: name, identity: attributes.contains("id") ? ["id"] : [],
            attributes: attributes.map { AttributeDefinition($0, $0 == "id" ? .integer : .text) },
            relations: relations)
    }

    private static func definition(
        _ base: String, _ resources: [ResourceDefinition], _ entities: [EntityDefinition]
    ) -> Definition {
        Definition(api: APIDefinition(base: base), resources: resources, entities: entities)
    }

    private static func posts(at base: String) -> Definition {
        definition(
            base, [resource("users", "User"), resource("posts", "Post")],
            [
                entity("User", ["id", "name", "city"]),
                entity("Post", ["id", "title"], [RelationDefinition("user", to: "User")]),
            ])
    }

    @Test(arguments: [true, false])
    func shortObjectKeepsOtherColumns(_ isWholeFirst: Bool) async throws {
        let file = try MirrorFile()
        try await ScriptedAPI.run { api, base in
            let users = #"[{"id": 1, "name": "Ada", "city": "London"}]"#
            let posts = #"[{"id": 7, "title": "Hi", "user": {"id": 1, "name": "Countess"}}]"#
            api["/users"] = isWholeFirst ? users : "[]"
            api["/posts"] = isWholeFirst ? "[]" : posts
            try await file.run(Self.posts(at: base))
            api["/users"] = users
            api["/posts"] = posts
            try await file.run(Self.posts(at: base))
            // The object sets what it has.
            let name = isWholeFirst ? "Countess" : "Ada"
            #expect(
                try file.rows(
                    "SELECT p.id, u.name, u.city FROM Post p JOIN User u ON u.restkit_key = p.user"
                ) == ["7|\(name)|London"])
            #expect(try file.integers("SELECT count(*) FROM User") == [1])
        }
    }

    @Test(arguments: [true, false])
    func shortObjectOfThePageKeepsColumns(_ isWholeFirst: Bool) async throws {
        let file = try MirrorFile()
        try await ScriptedAPI.run { api, base in
            let whole = #"{"id": 7, "user": {"id": 1, "name": "Ada", "city": "London"}}"#
            let short = #"{"id": 8, "user": {"id": 1}}"#
            api["/users"] = "[]"
            api["/posts"] =
                "[" + (isWholeFirst ? [whole, short] : [short, whole]).joined(separator: ",") + "]"
            try await file.run(Self.posts(at: base))
            #expect(try file.rows("SELECT name, city FROM User") == ["Ada|London"])
            #expect(try file.integers("SELECT count(*) FROM Post WHERE user IS NOT NULL") == [2])
        }
    }

    private static func labels(at base: String) -> Definition {
        definition(
            base, [resource("repositories", "Repository"), resource("issues", "Issue")],
            [
                entity("Label", ["id", "name"]),
                entity(
                    "Repository", ["id", "name"],
                    [RelationDefinition("labels", to: "Label", isToMany: true)]),
                entity("Issue", ["id"], [RelationDefinition("repository", to: "Repository")]),
            ])
    }

    private static func members(_ file: MirrorFile) throws -> [Int] {
        try file.integers(
            "SELECT l.id FROM Repository_labels m JOIN Label l ON l.restkit_key = m.target ORDER BY l.id"
        )
    }

    @Test func onlyWholeListRemovesMembers() async throws {
        let file = try MirrorFile()
        try await ScriptedAPI.run { api, base in
            func run(_ record: String, _ members: [Int]) async throws {
                api["/repositories"] = "[\(record)]"
                api["/issues"] = "[]"
                try await file.run(Self.labels(at: base))
                let found = try Self.members(file)
                #expect(found == members, "\(record)")
            }
            try await run(
                #"{"id": 1, "labels": [{"id": 1}, {"id": 2}], "labels_count": 2}"#, [1, 2])
            try await run(#"{"id": 1, "labels": [{"id": 3}], "labels_count": 3}"#, [1, 2, 3])
            try await run(#"{"id": 1, "labels": [{"id": 3}], "labels_count": 1}"#, [3])
            try await run(#"{"id": 1, "name": "a"}"#, [3])
            try await run(#"{"id": 1, "labels": []}"#, [])
        }
    }

    /// The repository of an issue is a part of the one that the list of repositories has.
    @Test(arguments: [true, false])
    func listOfEmbeddedObjectKeepsMembers(_ isWholeFirst: Bool) async throws {
        let file = try MirrorFile()
        try await ScriptedAPI.run { api, base in
            let whole = #"[{"id": 1, "name": "a", "labels": [{"id": 1}, {"id": 2}]}]"#
            let issues = #"[{"id": 5, "repository": {"id": 1, "labels": [{"id": 2}]}}]"#
            api["/repositories"] = isWholeFirst ? whole : "[]"
            api["/issues"] = isWholeFirst ? "[]" : issues
            try await file.run(Self.labels(at: base))
            api["/repositories"] = whole
            api["/issues"] = issues
            try await file.run(Self.labels(at: base))
            #expect(try Self.members(file) == [1, 2])
            #expect(try file.rows("SELECT name FROM Repository") == ["a"])
            api["/repositories"] = #"[{"id": 1, "name": "a", "labels": [{"id": 2}]}]"#
            try await file.run(Self.labels(at: base))
            #expect(try Self.members(file) == [2])
        }
    }

    @Test func shortListOfNestedObjectKeepsMembers() async throws {
        let file = try MirrorFile()
        try await ScriptedAPI.run { api, base in
            var definition = Self.labels(at: base)
            definition.resources.removeFirst()
            func run(_ repository: String, _ members: [Int]) async throws {
                api["/issues"] = #"[{"id": 5, "repository": \#(repository)}, {"id": 6}]"#
                try await file.run(definition)
                let found = try Self.members(file)
                #expect(found == members, "\(repository)")
            }
            try await run(#"{"id": 1, "labels": [{"id": 1}, {"id": 2}]}"#, [1, 2])
            try await run(#"{"id": 1, "labels": [{"id": 3}], "total_labels": 3}"#, [1, 2, 3])
            try await run(#"{"id": 1, "labels": [{"id": 3}]}"#, [3])
            #expect(try file.integers("SELECT id FROM Issue ORDER BY id") == [5, 6])
        }
    }

    /// The first comments in a post are a part of those that the list of its comments has.
    @Test func listBesideAListOfChildrenKeepsMembers() async throws {
        let file = try MirrorFile()
        try await ScriptedAPI.run { api, base in
            let definition = Self.definition(
                base,
                [
                    Self.resource("posts", "Post"),
                    Self.resource("comments", "Comment", for: "posts"),
                ],
                [
                    Self.entity(
                        "Post", ["id", "title"],
                        [
                            RelationDefinition(
                                "comments", to: "Comment", isToMany: true, inverse: "post",
                                isOwned: true)
                        ]),
                    Self.entity(
                        "Comment", ["id", "text"],
                        [
                            RelationDefinition(
                                "post", to: "Post", path: "post_id", form: .identity,
                                inverse: "comments")
                        ]),
                ])
            api["/posts"] = #"[{"id": 1, "title": "a", "comments": [{"id": 1, "text": "x"}]}]"#
            api["/posts/1/comments"] = #"[{"id": 1, "post_id": 1}, {"id": 2, "post_id": 1}]"#
            try await file.run(definition)
            api["/posts"] = #"[{"id": 1, "title": "b", "comments": [{"id": 1, "text": "y"}]}]"#
            try await file.run(definition)
            #expect(
                try file.rows("SELECT id, text, post IS NOT NULL FROM Comment ORDER BY id")
                    == ["1|y|1", "2|NULL|1"])
        }
    }

    @Test func shortListWithoutIdentitiesIsLeftOut() async throws {
        let file = try MirrorFile()
        try await ScriptedAPI.run { api, base in
            let definition = Self.definition(
                base, [Self.resource("orders", "Order")],
                [
                    Self.entity(
                        "Order", ["id"],
                        [
                            RelationDefinition(
                                "lines", to: "Line", isToMany: true, inverse: "order", isOwned: true
                            )
                        ]),
                    Self.entity("Line", ["text"]),
                ])
            func run(_ record: String, _ lines: [String]) async throws {
                api["/orders"] = "[\(record)]"
                try await file.run(definition)
                let found = try file.rows("SELECT text FROM Line ORDER BY text")
                #expect(found == lines, "\(record)")
            }
            try await run(#"{"id": 1, "lines": [{"text": "a"}, {"text": "b"}]}"#, ["a", "b"])
            try await run(
                #"{"id": 1, "lines": [{"text": "c"}], "line_count": 3}"#,
                [
                    "a", "b",
                ])
            try await run(#"{"id": 1, "lines": [{"text": "c"}]}"#, ["c"])
        }
    }
}

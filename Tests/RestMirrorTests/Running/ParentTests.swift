// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument
import RestMirror
import RestTesting
import TestSupport
import Testing

/// Resources that are read for each record of a parent.
@Suite(.tags(.socket)) struct ParentTests {
    private static func definition(
        _ base: String, onlyChanged: Bool = false, batch: ParentDefinition.Batch? = nil,
        path: String = "tasks/{projects.name}", cursor: CursorDefinition? = nil
    ) -> Definition {
        let template =
            batch == nil
            ? Template(parts: [.text("tasks/"), .parent("projects", path: "name")])
            : Template(parts: [.text("tasks/"), .parent("projects", path: "id")])
        return Definition(
            api: APIDefinition(base: base, pagination: PaginationDefinition(.singlePage)),
            resources: [
                ResourceDefinition(
                    name: "tasks", path: template,
                    parents: [
                        ParentDefinition(
                            name: "projects", source: .resource("projects"), batch: batch,
                            onlyChanged: onlyChanged,
                            inclusions: batch == nil ? [FieldInclusion("project", from: "id")] : [])
                    ], cursor: cursor, deletion: cursor == nil ? .walk : .none, entity: .one("Task")
                ),
                ResourceDefinition(
                    name: "projects", path: Template(text: "projects"), deletion: .walk,
                    entity: .one("Project")),
            ],
            entities: [
                EntityDefinition(
                    name: "Project", identity: ["id"],
                    attributes: [
                        AttributeDefinition("id", .integer), AttributeDefinition("name", .text),
                        AttributeDefinition("rank", .integer),
                    ]),
                EntityDefinition(
                    name: "Task", identity: ["id"],
                    attributes: [
                        AttributeDefinition("id", .integer), AttributeDefinition("title", .text),
                        AttributeDefinition("updated", .integer),
                    ],
                    relations: [RelationDefinition("project", to: "Project", form: .identity)]),
            ])
    }

    private static func tasks(_ file: MirrorFile) throws -> [String] {
        try file.rows(
            "SELECT t.id, p.name FROM Task t LEFT JOIN Project p ON p.restkit_key = t.project ORDER BY t.id"
        )
    }

    @Test func recordsReferToTheirParents() async throws {
        let file = try MirrorFile()
        try await ScriptedAPI.run { api, base in
            api["/projects"] = #"[{"id": 1, "name": "a b"}, {"id": 2, "name": "c/d"}]"#
            api["/tasks/a%20b"] = #"[{"id": 10}, {"id": 11}]"#
            api["/tasks/c/d"] = #"[{"id": 12}]"#
            let summary = try await file.run(Self.definition(base))
            #expect(summary.isComplete)
            #expect(try Self.tasks(file) == ["10|a b", "11|a b", "12|c/d"])
        }
    }

    @Test func listsOfRemovedParentsAreDeleted() async throws {
        let file = try MirrorFile()
        try await ScriptedAPI.run { api, base in
            api["/projects"] = #"[{"id": 1, "name": "a"}, {"id": 2, "name": "b"}]"#
            api["/tasks/a"] = #"[{"id": 10}, {"id": 11}]"#
            api["/tasks/b"] = #"[{"id": 12}]"#
            try await file.run(Self.definition(base))
            // Task 11 has moved to the other project.
            api["/projects"] = #"[{"id": 2, "name": "b"}]"#
            api["/tasks/a"] = nil
            api["/tasks/b"] = #"[{"id": 12}, {"id": 11}]"#
            let summary = try await file.run(Self.definition(base))
            #expect(summary.isComplete)
            #expect(try Self.tasks(file) == ["11|b", "12|b"])
            #expect(try file.integers("SELECT id FROM Project") == [2])
        }
    }

    @Test func missingListOfParentDoesNotEndRun() async throws {
        let file = try MirrorFile()
        try await ScriptedAPI.run { api, base in
            api["/projects"] = #"[{"id": 1, "name": "a"}, {"id": 2, "name": "b"}]"#
            api["/tasks/b"] = #"[{"id": 12}]"#
            let summary = try await file.run(Self.definition(base))
            #expect(summary.isComplete)
            #expect(try Self.tasks(file) == ["12|b"])
        }
    }

    @Test func onlyChangedParentsAreVisitedAgain() async throws {
        let file = try MirrorFile()
        try await ScriptedAPI.run { api, base in
            api["/projects"] =
                #"[{"id": 1, "name": "a", "rank": 1}, {"id": 2, "name": "b", "rank": 1}]"#
            api["/tasks/a"] = "[]"
            api["/tasks/b"] = "[]"
            try await file.run(Self.definition(base, onlyChanged: true))
            api.forgetRequests()
            try await file.run(Self.definition(base, onlyChanged: true))
            #expect(api.targets == ["/projects"])
        }
    }

    @Test func severalParentsShareARequest() async throws {
        let file = try MirrorFile()
        try await ScriptedAPI.run { api, base in
            api["/projects"] = #"[{"id": 1}, {"id": 2}, {"id": 3}]"#
            api["/tasks/1%2C2"] = #"[{"id": 10}]"#
            api["/tasks/3"] = #"[{"id": 11}]"#
            let summary = try await file.run(
                Self.definition(base, batch: ParentDefinition.Batch(count: 2)))
            #expect(summary.isComplete)
            #expect(try file.integers("SELECT id FROM Task ORDER BY id") == [10, 11])
        }
    }

    @Test func newParentStartsAtTheBeginning() async throws {
        let file = try MirrorFile()
        let cursor = CursorDefinition(
            .field("updated"), parameter: "since", format: .integer, order: .ascending)
        try await ScriptedAPI.run { api, base in
            api["/projects"] = #"[{"id": 1, "name": "a"}]"#
            api["/tasks/a"] = #"[{"id": 10, "updated": 500}]"#
            try await file.run(Self.definition(base, cursor: cursor))
            api["/projects"] = #"[{"id": 1, "name": "a"}, {"id": 2, "name": "b"}]"#
            api["/tasks/b"] = #"[{"id": 12, "updated": 3}]"#
            api.forgetRequests()
            try await file.run(Self.definition(base, cursor: cursor))
            #expect(Set(api.targets) == ["/projects", "/tasks/a?since=499", "/tasks/b"])
            #expect(try Self.tasks(file) == ["10|a", "12|b"])
        }
    }

    /// An API can have a million parents.
    @Test func stateOfParentIsSmall() async throws {
        let file = try MirrorFile()
        try await ScriptedAPI.run { api, base in
            let count = 100
            let projects = (1...count).map { "{\"id\": \($0), \"name\": \"p\($0)\"}" }
            api["/projects"] = "[" + projects.joined(separator: ",") + "]"
            for number in 1...count { api["/tasks/p\(number)"] = "[{\"id\": \(number)}]" }
            let summary = try await file.run(Self.definition(base))
            #expect(summary.isComplete)
            let bytes = try file.integers(
                """
                SELECT max(length(position) + length(request) + length(digest) + length(keys) \
                + length(url)) FROM restkit_mirror_page WHERE list IN \
                (SELECT list FROM restkit_mirror_page GROUP BY list HAVING count(*) = 1) AND records = 1
                """)
            // A digest, the key of the row, and the path.
            #expect(bytes[0] <= 8 + 3 + "tasks/p100".utf8.count)
            #expect(
                try file.rows("SELECT DISTINCT typeof(resource) FROM restkit_mirror_list") == [
                    "integer"
                ])
            #expect(try file.integers("SELECT count(*) FROM restkit_mirror_walk") == [0])
            let before = try file.content()
            api.forgetRequests()
            try await file.run(Self.definition(base))
            #expect(api.targets.count == count + 1)
            #expect(try file.content() == before)
        }
    }

    @Test func valuesWithSpacesAreDifferentLists() async throws {
        let file = try MirrorFile()
        try await ScriptedAPI.run { api, base in
            api["/tasks/a%20b/c"] = #"[{"id": 1}]"#
            api["/tasks/a/b%20c"] = #"[{"id": 2}]"#
            api["/tasks/a/c"] = "[]"
            api["/tasks/a%20b/b%20c"] = "[]"
            var definition = Self.definition(base)
            definition.resources.removeLast()
            definition.resources[0].path = Template(
                parts: [
                    .text("tasks/"), .parent("x", path: "value"), .text("/"),
                    .parent("y", path: "value"),
                ])
            definition.resources[0].parents = [
                ParentDefinition(name: "x", source: .values([.text("a b"), .text("a")])),
                ParentDefinition(name: "y", source: .values([.text("c"), .text("b c")])),
            ]
            let summary = try await file.run(definition)
            #expect(summary.isComplete)
            #expect(try file.integers("SELECT count(*) FROM restkit_mirror_list") == [4])
            try await file.run(definition)
            #expect(try file.integers("SELECT id FROM Task ORDER BY id") == [1, 2])
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestKit
import RestMirror
import RestTesting
import Synchronization
import TestSupport
import Testing

/// Rows of entities that exist at run time only.
@Suite(.tags(.socket)) struct RunTimeRowTests {
    private static func films(at base: String) -> Definition {
        Definition(
            api: APIDefinition(base: base),
            resources: [
                ResourceDefinition(
                    name: "people", path: Template(text: "people/"),
                    pagination: PaginationDefinition(.singlePage), entity: .one("Person")),
                ResourceDefinition(
                    name: "films", path: Template(text: "films/"),
                    pagination: PaginationDefinition(.singlePage), entity: .one("Film")),
            ],
            entities: [
                EntityDefinition(
                    name: "Person", identity: ["id"],
                    attributes: [
                        AttributeDefinition(
                            "id", .integer, path: "url", form: .lastPathComponent),
                        AttributeDefinition("name", .text),
                        AttributeDefinition("height", .integer),
                        AttributeDefinition("tags", .json),
                        AttributeDefinition("home_name", .text, path: "home.name"),
                    ],
                    relations: [
                        RelationDefinition(
                            "films", to: "Film", isToMany: true, form: .lastPathComponent,
                            isOrdered: true),
                        RelationDefinition("friend", to: "Person", form: .lastPathComponent),
                    ]),
                EntityDefinition(
                    name: "Film", identity: ["id"],
                    attributes: [
                        AttributeDefinition(
                            "id", .integer, path: "url", form: .lastPathComponent),
                        AttributeDefinition("title", .text),
                        AttributeDefinition("gross", .decimal),
                        AttributeDefinition("released", .date),
                    ],
                    relations: [
                        RelationDefinition("director", to: "Director")
                    ]),
                EntityDefinition(
                    name: "Director", identity: ["id"],
                    attributes: [
                        AttributeDefinition("id", .integer), AttributeDefinition("name", .text),
                    ]),
            ])
    }

    private static let people = """
        [{"url": "https://host/people/1/", "name": "Luke", "height": "172", "tags": ["b", 1],
          "home": {"name": "Tatooine"}, "films": ["https://host/films/2/", "https://host/films/1/"],
          "friend": "https://host/people/2/"},
         {"url": "https://host/people/2/", "name": "Leia", "height": null, "tags": null,
          "films": ["https://host/films/1/"], "friend": "https://host/people/1/"}]
        """
    private static let filmList = """
        [{"url": "https://host/films/1/", "title": "A New Hope", "gross": 12345678901234567890.25,
          "released": "1977-05-25T00:00:00Z", "director": {"id": 9, "name": "George"}},
         {"url": "https://host/films/2/", "title": "Empire", "director": {"id": 9, "name": "George"}}]
        """

    private final class Bodies: Sendable {
        let all = Mutex(["/people/": RunTimeRowTests.people, "/films/": RunTimeRowTests.filmList])

        func response(_ request: LoopbackRequest) -> LoopbackResponse {
            all.withLock { .json($0[request.path] ?? "[]") }
        }
    }

    /// Calls a closure with a file and a server that has bodies, whose definition it runs.
    private static func withServer(
        of bodies: Bodies = Bodies(),
        _ body: (_ file: MirrorFile, _ films: Definition) async throws -> Void
    ) async throws {
        let file = try MirrorFile()
        try await LoopbackServer.run {
            bodies.response($0)
        } body: { server in
            try await body(file, films(at: server.baseURL))
        }
    }

    @Test func storesValuesAndRelations() async throws {
        try await Self.withServer { file, films in
            let summary = try await file.run(films)
            #expect(summary.isComplete)
            let people = try file.rows(
                "SELECT p.id, p.name, p.height, p.tags, p.home_name, f.name FROM Person p "
                    + "JOIN Person f ON f.restkit_key = p.friend ORDER BY p.id")
            #expect(
                people == [
                    #"1|Luke|172|["b",1]|Tatooine|Leia"#, "2|Leia|NULL|NULL|NULL|Luke",
                ])
            #expect(
                try file.rows(
                    "SELECT f.id, f.gross, f.released, d.name FROM Film f "
                        + "JOIN Director d ON d.restkit_key = f.director ORDER BY f.id") == [
                        "1|12345678901234567890.25|1977-05-25T00:00:00.000000Z|George",
                        "2|NULL|NULL|George",
                    ])
            #expect(
                try file.rows(
                    "SELECT p.id, f.id FROM Person_films l JOIN Person p ON p.restkit_key = l.source "
                        + "JOIN Film f ON f.restkit_key = l.target ORDER BY p.id, l.target_position"
                )
                    == ["1|2", "1|1", "2|1"])
            #expect(try file.integers("SELECT count(*) FROM Director") == [1])
        }
    }

    @Test func unchangedDocumentsWriteNothing() async throws {
        let bodies = Bodies()
        try await Self.withServer(of: bodies) { file, films in
            try await file.run(films)
            let first = try file.content()
            // Another text with the same values.
            bodies.all.withLock { all in
                for (path, text) in all { all[path] = text + " \n" }
            }
            let summary = try await file.run(films)
            #expect(!summary.rows.hasChanges)
            #expect(summary.rows.unchanged > 0)
            for table in ["Person", "Film", "Director", "Person_films"] {
                #expect(try file.content()[table] == first[table])
            }
            let second = try file.content()
            try await file.run(films)
            #expect(try file.content() == second)
        }
    }

    @Test func missingKeysKeepValuesAndNullRemovesThem() async throws {
        let bodies = Bodies()
        try await Self.withServer(of: bodies) { file, films in
            try await file.run(films)
            bodies.all.withLock {
                $0["/people/"] = """
                    [{"url": "/people/1/", "height": null, "friend": null},
                     {"url": "/people/2/", "name": "Organa", "films": []}]
                    """
            }
            let summary = try await file.run(films)
            #expect(summary.rows.updated == 2)
            #expect(
                try file.rows("SELECT id, name, height, friend IS NULL FROM Person ORDER BY id")
                    == [
                        "1|Luke|NULL|1", "2|Organa|NULL|0",
                    ])
            #expect(try file.integers("SELECT count(*) FROM Person_films") == [2])
        }
    }

    @Test func recordsWithoutIdentityAreLeftOutAndSaid() async throws {
        let bodies = Bodies()
        bodies.all.withLock { $0["/people/"] = #"[{"name": "Nobody"}, {"url": "/people/1/"}]"# }
        let log = EventLog()
        try await Self.withServer(of: bodies) { file, films in
            _ = try await file.run(films) { log.append($0) }
            #expect(try file.rows("SELECT id FROM Person") == ["1"])
            #expect(log.warnings == [.unfitting])
        }
    }
}

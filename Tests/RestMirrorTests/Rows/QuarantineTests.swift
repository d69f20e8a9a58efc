// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument
import RestKit
import RestMirror
import RestTesting
import TestSupport
import Testing

/// Values that the schema has no place for.
@Suite(.tags(.socket)) struct QuarantineTests {
    private static func definition(
        _ base: String, _ schema: SchemaPolicy, auto: Bool = false,
        pagination: PaginationDefinition = PaginationDefinition(.linkHeader)
    ) -> Definition {
        Definition(
            api: APIDefinition(base: base, pagination: pagination),
            resources: [
                ResourceDefinition(
                    name: "items", path: Template(text: "items"), deletion: .walk,
                    entity: .one("Item"))
            ],
            entities: [
                EntityDefinition(
                    name: "Item", identity: ["id"],
                    attributes: [
                        AttributeDefinition("id", .integer),
                        AttributeDefinition("name", .text, isOptional: false),
                        AttributeDefinition("size", .integer),
                    ], infersAttributes: auto)
            ], schema: schema)
    }

    private static func kept(_ file: MirrorFile) throws -> [String] {
        try file.rows(
            "SELECT resource, entity, identity, path, value FROM restkit_quarantine ORDER BY id")
    }

    private static func size(_ value: String) -> String {
        #"[{"id": 1, "name": "a", "size": 7}, {"id": 2, "name": "b", "size": \#(value)}]"#
    }

    @Test(arguments: [SchemaPolicy(.quarantine), SchemaPolicy(.evolve)])
    func valueOfAnotherTypeStaysUntilItFits(_ schema: SchemaPolicy) async throws {
        let file = try MirrorFile()
        let log = EventLog()
        try await ScriptedAPI.run { api, base in
            api["/items"] = Self.size(#"{"unit": "cm"}"#)
            let definition = Self.definition(base, schema)
            let mirror = try await APIMirror(
                definition, at: file.url, over: CurlTransport(), clock: file.clock,
                budgets: file.budgets)
            _ = try await mirror.run { log.append($0) }
            // Only a schema that may change does.
            let evolved = mirror.evolvedDefinition?.entity(named: "Item")?.attribute(named: "size")
            #expect((evolved?.type == .json) == (schema.retyped == .evolve))
            try mirror.close()
            #expect(log.warnings == [.unfitting])
            #expect(try file.rows("SELECT id, size FROM Item ORDER BY id") == ["1|7", "2|NULL"])
            #expect(try Self.kept(file) == [#"items|Item|2|size|{"unit":"cm"}"#])
            #expect(try MirrorStatus(of: file.url).resources[0].quarantinedCount == 1)
            // A run without changes keeps it.
            try await file.run(definition)
            #expect(try Self.kept(file).count == 1)
            api["/items"] = Self.size("9")
            try await file.run(definition)
            #expect(try Self.kept(file) == [])
            #expect(try file.rows("SELECT size FROM Item WHERE id = 2") == ["9"])
        }
    }

    @Test func incompleteRecordIsKeptAsAWhole() async throws {
        let file = try MirrorFile()
        try await ScriptedAPI.run { api, base in
            api["/items"] = #"[{"id": 1, "name": "a"}, {"id": 2, "size": 3}]"#
            let mirror = try await APIMirror(
                Self.definition(base, SchemaPolicy(missing: .quarantine)), at: file.url,
                over: CurlTransport(), clock: file.clock, budgets: file.budgets)
            _ = try await mirror.run()
            #expect(mirror.evolvedDefinition == nil)
            try mirror.close()
            #expect(try file.integers("SELECT id FROM Item") == [1])
            #expect(try Self.kept(file) == [#"items|Item|2|name|{"id":2,"size":3}"#])
        }
    }

    @Test func columnBecomesOptionalForRecordsWithoutItsValue() async throws {
        let file = try MirrorFile()
        try await ScriptedAPI.run { api, base in
            api["/items"] = #"[{"id": 1, "name": "a"}, {"id": 2, "size": 3}]"#
            let mirror = try await APIMirror(
                Self.definition(base, SchemaPolicy()), at: file.url, over: CurlTransport(),
                clock: file.clock, budgets: file.budgets)
            _ = try await mirror.run()
            let evolved = try #require(mirror.evolvedDefinition)
            try mirror.close()
            try await file.run(evolved)
            #expect(try file.rows("SELECT id, name FROM Item ORDER BY id") == ["1|a", "2|NULL"])
            #expect(try Self.kept(file) == [])
        }
    }

    @Test func unknownKeysAreKept() async throws {
        let file = try MirrorFile()
        try await ScriptedAPI.run { api, base in
            api["/items"] =
                #"[{"id": 1, "name": "a", "color": "red"}, {"id": 2, "name": "b", "tags": ["x"]}]"#
            let definition = Self.definition(base, SchemaPolicy(unknown: .quarantine))
            try await file.run(definition)
            #expect(
                try Self.kept(file) == [
                    #"items|Item|1|color|"red""#, #"items|Item|2|tags|["x"]"#,
                ])
            // The server does not send the record any more.
            api["/items"] = #"[{"id": 2, "name": "b", "tags": ["x"]}]"#
            try await file.run(definition)
            #expect(try Self.kept(file) == [#"items|Item|2|tags|["x"]"#])
        }
    }

    @Test(arguments: [
        (
            SchemaPolicy(retyped: .freeze), #"[{"id": 1, "name": "a", "size": "secret"}]"#,
            "Item.size"
        ),
        (SchemaPolicy(missing: .freeze), #"[{"id": 1, "size": 3}]"#, "Item.name"),
        (
            SchemaPolicy(unknown: .freeze), #"[{"id": 1, "name": "a", "color": "secret"}]"#,
            "unknown keys color"
        ),
    ])
    func frozenSchemaRefusesThePage(
        _ schema: SchemaPolicy, _ body: String, _ problem: String
    ) async throws {
        let file = try MirrorFile()
        try await ScriptedAPI.run { api, base in
            api["/items"] = body
            let summary = try await file.run(Self.definition(base, schema))
            let failure = try #require(summary.resources[0].failure)
            #expect(failure.contains("recordsRefused"))
            #expect(failure.contains(problem))
            #expect(!failure.contains("secret"))
            #expect(try file.integers("SELECT id FROM Item") == [])
            #expect(try Self.kept(file) == [])
        }
    }

    @Test func numberAndSizeOfKeptValuesAreBounded() async throws {
        let file = try MirrorFile()
        let large = String(repeating: "x", count: 70_000)
        try await ScriptedAPI.run { api, base in
            for page in 1...12 {
                let items = (1...1_000).map { index in
                    let value = page == 1 && index == 1 ? "\"\(large)\"" : "{}"
                    return #"{"id": \#(page * 1_000 + index), "name": "a", "size": \#(value)}"#
                }
                let target = page == 1 ? "/items" : "/items?page=\(page)"
                api[target] = "[\(items.joined(separator: ","))]"
                guard page < 12 else { continue }
                api.setHeaders(
                    [("Link", "<\(base)items?page=\(page + 1)>; rel=\"next\"")], at: target)
            }
            try await file.run(Self.definition(base, SchemaPolicy(.quarantine)))
            #expect(try file.integers("SELECT count(*) FROM restkit_quarantine") == [10_000])
            #expect(
                try file.rows("SELECT identity FROM restkit_quarantine WHERE value IS NULL")
                    == ["1001"])
            #expect(try file.integers("SELECT count(*) FROM Item") == [12_000])
        }
    }
}

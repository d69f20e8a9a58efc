// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument
import RestMirror
import RestTesting
import TestSupport
import Testing

/// Records in bodies of several shapes and formats.
@Suite(.tags(.socket)) struct RecordTests {
    private static func definition(
        _ base: String, _ records: RecordsDefinition, format: ResponseFormat = .json
    ) -> Definition {
        Definition(
            api: APIDefinition(
                base: base, format: format, pagination: PaginationDefinition(.singlePage)),
            resources: [
                ResourceDefinition(
                    name: "items", path: Template(text: "items"), records: records,
                    entity: .one("Item"))
            ],
            entities: [
                EntityDefinition(
                    name: "Item", identity: ["id"],
                    attributes: [
                        AttributeDefinition("id", .integer), AttributeDefinition("name", .text),
                    ])
            ])
    }

    struct Case: Sendable {
        let body: String
        var records = RecordsDefinition()
        var format = ResponseFormat.json
    }

    @Test(arguments: [
        Case(
            body:
                #"{"meta": {}, "data": {"items": [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}]}}"#,
            records: RecordsDefinition(path: "data.items")),
        Case(body: #"{"total": 2, "rows": [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}]}"#),
        Case(
            body: #"[{"item": {"id": 1, "name": "a"}}, {"item": {"id": 2, "name": "b"}}]"#,
            records: RecordsDefinition(wrapper: "item")),
        Case(
            body:
                #"[{"id": 1, "attributes": {"name": "a"}}, {"id": 2, "attributes": {"name": "b"}}]"#,
            records: RecordsDefinition(merge: ["attributes"])),
        Case(
            body: #"{"1": {"name": "a"}, "2": {"name": "b"}}"#,
            records: RecordsDefinition(path: .root, isKeyed: true, keyName: "id")),
        Case(
            body: #"[{"name": "a", "ids": [{"id": 1}]}, {"name": "b", "ids": [{"id": 2}]}]"#,
            records: RecordsDefinition(
                expansion: RecordsDefinition.Expansion(
                    at: "ids", inclusions: [FieldInclusion("name", from: "name")]))),
        Case(
            body: #"[{"id": 1, "name": "a"}, {"id": 3, "draft": true}, {"id": 2, "name": "b"}]"#,
            records: RecordsDefinition(
                filter: [Condition(at: "draft", .isNone(of: [.boolean(true)]))])),
        Case(body: "id,name\r\n1,a\r\n2,\"b\"\r\n", format: ResponseFormat(.csv)),
        Case(
            body: "{\"id\": 1, \"name\": \"a\"}\n\n{\"id\": 2, \"name\": \"b\"}\n",
            format: ResponseFormat(.jsonLines)),
    ])
    func areFound(_ shape: Case) async throws {
        let file = try MirrorFile()
        try await ScriptedAPI.run { api, base in
            api["/items"] = shape.body
            let summary = try await file.run(
                Self.definition(base, shape.records, format: shape.format))
            #expect(summary.isComplete)
            #expect(try file.rows("SELECT id, name FROM Item ORDER BY id") == ["1|a", "2|b"])
        }
    }

    @Test func bodyWithoutRecordsIsAFailure() async throws {
        let file = try MirrorFile()
        try await ScriptedAPI.run { api, base in
            api["/items"] = #"{"error": "not now"}"#
            let summary = try await file.run(
                Self.definition(base, RecordsDefinition(path: "items")))
            #expect(summary.resources[0].failure?.contains("no records at items") == true)
            api["/items"] = #"{"items": null}"#
            #expect(
                try await file.run(Self.definition(base, RecordsDefinition(path: "items")))
                    .isComplete)
        }
    }
}

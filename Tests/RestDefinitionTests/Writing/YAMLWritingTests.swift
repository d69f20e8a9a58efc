// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument
import RestYAML
import Testing

@Suite struct YAMLWritingTests {
    private static let definition = Definition(
        api: APIDefinition(base: "https://api.example.com/"),
        resources: [
            ResourceDefinition(
                name: "items", path: Template(text: "items"),
                pagination: PaginationDefinition(.link(at: "next")),
                records: RecordsDefinition(path: "results"), entity: .one("Item"))
        ],
        entities: [
            EntityDefinition(
                name: "Item", identity: ["id"],
                attributes: [
                    AttributeDefinition("id", .integer), AttributeDefinition("no", .text),
                ],
                infersAttributes: false)
        ])

    @Test func writesCommentsBesideSettings() {
        let text = Self.definition.yaml(comments: [
            .root: "Written by a test.",
            "entities.Item.identity": "id: unique in 300 of 300",
            "entities.Item.attributes.id": "300 integers",
            "resources.items": "100 records in each of 3 pages",
        ])
        #expect(
            text == """
                # Written by a test.
                version: 1
                api:
                  base: https://api.example.com/
                resources:
                  # 100 records in each of 3 pages
                  items:
                    path: items
                    pagination: {type: json_link, path: next}
                    records: results
                    entity: Item
                entities:
                  Item:
                    identity: id  # id: unique in 300 of 300
                    attributes:
                      id: integer  # 300 integers
                      "no": text

                """)
    }

    @Test func keepsCommentsInsideTheirLine() throws {
        let text = Self.definition.yaml(comments: [
            "api.base": "line\u{2028}version: 2\u{85}api: {}\r\nresources: {} \u{0} end",
            "entities.Item": String(repeating: "long words ", count: 40),
        ])
        #expect(
            try DefinitionFile(reading: SourceValue(parsingYAML: text)).definition
                == Self.definition)
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 110 })
    }

    @Test(arguments: [
        "no", "on", "Yes", "null", "~", "", " a", "a ", "a: b", "a #b", "- a", "1", "1.5", "0x1F",
        "007",
        "2024-05-01", "a\nb", "\u{2028}", "\u{85}", "é", "{a}", "[a", "*a", "&a", "!a", "%a", "@a",
        "`a", "'a", "\"a\"", "a,b", "a:", ":a", "?", "<<", "a\\b", "$NAME", "=", "|", ">", "\t",
        "\u{7F}",
    ])
    func keepsTextsThatLookLikeOtherValues(_ text: String) throws {
        var definition = Self.definition
        let template = Template(text: text)
        definition.resources[0].parameters = [
            ParameterDefinition("a", template), ParameterDefinition("b", template),
            ParameterDefinition("b", template),
        ]
        definition.resources[0].method = .post
        definition.resources[0].body = .json(
            .array([.text(template), .object([.init(text, .number("1"))])]))
        let read = try DefinitionFile(reading: SourceValue(parsingYAML: definition.yaml()))
            .definition
        #expect(read == definition)
    }

    @Test func writesEveryKindOfSetting() throws {
        let definition = Definition(
            api: APIDefinition(
                base: "https://api.example.com/",
                headers: [
                    HeaderDefinition("X-A", .secret(.file("secret.txt"))),
                    HeaderDefinition("X-B", .secret(.environment("B"))),
                ],
                format: ResponseFormat(.jsonLines, isCompressed: true),
                authentication: .refreshToken(
                    .file("token"),
                    client: OAuthClient(
                        tokenURL: "oauth/token", identifier: .text("me"), secret: .environment("S"),
                        scopes: ["a", "b"])),
                budget: BudgetDefinition(
                    windows: [
                        .init(requestCount: 10, per: .seconds(1)),
                        .init(requestCount: 99, per: .seconds(5400)),
                    ],
                    remainingField: "X-Remaining", resetField: "X-Reset", resetFormat: .seconds,
                    parallelRequestCount: 3, sharedName: "us", ceiling: 9,
                    maximumWait: .milliseconds(1500))),
            resources: [
                ResourceDefinition(
                    name: "parts",
                    path: Template(parts: [.text("parts/"), .parent("code", path: "value")]),
                    parents: [
                        ParentDefinition(
                            name: "code", source: .values([.number("1"), .text("a")]),
                            batch: .init(count: 50, separator: ";"),
                            inclusions: [FieldInclusion("code", from: "value")])
                    ],
                    records: RecordsDefinition(
                        path: .root, wrapper: "part", merge: ["a", "b"],
                        expansion: .init(
                            at: "lines", inclusions: [FieldInclusion("x", from: "y.z")]),
                        filter: [
                            Condition(at: "a", .isOne(of: [.null, .boolean(true)])),
                            Condition(at: "b", .isNone(of: [.text("x")])),
                            Condition(at: "c", .isMissing),
                        ],
                        included: [
                            .init(
                                at: "inc",
                                entity: .byValue(TypedSelection(by: "type", [.init("p", "Part")])))
                        ],
                        isKeyed: true, keyName: "key"),
                    cursor: CursorDefinition(
                        .field("at"), parameter: "from", endParameter: "to",
                        format: .pattern("yyyy"),
                        initialValue: .number("2000"), lookback: .duration(.seconds(86400 * 14)),
                        step: .duration(.seconds(90)), retention: .seconds(3600),
                        order: .descending,
                        isPerParent: false),
                    deletion: .tombstone(Condition(at: "state", .isOne(of: [.text("deleted")]))),
                    responses: [
                        ResponseRule(
                            statusCodes: [404...404, 500...599, 410...412],
                            conditions: [Condition(at: "m", .contains("x"))], action: .restart)
                    ],
                    entity: .one("Part"))
            ],
            entities: [
                EntityDefinition(
                    name: "Part", identity: ["id", "owner"],
                    attributes: [
                        AttributeDefinition(
                            "id", .decimal, path: "a.id", form: .lastPathComponent,
                            isOptional: false,
                            isIndexed: true, formerNames: ["old"])
                    ],
                    relations: [
                        RelationDefinition(
                            "parts", to: "Part", isToMany: true, path: "x[0].y", form: .identity,
                            attribute: "id", inverse: "whole", isOrdered: true, isOwned: true,
                            missing: .placeholder, formerNames: ["a", "b"]),
                        RelationDefinition("whole", to: "Part", form: .inverse, inverse: "parts"),
                        RelationDefinition("owner", to: "Part"),
                    ],
                    search: ["id"], formerNames: ["Piece"], ignored: ["b", "c.d"],
                    schema: SchemaPolicy(unknown: .freeze, missing: .evolve, retyped: .quarantine))
            ],
            schema: SchemaPolicy(.quarantine))
        let yaml = try DefinitionFile(reading: SourceValue(parsingYAML: definition.yaml()))
            .definition
        #expect(yaml == definition)
        let schema = Definition.jsonSchema()
        #expect(SchemaValidator.problems(of: definition.json().root, schema.root) == [])
    }
}

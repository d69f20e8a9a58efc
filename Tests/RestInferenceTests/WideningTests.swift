// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument
import RestInference
import Testing

@Suite struct WideningTests {
    private func types(_ bodies: [String]) throws -> [String: AttributeDefinition.ValueType] {
        var inference = DefinitionInference()
        for body in bodies {
            inference.observe(try Document(parsing: body), from: "https://api.example.com/items")
        }
        let entity = inference.result().definition.entities[0]
        return Dictionary(uniqueKeysWithValues: entity.attributes.map { ($0.name, $0.type) })
    }

    @Test(arguments: [
        ("1", "2.5", AttributeDefinition.ValueType.double),
        ("1", "18446744073709551615", .unsignedInteger),
        ("-1", "18446744073709551615", .decimal),
        ("1", "123456789012345678901234567890", .decimal),
        ("1.5", "0.1234567890123456789", .decimal),
        ("1", "\"1\"", .json), ("true", "0", .json), ("\"a\"", "[1]", .json),
        ("null", "1", .integer), ("1", "null", .integer), ("null", "null", .auto),
        ("\"2024-01-01T00:00:00Z\"", "\"soon\"", .text),
        ("\"2024-01-01T00:00:00Z\"", "\"2024-01-01T00:00:00+02:00\"", .date),
        ("\"2024-01-01\"", "\"2024-02-30\"", .text),
        ("\"2024-01-01\"", "\"2024-01-01T00:00:00Z\"", .text),
        ("\"0f8fad5b-d9cb-469f-a165-70867728950e\"", "\"\"", .text),
        ("\"https://a.example/\"", "\"mailto:a@example.com\"", .text),
        ("{}", "{\"a\": 1}", .json),
    ])
    func widensInAnyOrder(
        _ first: String, _ second: String, _ type: AttributeDefinition.ValueType
    ) throws {
        let documents = [
            #"[{"id": 1, "metadata": \#(first)}]"#, #"[{"id": 2, "metadata": \#(second)}]"#,
        ]
        #expect(try types(documents)["metadata"] == type)
        #expect(try types(documents.reversed())["metadata"] == type)
    }

    @Test func keepsEvidenceOfAllResponses() throws {
        var inference = DefinitionInference()
        for page in 0..<3 {
            let records = (0..<100).map { "{\"id\": \(page * 100 + $0), \"name\": \"a\"}" }
            let body = "{\"data\": [\(records.joined(separator: ","))], \"meta\": {\"total\": 300}}"
            inference.observe(
                try Document(parsing: body), from: "https://api.example.com/items?page=\(page + 1)")
        }
        let result = inference.result()
        #expect(
            result.evidence["entities.Item.identity"]?.description == "id: unique in 300 of 300")
        #expect(
            result.definition.resources[0].pagination?.rule
                == .pageNumber(parameter: "page", first: 1))
        #expect(result.definition.resources[0].pagination?.total == .body("meta.total"))
        #expect(result.summary.count == 5)
        #expect(result.summary[0] == "Entities: Item (300, id)")
    }

    @Test func tellsThatAListMayBeIncomplete() throws {
        let records = (0..<30).map { "{\"id\": \($0)}" }.joined(separator: ",")
        var inference = DefinitionInference()
        inference.observe(
            try Document(parsing: "[\(records)]"), from: "https://api.example.com/items")
        let result = inference.result()
        #expect(result.definition.resources[0].pagination == nil)
        #expect(result.evidence["resources.items"]?.text.contains("may be incomplete") == true)
    }

    @Test func refusesIdentitiesWithOtherContent() throws {
        let body = #"""
            [{"id": 1, "name": "a", "slug": "p"}, {"id": 1, "name": "b", "slug": "q"}, {"id": 1, "name": "c", "slug": "r"},
             {"id": 1, "name": "d", "slug": "s"}]
            """#
        var inference = DefinitionInference()
        inference.observe(try Document(parsing: body), from: "https://api.example.com/items")
        #expect(inference.result().definition.entities[0].identity == ["slug"])
    }

    @Test func writesADefinitionThatReadsBack() throws {
        for sample in Sample.lists + Sample.shapes {
            let result = try sample.inferred()
            #expect(result.definition.diagnostics() == [], "\(sample.name)")
            let file = try DefinitionFile(
                parsingJSON: JSONWriter.compact.bytes(of: result.definition.json()))
            #expect(file.definition == result.definition)
        }
    }

    @Test func keepsSecretsOutOfDefinitions() throws {
        var inference = DefinitionInference()
        inference.observe(
            try Document(parsing: #"[{"id": 1}]"#),
            from:
                "https://me:hunter2@api.example.com/items?api_key=hunter2&access_token=hunter2&state=open"
        )
        let yaml = inference.result().yaml()
        #expect(!yaml.contains("hunter2"))
        #expect(yaml.contains("state: open"))
    }
}

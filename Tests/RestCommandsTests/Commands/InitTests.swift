// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import RestDefinition
import RestYAML
import Testing

@testable import RestCommands

@Suite struct InitTests {
    /// Runs the command with an output file, and returns the code, the messages and the definition.
    private func run(
        _ source: String, in folder: String
    ) async throws -> (code: Int32, text: String, definition: Definition?) {
        let output = folder + "/" + UUID().uuidString + ".yaml"
        let command = try InitCommand.parse([source, "--output", output])
        var code: Int32 = -1
        let text = try await OutputCapture.run { code = try await command.run(on: $0) }
        guard let yaml = try? String(contentsOf: URL(filePath: output), encoding: .utf8) else {
            return (code, text, nil)
        }
        return (code, text, try DefinitionFile(reading: SourceValue(parsingYAML: yaml)).definition)
    }

    @Test func writesADefinitionForAnOpenAPIDocument() async throws {
        let text = """
            openapi: 3.1.0
            servers: [{url: https://api.example.com/v2}]
            paths:
              /pets:
                get:
                  responses:
                    "200":
                      content:
                        application/json:
                          schema: {type: array, items: {$ref: "#/components/schemas/Pet"}}
            components:
              schemas:
                Pet: {type: object, properties: {id: {type: integer}, name: {type: [string, "null"]}}}
            """
        try await TemporaryFiles.with(["api.yaml": text]) { folder in
            let result = try await run(folder + "/api.yaml", in: folder)
            #expect(result.code == 0)
            #expect(result.definition?.api.base == "https://api.example.com/v2/")
            #expect(result.definition?.entity(named: "Pet")?.identity == ["id"])
            #expect(result.text.contains("Entities: Pet"))
        }
    }

    @Test func writesADefinitionForAFolderOfSamples() async throws {
        let files = [
            "users.json": #"[{"id": 1, "name": "Ada"}, {"id": 2, "name": "Bob"}]"#,
            "users/1/posts.json": #"[{"id": 5, "user_id": 1, "text": "Hi"}]"#,
            "notes.txt": "no sample",
        ]
        try await TemporaryFiles.with(files) { folder in
            let result = try await run(folder, in: folder)
            #expect(result.code == 0)
            #expect(result.definition?.resources.map(\.name) == ["users", "posts"])
            #expect(
                result.definition?.entity(named: "Post")?.relation(named: "user")?.entity == "User")
        }
    }

    @Test func writesADefinitionForTrafficWithoutItsSecrets() async throws {
        let archive = #"""
            {"log": {"entries": [{"request": {"method": "GET", "url": "https://api.example.com/items?token=s3cret",
              "headers": [{"name": "Authorization", "value": "Bearer s3cret"}]}, "response": {"status": 200,
              "headers": [], "content": {"mimeType": "application/json", "text": "[{\"id\": 1}]"}}}]}}
            """#
        try await TemporaryFiles.with(["a.har": archive]) { folder in
            let result = try await run(folder + "/a.har", in: folder)
            #expect(result.code == 0)
            #expect(result.definition?.api.authentication == .bearer([.environment("API_TOKEN")]))
            #expect(!result.text.contains("s3cret"))
            for name in try FileManager.default.contentsOfDirectory(atPath: folder)
            where name.hasSuffix(".yaml") {
                let yaml = try String(contentsOfFile: folder + "/" + name, encoding: .utf8)
                #expect(!yaml.contains("s3cret"))
            }
        }
    }

    @Test func tellsWhenNothingCanBeInferred() async throws {
        try await TemporaryFiles.with(["a.json": "[1, 2]", "b.yaml": "a: 1"]) { folder in
            #expect(try await run(folder + "/a.json", in: folder).code == 1)
            let other = try await run(folder + "/b.yaml", in: folder)
            #expect(other.code == 1)
            #expect(other.text.contains("the document is not OpenAPI"))
            #expect(other.definition == nil)
            #expect(try await run(folder + "/c.yaml", in: folder).code == 2)
        }
    }

    @Test func neverReplacesAFile() async throws {
        try await TemporaryFiles.with(["a.json": #"[{"id": 1}]"#, "b.yaml": "kept"]) { folder in
            #expect(throws: (any Error).self) {
                try InitCommand.parse([folder + "/a.json", "--output", folder + "/b.yaml"])
            }
            let text = try String(contentsOfFile: folder + "/b.yaml", encoding: .utf8)
            #expect(text == "kept")
        }
    }

    @Test(arguments: [["a.json", "--token", "NAME"], ["https://a.example/", "--token", "ghp-1"]])
    func refusesTokensThatAreNoVariable(_ arguments: [String]) {
        #expect(throws: (any Error).self) { try InitCommand.parse(arguments) }
    }

    private static func specification(_ properties: String) -> String {
        """
        openapi: 3.1.0
        servers: [{url: https://api.example.com/v2}]
        paths:
          /pets:
            get:
              responses:
                "200":
                  content:
                    application/json:
                      schema: {type: array, items: {$ref: "#/components/schemas/Pet"}}
        components:
          schemas:
            Pet: {type: object, properties: {id: {type: integer}, \(properties)}}
        """
    }

    @Test func secondRunMergesWithTheEdits() async throws {
        let source = Self.specification("name: {type: string}, size: {type: integer}")
        try await TemporaryFiles.with(["api.yaml": source]) { folder in
            let (input, output) = (folder + "/api.yaml", folder + "/pets.yaml")
            let url = URL(filePath: output)
            func run() async throws -> (code: Int32, text: String) {
                let command = try InitCommand.parse([input, "--output", output])
                var code: Int32 = -1
                let text = try await OutputCapture.run { code = try await command.run(on: $0) }
                return (code, text)
            }
            #expect(try await run().code == 0)
            let first = try String(contentsOf: url, encoding: .utf8)
            let edited = first.replacing("size: integer", with: "size: decimal  # in metres")
                .replacing("name: text", with: "name: json")
            #expect(edited != first)
            try Data(edited.utf8).write(to: url)

            // Without a change of the API, the file is the edited one.
            #expect(try await run().code == 0)
            #expect(try String(contentsOf: url, encoding: .utf8) == edited)

            let changed = Self.specification(
                "name: {type: boolean}, size: {type: integer}, color: {type: string}")
            try Data(changed.utf8).write(to: URL(filePath: input))
            let result = try await run()
            #expect(result.code == 3)
            let merged = try String(contentsOf: url, encoding: .utf8)
            #expect(merged.contains("size: decimal  # in metres"))
            #expect(merged.contains("color: text"))
            #expect(merged.contains("name: json"))
            let line = merged.split(separator: "\n", omittingEmptySubsequences: false)
                .firstIndex { $0.contains("name: json") }
            #expect(
                result.text.contains(
                    "conflict: \(output):\((line ?? -2) + 1): entities.Pet.attributes.name is edited"
                ))
            #expect(result.text.contains("write `name: boolean`"))
            #expect(
                try DefinitionFile(reading: SourceValue(parsingYAML: merged)).definition
                    .entity(named: "Pet")?.attributes.count == 4)
            // The edit is settled: the next run has nothing to say.
            #expect(try await run().code == 0)
        }
    }
}

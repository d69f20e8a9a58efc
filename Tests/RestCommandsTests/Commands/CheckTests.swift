// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import RestDocument
import Testing

@testable import RestCommands

@Suite struct CheckTests {
    private static let examples = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent(
            "Examples/Definitions", isDirectory: true)

    private func check(_ arguments: [String]) async throws -> (code: Int32, text: String) {
        let command = try CheckCommand.parse(arguments)
        var code: Int32 = -1
        let text = try await OutputCapture.run { code = command.run(on: $0) }
        return (code, text)
    }

    @Test func acceptsEveryExample() async throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.examples.path)
            .filter { $0.hasSuffix(".yaml") }.map { Self.examples.appending(path: $0).path }
        #expect(files.count >= 10)
        let (code, text) = try await check(files)
        #expect(code == 0, "\(text)")
        #expect(text.split(separator: "\n").count == files.count)
    }

    @Test func reportsEveryDiagnosticWithItsPosition() async throws {
        try await TemporaryFiles.with([
            "a.yaml": "version: 1\napi: {bse: 1}\nresources: {}\nentities: {}\n"
        ]) {
            folder in
            let (code, text) = try await check([folder + "/a.yaml"])
            #expect(code == 1)
            #expect(text.contains("a.yaml:2:7: api: unknown key `bse` of api; write `base`"))
            #expect(text.contains("a.yaml:2:6: api: key `base` of api is missing"))
        }
    }

    @Test func distinguishesUnreadableFilesFromInvalidOnes() async throws {
        let (code, text) = try await check(["/nonexistent/a.yaml"])
        #expect(code == 2)
        #expect(text.contains("cannot read /nonexistent/a.yaml"))
    }

    @Test func everyCommandHasTheSameCodesForDefinitions() async throws {
        try await TemporaryFiles.with(["invalid.yaml": "version: 1\n"]) { folder in
            for (name, code) in [("invalid.yaml", 1), ("absent.yaml", 2)] {
                let definition = folder + "/" + name
                #expect(throws: ExitCode(Int32(code))) {
                    try CheckCommand.parse([definition]).run()
                }
                #expect(throws: ExitCode(Int32(code))) {
                    try PlanCommand.parse([definition]).run()
                }
                await #expect(throws: ExitCode(Int32(code))) {
                    try await SyncCommand.parse([definition, folder + "/rows.db"]).run()
                }
            }
            #expect(!FileManager.default.fileExists(atPath: folder + "/rows.db"))
        }
    }

    @Test func printsTheJSONSchema() async throws {
        let (code, text) = try await check(["--schema"])
        #expect(code == 0)
        let schema = try Document(parsing: text)
        #expect(schema.root["properties"]?["resources"] != nil)
    }

    @Test(arguments: [[], ["--schema", "a.yaml"]])
    func refusesArgumentsWithoutAMeaning(_ arguments: [String]) {
        #expect(throws: (any Error).self) { try CheckCommand.parse(arguments) }
    }
}

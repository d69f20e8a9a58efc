// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import RestDocument
import RestMirror
import RestTesting
import Synchronization
import TestSupport
import Testing

@testable import RestCommands

/// `rest mirror`, `rest sync`, `rest status` and `rest query`.
@Suite(.tags(.socket)) struct MirrorCommandTests {
    private static func withFile(_ body: (URL) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(
            path: "command-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try await body(directory.appending(path: "mirror.db"))
    }

    private static func rows(_ sql: String, _ file: URL) throws -> [String] {
        var rows: [String] = []
        try MirrorQuery(sql, of: file).run { _, values in
            rows.append(values.map { "\($0)" }.joined(separator: "|"))
        }
        return rows
    }

    @Test func mirrorsUnknownAPIAndKeepsItsInference() async throws {
        try await Self.withFile { file in
            try await AdversarialAPI.run(.init(paging: .linkHeader)) { api in
                api.insert(count: 45)
                let arguments = [api.baseURL + "items", file.path(percentEncoded: false)]
                try await MirrorCommand.parse(arguments).run()
                #expect(try Self.rows("SELECT count(*) FROM Item", file) == ["integer(45)"])
                let status = try MirrorStatus(of: file)
                #expect(status.isComplete)
                #expect(status.entities.map(\.name) == ["Item"])
                let requestCount = api.requestCount
                api.remove(count: 5)
                try await MirrorCommand.parse(arguments).run()
                // Nothing is inferred again.
                #expect(api.requestCount < 3 * requestCount)
                #expect(try Self.rows("SELECT count(*) FROM Item", file) == ["integer(40)"])
                await #expect(throws: ExitCode(1)) {
                    try await MirrorCommand.parse(
                        [api.baseURL + "others", file.path(percentEncoded: false)]
                    ).run()
                }
            }
        }
    }

    /// Later records have other types and further keys than the first ones.
    @Test func schemaFollowsTheRecords() async throws {
        try await Self.withFile { file in
            let record = Mutex(#"{"id": 3, "size": 5}"#)
            _ = try await LoopbackServer.run { _ in
                .json(#"[{"id": 1, "size": 7}, {"id": 2, "size": 8}, \#(record.withLock(\.self))]"#)
            } body: { server in
                let arguments = [server.baseURL + "things", file.path(percentEncoded: false)]
                try await MirrorCommand.parse(arguments).run()
                record.withLock { $0 = #"{"id": 3, "size": "large", "color": "red"}"# }
                try await MirrorCommand.parse(arguments).run()
                #expect(
                    try Self.rows("SELECT id, size, color FROM Thing ORDER BY id", file) == [
                        #"integer(1)|text("7")|null"#, #"integer(2)|text("8")|null"#,
                        #"integer(3)|text("\"large\"")|text("red")"#,
                    ])
            }
        }
    }

    @Test func exitCodeTellsIncompleteFromInvalid() async throws {
        try await Self.withFile { file in
            try await LoopbackServer.run { request in
                request.path == "/good" ? .json(#"[{"id": 1}]"#) : LoopbackResponse(status: 404)
            } body: { server in
                let yaml = file.deletingLastPathComponent().appending(path: "api.yaml")
                let text = """
                    version: 1
                    api: {base: "\(server.baseURL)", pagination: single_page}
                    resources:
                      good: {path: good, entity: Item}
                      bad: {path: bad, entity: Item}
                    entities:
                      Item: {identity: id, attributes: {id: integer}}
                    """
                try Data(text.utf8).write(to: yaml)
                let arguments = [yaml, file].map { $0.path(percentEncoded: false) }
                await #expect(throws: ExitCode(3)) { try await SyncCommand.parse(arguments).run() }
                #expect(try Self.rows("SELECT id FROM Item", file) == ["integer(1)"])
                await #expect(throws: ExitCode(3)) {
                    try await StatusCommand.parse([arguments[1]]).run()
                }
                try Data("version: 1\napi: {bsae: x}\n".utf8).write(to: yaml)
                await #expect(throws: ExitCode(1)) { try await SyncCommand.parse(arguments).run() }
            }
        }
    }

    @Test func planAndExplainReadTheFile() async throws {
        try await Self.withFile { file in
            try await AdversarialAPI.run(.init(paging: .linkHeader)) { api in
                api.insert(count: 25)
                let path = file.path(percentEncoded: false)
                let yaml = file.deletingLastPathComponent().appending(path: "api.yaml")
                let text = """
                    version: 1
                    api: {base: "\(api.baseURL)", pagination: header_link, budget: {ceiling: 2}}
                    resources:
                      items: {path: items, records: items, entity: Item}
                    entities:
                      Item: {identity: id, attributes: {id: integer, name: text}}
                    """
                try Data(text.utf8).write(to: yaml)
                let definition = yaml.path(percentEncoded: false)
                // Nobody can be asked, so that the run ends at its ceiling.
                await #expect(throws: ExitCode(3)) {
                    try await SyncCommand.parse([definition, path]).run()
                }
                #expect(api.requestCount == 2)
                try await SyncCommand.parse([definition, path, "--yes"]).run()
                let plan = try await OutputCapture.run { console in
                    // Three pages are more than the ceiling.
                    let code = try PlanCommand.parse([definition, path]).run(on: console)
                    #expect(code == 3)
                }
                #expect(plan.contains("api, 2:"))
                #expect(plan.contains("requests: 3; ceiling: 2"))
                let sent = api.requestCount
                await #expect(throws: ExitCode(3)) {
                    try await SyncCommand.parse([definition, path]).run()
                }
                #expect(api.requestCount == sent)
                let json = try await OutputCapture.run { console in
                    let command = try ExplainCommand.parse([path, "Item", "25", "--json"])
                    #expect(command.run(on: console) == 0)
                }
                let origin = try Document(parsing: json).root
                #expect(origin["pages"]?[0]?["page"]?.int64 == 3)
                #expect(origin["insertion"]?["url"]?.string == "\(api.baseURL)items?page=3")
                let missing = try await OutputCapture.run { console in
                    let code = try ExplainCommand.parse([path, "Item", "99"]).run(on: console)
                    #expect(code == 1)
                }
                #expect(missing.contains("rowNotFound"))
            }
        }
    }

    @Test func ruleInCodeIsNamedWithItsLine() async throws {
        let text = """
            version: 1
            api: {base: "http://localhost/"}
            resources:
              items:
                path: items
                pagination: {type: custom, name: weeks}
                entity: Item
            entities:
              Item: {identity: id, attributes: {id: integer}}
            """
        try await TemporaryFiles.with(["api.yaml": text]) { folder in
            await #expect(throws: ExitCode(1)) {
                try await SyncCommand.parse([folder + "/api.yaml", folder + "/a.db"]).run()
            }
            let output = try await OutputCapture.run { console in
                let code = try CheckCommand.parse([folder + "/api.yaml"]).run(on: console)
                #expect(code == 0)
            }
            #expect(output.contains("api.yaml:6:5: the rule “weeks” is code"))
        }
    }

    @Test func queryCannotWrite() async throws {
        try await Self.withFile { file in
            try await AdversarialAPI.run(.init(paging: .pageNumber)) { api in
                api.insert(count: 3)
                let path = file.path(percentEncoded: false)
                try await MirrorCommand.parse([api.baseURL + "items", path]).run()
                await #expect(throws: ExitCode(1)) {
                    try await QueryCommand.parse([path, "DELETE FROM Item"]).run()
                }
                try await QueryCommand.parse([path, "SELECT id FROM Item", "--format", "csv"]).run()
                #expect(try Self.rows("SELECT count(*) FROM Item", file) != ["integer(0)"])
            }
        }
    }

    @Test func tokenIsTheNameOfAVariable() {
        #expect(throws: (any Error).self) {
            try MirrorCommand.parse([
                "https://api.example.com/items", "a.db", "--token", "ghp-abc.def",
            ])
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import RestMirror
import RestTesting
import TestSupport
import Testing

@testable import RestCommands

/// Bodies in every format, from a definition to rows, by the tool.
@Suite(.tags(.socket)) struct FormatTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let format: String
        var records = ""
        let body: [UInt8]
    }

    private static let table = "id,name,at\r\n1,\"a, b\",2024-05-01\r\n2,,2024-05-02\r\n"
    private static let lines =
        #"{"id": 1, "name": "a, b", "at": "2024-05-01"}"# + "\n\n"
        + #"{"id": 2, "name": null, "at": "2024-05-02"}"# + "\n"

    static let cases: [Case] = [
        Case(testDescription: "CSV", format: "csv", body: Array(table.utf8)),
        Case(testDescription: "JSON lines", format: "json_lines", body: Array(lines.utf8)),
        Case(
            testDescription: "gzip of CSV", format: "{syntax: csv, gzip: true}",
            body: Gzip.stored(table)),
        Case(
            testDescription: "gzip with two members", format: "{syntax: json_lines, gzip: true}",
            body: lines.split(separator: "\n").flatMap { Gzip.stored($0 + "\n") }),
        Case(
            testDescription: "XML", format: "xml", records: "records: list.item,",
            body: Array(
                """
                <?xml version="1.0"?><list count="2"><item id="1"><name>a, b</name><at>2024-05-01</at></item>
                <item id="2"><at>2024-05-02</at></item></list>
                """.utf8)),
    ]

    private static func yaml(_ base: String, _ format: String, _ records: String) -> String {
        """
        version: 1
        api: {base: "\(base)", format: \(format), pagination: single_page}
        resources:
          items: {path: items, \(records) entity: Item}
        entities:
          Item: {identity: id, attributes: {id: integer, name: text, at: day}}
        """
    }

    private static func rows(_ sql: String, _ file: String) throws -> [String] {
        var rows: [String] = []
        try MirrorQuery(sql, of: URL(filePath: file)).run { _, values in
            rows.append(values.map { "\($0)" }.joined(separator: "|"))
        }
        return rows
    }

    @Test(arguments: cases) func becomesRows(_ format: Case) async throws {
        _ = try await LoopbackServer.run { _ in
            LoopbackResponse(body: format.body)
        } body: { server in
            try await TemporaryFiles.with([
                "api.yaml": Self.yaml(server.baseURL, format.format, format.records)
            ]) { folder in
                let file = folder + "/mirror.db"
                try await SyncCommand.parse([folder + "/api.yaml", file]).run()
                #expect(
                    try Self.rows("SELECT id, name FROM Item ORDER BY id", file)
                        == [#"integer(1)|text("a, b")"#, "integer(2)|null"])
                #expect(
                    try Self.rows("SELECT count(DISTINCT at) FROM Item", file) == ["integer(2)"])
                #expect(try Self.rows("SELECT * FROM restkit_quarantine", file) == [])
            }
        }
    }

    @Test func cutFileOfGzipIsAFailure() async throws {
        _ = try await LoopbackServer.run { _ in
            LoopbackResponse(body: Array(Gzip.stored(Self.table).dropLast(12)))
        } body: { server in
            try await TemporaryFiles.with([
                "api.yaml": Self.yaml(server.baseURL, "{syntax: csv, gzip: true}", "")
            ]) { folder in
                await #expect(throws: ExitCode(3)) {
                    try await SyncCommand.parse([folder + "/api.yaml", folder + "/mirror.db"]).run()
                }
                let rows = try Self.rows("SELECT count(*) FROM Item", folder + "/mirror.db")
                #expect(rows == ["integer(0)"])
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

#if Macros
import Foundation
import RestCommands
import RestKit
import TestSupport
import Testing

@testable import Demonstration

@Suite(.tags(.socket)) struct DemoTests {
    private func run(
        _ steps: [DemoStep] = DemoStep.all, path: String? = nil
    ) async throws -> (summary: DemoSummary, output: String) {
        let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try Data().write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        let output = try FileHandle(forWritingTo: url)
        defer { try? output.close() }
        let console = Console(
            output: output, diagnostics: output, usesColour: false, showsProgress: false)
        let summary = try await DatabaseFile.with(path: path) { file in
            try await Demo(steps: steps, port: 0, console: console).run(with: file)
        }
        return (summary, try String(contentsOf: url, encoding: .utf8))
    }

    @Test func everyStepSucceeds() async throws {
        let (summary, output) = try await run()
        #expect(summary.error == nil)
        #expect(summary.steps.map(\.name) == DemoStep.all.map(\.name))
        let catalog = AirportCatalog()
        let changes = Dictionary(
            uniqueKeysWithValues: summary.steps.map { ($0.name, $0.changes) })
        #expect(
            changes["airports"]?.inserted == catalog.airports.count + catalog.terminals.count)
        #expect(changes["terminals"]?.updated == 10)
        #expect(changes["flights"]?.inserted == catalog.flights.count)
        #expect(output.contains("Relations: Airport.terminals → many AirportTerminal"))
        #expect(output.contains("Singapore Airlines"))
        #expect(output.contains(" pages are unmodified"))
        #expect(!output.contains("\u{1B}"))
    }

    @Test func removesTheTemporaryDatabase() async throws {
        let (summary, _) = try await run([.airports])
        #expect(!FileManager.default.fileExists(atPath: summary.database))
    }

    @Test func reusesTheRowsOfAKeptDatabase() async throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).db")
        defer { Self.remove(url) }
        #expect(try await run(path: url.path()).summary.ok)
        let (again, _) = try await run(path: url.path())
        #expect(again.ok)
        let written = again.steps.filter { !$0.changes.isEmpty }
        #expect(written.map(\.name) == ["creation", "sending", "outbox", "deletion"])
    }

    @Test func deletesNoticeOfInterruptedRun() async throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).db")
        defer { Self.remove(url) }
        let begun = try await run([.airports, .notices, .creation, .offline], path: url.path())
        #expect(begun.summary.ok)
        let (again, _) = try await run(path: url.path())
        #expect(again.ok)
        #expect(again.steps.first { $0.name == "notices" }?.changes.deleted == 1)
    }

    @Test func keepsUnsentChanges() async throws {
        let check = DemoStep("check") { session in
            #expect(session.server.notices.writes.map(\.method) == ["POST"])
            try await MainActor.run {
                let context = session.store.mainContext
                #expect(context.insertedObjects.count == 1)
                let changed = try #require(context.updatedObjects.first as? Notice)
                #expect(changed.text.hasPrefix("The car park is full. Trains"))
                let id = try #require(changed.id)
                #expect(
                    session.server.notices.notice("\(id)")?.text == "The car park is full.")
            }
            return DemoStep.Outcome(summary: "")
        }
        let (summary, output) = try await run([.airports, .notices, .creation, .offline, check])
        #expect(summary.error == nil)
        #expect(output.contains("PATCH /notices/13  transportFailed  text\n"))
        #expect(output.contains("POST /notices      transportFailed  a new notice\n"))
    }

    @Test func sendsUnsentChangesWhenConnected() async throws {
        let check = DemoStep("check") { session in
            let texts = [
                #"{"text":"The car park is full. Trains run every 10 minutes."}"#,
                #"{"id":null,"text":"Snow delays flights by an hour.","airport":{"code":"HEL"}}"#,
                "", "",
            ]
            let writes = session.server.notices.writes.dropFirst()
            #expect(writes.map(\.method) == ["PATCH", "POST", "DELETE", "DELETE"])
            #expect(writes.map(\.path.last) == ["3", "s", "3", "4"])
            #expect(writes.map(\.body) == texts)
            return DemoStep.Outcome(summary: "")
        }
        let (summary, output) = try await run([
            .airports, .notices, .creation, .offline, .sending, .refusal, .deletion, check,
        ])
        #expect(summary.error == nil)
        #expect(output.contains("422, \"text must not be empty\": nothing is stored"))
        let changes = summary.steps.map(\.changes)
        try #require(changes.count == 8)
        #expect(changes[2].inserted == 1)
        #expect(changes[3].isEmpty && changes[5].isEmpty)
        #expect(changes[4].inserted + changes[4].updated > 1)
        #expect(changes[6].deleted == 2)
    }

    @Test func sendsEditsOfKilledProcessOnce() async throws {
        let check = DemoStep("check") { session in
            let writes = session.server.notices.writes.dropFirst(3)
            let texts = [
                #"{"airport":{"code":"CPH"}}"#, #"{"text":"It does not snow any more."}"#,
                #"{"text":"The car park is full until noon."}"#,
                #"{"text":"Snow delays flights by two hours."}"#,
            ]
            // The outbox sends different objects in any order.
            #expect(writes.prefix(2).map(\.body) == Array(texts.prefix(2)))
            #expect(writes.count == 5)
            #expect(Set(writes.dropFirst(2).map(\.body)).isSuperset(of: texts.dropFirst(2)))
            #expect(writes.count { $0.method == "POST" } == 1)
            return DemoStep.Outcome(summary: "")
        }
        let (summary, output) = try await run([
            .airports, .notices, .creation, .offline, .sending, .killing, .elsewhere, .outbox,
            check,
        ])
        #expect(summary.error == nil)
        #expect(output.contains("CPH: The car park is full until noon."))
        #expect(output.contains("HEL: It does not snow any more."))
        #expect(output.contains("HEL: Snow delays flights by two hours."))
    }

    @Test func findsNoticesByWords() async throws {
        let (_, output) = try await run([.airports, .notices, .search])
        #expect(output.contains("[Trains] leave from Terminal 5 while Terminal 4 is [closed]."))
        let lines = output.split(separator: "\n").filter { $0.contains("[") }
        let relevances = lines.compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }
        #expect(relevances.count == 3)
        #expect(relevances == relevances.sorted(by: >))
    }

    private static func remove(_ url: URL) {
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: url.path() + suffix)
        }
    }

    /// Rows that differ from the server's, written before the verifying steps.
    @Test(arguments: [
        (
            "relations",
            "relations: unexpectedResult: 1 terminals and flights without an airport, 0 expected"
        ),
        ("rows", "rows: unexpectedResult: table Terminal has 197 rows, 196 expected"),
    ])
    func noticesAWrongRow(step: String, message: String) async throws {
        let spoil = DemoStep("spoil") { session in
            try await session.store.perform { context in
                let terminal = try context.insert(Terminal.self)
                terminal.code = "XXX-1"
                terminal.name = "Terminal 1"
                try context.save()
            }
            return DemoStep.Outcome(summary: "")
        }
        let last = try #require(DemoStep.all.first { $0.name == step })
        let (summary, output) = try await run([.airports, .terminals, .flights, spoil, last])
        #expect(!summary.ok)
        #expect(summary.error == message)
        #expect(summary.steps.count == 4)
        #expect(output.hasSuffix("✗ \(message)\n"))
    }

    @Test func failsWhenLoadingAgainWrites() async throws {
        let change = DemoStep("change") { session in
            try await session.store.perform { context in
                try context.fetch(Flight.self, where: { $0.number == "BA 101" })[0].distance += 1
                try context.save()
            }
            return DemoStep.Outcome(summary: "")
        }
        let (summary, _) = try await run([
            .airports, .terminals, .flights, .notices, change, .again,
        ])
        #expect(summary.error?.contains("loading again wrote rows: 1 updated") == true)
    }

    @Test func advisesOnFilesOfOtherPrograms() async throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).db")
        try Data("no database".utf8).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        let (summary, _) = try await run(path: url.path())
        #expect(summary.error?.contains("choose another path with --database") == true)
        #expect(try Data(contentsOf: url) == Data("no database".utf8))
    }

    @Test func summaryIsOneLineOfJSON() async throws {
        let line = try await run([.airports]).summary.line()
        #expect(!line.contains("\n"))
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(object["ok"] as? Bool == true)
        let step = try #require((object["steps"] as? [[String: Any]])?.first)
        #expect(
            Set(step.keys) == [
                "name", "seconds", "requests", "bytes", "inserted", "updated", "deleted",
                "unchanged",
            ])
        #expect(step["name"] as? String == "airports")
        #expect(step["requests"] as? Int == 5)
    }

    @Test(.timeLimit(.hang)) func cancelsBetweenAndWithinSteps() async throws {
        let wait = DemoStep("wait") { _ in
            try await Task.sleep(for: .seconds(3600))
            return DemoStep.Outcome(summary: "")
        }
        let task = Task { try await run([wait]).summary.ok }
        try await Task.sleep(for: .milliseconds(200))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
#endif

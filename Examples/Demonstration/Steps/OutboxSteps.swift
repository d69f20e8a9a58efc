// SPDX-License-Identifier: Apache-2.0

#if Macros
import Foundation
import HTTPTypes
import RestCommands
import RestKit

/// Steps of edits that survive the end of their process.
extension DemoStep {
    /// Saves changes in another process without a connection, which is then killed.
    static let killing = DemoStep("killing") { session in
        let writes = session.server.notices.writes
        try await OfflineEditor.runProcess(in: session.file, session.server.baseURL)
        guard session.server.notices.writes == writes else {
            throw ToolError(.unexpectedResult, "a request was sent without a connection")
        }
        return Outcome(
            summary: "a process saves 2 changed and 1 new notice offline, and is killed")
    }

    /// Changes the same notices, as another client does.
    static let elsewhere = DemoStep("elsewhere") { session in
        let ids = session.ownNoticeIDs
        guard ids.count == 2 else {
            throw ToolError(.unexpectedResult, "there are \(ids.count) notices to change")
        }
        let bodies = [
            #"{"airport":{"code":"CPH"}}"#,
            #"{"text":"It does not snow any more."}"#,
        ]
        for (id, body) in zip(ids, bodies) {
            let client = session.api.client
            var request = try TransportRequest(
                method: .patch,
                url: HTTPURL(parsing: "\(session.server.baseURL)notices/\(id)"))
            request.headerFields[.contentType] = "application/merge-patch+json"
            request.body = .bytes(Array(body.utf8))
            let response = try await client.send(request)
            guard response.head.status == .ok else {
                throw ToolError(
                    .unexpectedResult, "a change was answered with \(response.head.status)")
            }
        }
        return Outcome(summary: "another client changes an airport, and a text that was edited too")
    }

    /// Opens the database again, and sends the changes of the killed process.
    static let outbox = DemoStep("outbox") { try await $0.sendEditsOfKilledProcess() }
}

extension DemoSession {
    /// The numbers of the notices that the demonstration has created, as the server has them.
    fileprivate var ownNoticeIDs: [Int] {
        server.notices.notices.map(\.id).filter { $0 > server.catalog.notices.count }
    }

    fileprivate func sendEditsOfKilledProcess() async throws -> DemoStep.Outcome {
        let store = try await Self.openStore(file)
        let (api, _) = try Self.connect(to: server.baseURL)
        let outbox = try await OfflineEditor.outbox(of: store, api, startsPaused: true)
        try expect(try await outbox.summary().unsentCount, 3, "unsent edits after the restart")
        // The changes of the other client arrive, and the edits stay.
        _ = try await api.getObjects(Notice.self, at: "notices", into: store)
        let before = server.notices.notices
        outbox.resume()
        let end = ContinuousClock.now + .seconds(30)
        while try await outbox.drain().unsentCount > 0, ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(50))
        }
        try expect(try await outbox.summary().unsentCount, 0, "unsent edits")
        let rows = try await notices(in: store)
        await outbox.close()
        try store.close()
        return try compare(rows, before)
    }

    /// A notice in the database.
    private struct NoticeRow: Sendable, Equatable {
        let id: Int
        let text: String
        let airport: String
    }

    private func notices(in store: ManagedObjectStore) async throws -> [NoticeRow] {
        let count = server.catalog.notices.count
        return try await store.read { context in
            try context.fetch(Notice.self, where: { $0.id > count }, orderBy: \.id).map {
                NoticeRow(id: $0.id ?? 0, text: $0.text, airport: $0.airport?.code ?? "")
            }
        }
    }

    /// Compares the rows with the server's notices, and shows both sides.
    private func compare(
        _ rows: [NoticeRow], _ before: [NoticeRecord]
    ) throws -> DemoStep.Outcome {
        let own = server.notices.notices.filter { $0.id > server.catalog.notices.count }
        let theirs = own.map { NoticeRow(id: $0.id, text: $0.text, airport: $0.airport) }
        let texts = OfflineEditor.texts + [OfflineEditor.newText]
        guard rows == theirs, rows.map(\.text) == texts,
            rows.map(\.airport) == ["CPH", "HEL", "OSL"]
        else { throw ToolError(.unexpectedResult, "server and database have different notices") }
        var table = TextTable(
            .text(""), .text("by another client"), .text("on the server and in the database"))
        for row in rows {
            let other = before.first { $0.id == row.id }.map { "\($0.airport): \($0.text)" }
            table.add("\(row.id)", other ?? "none", "\(row.airport): \(row.text)")
        }
        return DemoStep.Outcome(
            changes: RowChanges(inserted: 1, updated: 2),
            summary: "3 edits of the killed process are sent, each once, merged by property",
            details: table.lines(on: console))
    }
}
#endif

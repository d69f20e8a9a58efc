// SPDX-License-Identifier: Apache-2.0

#if Macros
import RestCommands
import RestKit

/// Steps that send objects of the main context to the server.
extension DemoStep {
    /// Creates a notice on the server, which gives it a number.
    static let creation = DemoStep("creation") { try await $0.createNotice() }

    /// Changes a notice and writes another one while the server cannot be reached.
    static let offline = DemoStep("offline") { try await $0.changeWithoutConnection() }

    /// Sends what the step before could not.
    static let sending = DemoStep("sending") { try await $0.sendUnsent() }

    /// Sends a notice that the server does not accept.
    static let refusal = DemoStep("refusal") { try await $0.sendInvalidNotice() }

    /// Deletes the notices of the steps before, on the server and in the database.
    static let deletion = DemoStep("deletion") { try await $0.deleteOwnNotices() }
}

@MainActor extension DemoSession {
    private func insertNotice(_ text: String, at code: String) throws -> Notice {
        let notice = try Notice.insert(into: store.mainContext, text: text)
        notice.airport = try store.mainContext.fetch(Airport.self, where: { $0.code == code }).first
        return notice
    }

    fileprivate func createNotice() async throws -> DemoStep.Outcome {
        let notice = try insertNotice("The car park is full.", at: "OSL")
        let result = try await api.post(notice)
        try expectStored(notice)
        return DemoStep.Outcome(
            changes: RowChanges(result.changes),
            summary: "POST /notices: the row has the server's id, \(notice.id ?? 0)")
    }

    fileprivate func changeWithoutConnection() async throws -> DemoStep.Outcome {
        let context = store.mainContext
        let requests = server.traffic.requests
        guard let notice = try ownNotices().last else {
            throw ToolError(.unexpectedResult, "there is no notice to change")
        }
        let old = notice.text
        notice.text = "The car park is full. Trains run every 10 minutes."
        let draft = try insertNotice("Snow delays flights by an hour.", at: "HEL")
        var table = TextTable(.text(""), .text("error"), .text("unsent"))
        let origin = try await connection.cut {
            let patch = try await failure { try await api.patch(notice) }
            let names = notice.changedValues.keys.sorted().joined(separator: ", ")
            table.add(patch.request, patch.code, names)
            let post = try await failure { try await api.post(draft) }
            table.add(post.request, post.code, "a new notice")
            return try await api.getObjects(Notice.self, at: "notices", into: store) {
                $0.options.answersOffline = true
            }.origin
        }
        guard origin == .offline else {
            throw ToolError(.unexpectedResult, "the list is \(origin), offline expected")
        }
        try expect(server.traffic.requests - requests, 0, "requests without a connection")
        guard context.updatedObjects == [notice], notice.changedValues.keys.sorted() == ["text"],
            context.insertedObjects == [draft]
        else { throw ToolError(.unexpectedResult, "an unsent change was lost") }
        let stored = try await store.read { try $0.fetch(Notice.self).map(\.text) }
        try expect(stored.count, server.notices.notices.count, "stored notices")
        try expect(stored.count { $0 == old }, 1, "notices with the text before the change")
        return DemoStep.Outcome(
            summary: "the list is shown, 1 changed and 1 new notice stay unsent",
            details: table.lines(on: console))
    }

    fileprivate func sendUnsent() async throws -> DemoStep.Outcome {
        let context = store.mainContext
        guard let changed = context.updatedObjects.first as? Notice,
            let new = context.insertedObjects.first as? Notice
        else { throw ToolError(.unexpectedResult, "there are no unsent notices") }
        var changes = RowChanges(try await api.patch(changed).changes)
        let patch = server.notices.writes.last?.body ?? ""
        guard patch == #"{"text":"\#(changed.text)"}"# else {
            throw ToolError(.unexpectedResult, "the patch has other members than the changed one")
        }
        changes += RowChanges(try await api.post(new).changes)
        guard !context.hasChanges else {
            throw ToolError(.unexpectedResult, "unsaved changes are left")
        }
        try expectStored(changed)
        try expectStored(new)
        return DemoStep.Outcome(
            changes: changes,
            summary: "PATCH has the changed text only (\(patch.utf8.count) bytes), "
                + "POST gives id \(new.id ?? 0)")
    }

    fileprivate func sendInvalidNotice() async throws -> DemoStep.Outcome {
        let context = store.mainContext
        let count = server.notices.notices.count
        let notice = try insertNotice(" ", at: "OSL")
        var reason: String?
        do {
            try await api.post(notice)
        } catch let error as NetworkingError where error.status == 422 {
            reason = (error.mappedErrors.first as? ErrorMessage)?.message
        }
        guard let reason, context.insertedObjects == [notice] else {
            throw ToolError(.unexpectedResult, "an invalid notice was not refused")
        }
        context.rollback()
        try expect(server.notices.notices.count, count, "notices on the server")
        let stored = try await store.read { try $0.fetch(Notice.self).count }
        try expect(stored, count, "stored notices")
        return DemoStep.Outcome(
            summary: "422, \"\(TerminalText.escaped(reason))\": nothing is stored")
    }

    fileprivate func deleteOwnNotices() async throws -> DemoStep.Outcome {
        var changes = RowChanges()
        for notice in try ownNotices() {
            changes += RowChanges(try await api.delete(notice).changes)
        }
        guard server.notices.notices == server.catalog.notices else {
            throw ToolError(.unexpectedResult, "the server has other notices than at its start")
        }
        let stored = try await store.read { try $0.fetch(Notice.self).count }
        try expect(stored, server.catalog.notices.count, "stored notices")
        return DemoStep.Outcome(
            changes: changes,
            summary: "\(changes.deleted) notices are deleted, on the server and in the database")
    }

    /// Returns the notices that the demonstration has created.
    private func ownNotices() throws -> [Notice] {
        let count = server.catalog.notices.count
        return try store.mainContext.fetch(
            Notice.self, where: { $0.id > count }, orderBy: \.id)
    }

    /// Sends a request that cannot reach the server, and returns it with the code of its error.
    private func failure(
        _ send: () async throws -> ManagedResult
    ) async throws -> (request: String, code: String) {
        do {
            _ = try await send()
        } catch let error as NetworkingError where error.code == .transportFailed {
            let path = error.url.map { $0.dropFirst(server.baseURL.count - 1) } ?? ""
            return ("\(error.method ?? "") \(path)", "\(error.code)")
        }
        throw ToolError(.unexpectedResult, "a request succeeded without a connection")
    }

    /// Throws a ``ToolError`` unless the server has the same values as an object without changes.
    private func expectStored(_ notice: Notice) throws {
        let record = notice.id.flatMap { server.notices.notice("\($0)") }
        guard let record, record.text == notice.text, record.airport == notice.airport?.code,
            notice.changedValues.isEmpty
        else { throw ToolError(.unexpectedResult, "server and database have different notices") }
    }
}
#endif

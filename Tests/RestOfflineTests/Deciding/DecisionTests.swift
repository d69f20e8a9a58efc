// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestOffline
import RestTesting
import TestSupport
import Testing

/// The decisions of a user about entries.
@MainActor @Suite struct DecisionTests {
    // MARK: Discarding

    @Test func discardedCreationTakesReferencesAlong() async throws {
        let fixture = try await OfflineFixture(OfflineFixture.paused)
        let folder = try Folder.insert(into: fixture.context, name: "New")
        let note = try await fixture.load(1, ["title": .string("A")])
        note.folder = folder
        note.title = "B"
        try fixture.save()
        let entry = try #require(try await fixture.outbox.entries(of: folder).first)
        #expect(try await fixture.outbox.discard(entry.id) == [entry.id])
        fixture.context.refreshAllObjects()
        #expect(note.folder == nil)
        #expect(note.title == "B")
        #expect(try fixture.entries() == ["Note|update|waiting"])
        #expect(try fixture.rows("SELECT property FROM restkit_base") == ["title"])
    }

    @Test func clearedReferenceIsRestoredWithTheDeletion() async throws {
        let fixture = try await OfflineFixture(OfflineFixture.paused)
        fixture.server.put("folders", 3, ["name": .string("F")])
        _ = try await fixture.api.getObjects(Folder.self, at: "folders", in: fixture.context)
        let note = try await fixture.load(1, ["title": .string("A"), "folder": ["id": 3]])
        let folder = try #require(note.folder)
        fixture.context.delete(folder)
        try fixture.save()
        let entries = try await fixture.outbox.entries()
        #expect(entries.map(\.kind) == [.update, .deletion])
        let error = await #expect(throws: OutboxError.self) {
            try await fixture.outbox.discard(entries[0].id)
        }
        #expect(error?.code == .inProgress)
        #expect(try await fixture.outbox.discard(entries[1].id) == [entries[1].id])
        fixture.context.refreshAllObjects()
        #expect(
            try fixture.rows(
                "SELECT f.name FROM Note n JOIN Folder f ON f.restkit_key = n.folder") == ["F"])
        #expect(try fixture.entries() == [])
        #expect(try fixture.rows("SELECT * FROM restkit_base") == [])
    }

    @Test func entryOnItsWayIsAbandoned() async throws {
        let (fixture, note) = try await OfflineFixture.withNote()
        let gate = fixture.gate(before: .patch)
        note.title = "B"
        try fixture.save()
        await gate.arrivals()
        let entry = try await fixture.entry
        try await fixture.outbox.discard(entry.id)
        fixture.context.refreshAllObjects()
        #expect(note.title == "A")
        #expect(try fixture.entries() == ["Note|update|abandoned"])
        gate.open()
        try await fixture.outbox.settle()
        // The server has executed the request.
        fixture.context.refreshAllObjects()
        #expect(fixture.server.value("notes", 1, "title") == .string("B"))
        #expect(note.title == "B")
        #expect(try fixture.rows("SELECT * FROM restkit_edit") == [])
    }

    @Test func abandonedEntryWithoutAnswerEndsWithItsLife() async throws {
        let (fixture, note) = try await OfflineFixture.withNote()
        let gate = fixture.gate(before: .patch)
        fixture.server.fail("PATCH", .lostRequest)
        note.title = "B"
        try fixture.save()
        await gate.arrivals()
        let entry = try await fixture.entry
        try await fixture.outbox.discard(entry.id)
        gate.open()
        for try await summary in fixture.outbox.summaries where summary.unsentCount == 0 { break }
        try await fixture.outbox.settle()
        fixture.context.refreshAllObjects()
        #expect(note.title == "A")
        #expect(fixture.server.value("notes", 1, "title") == .string("A"))
        #expect(fixture.requests("PATCH").count == 1)
        #expect(try fixture.rows("SELECT * FROM restkit_edit") == [])
    }

    // MARK: Editing

    @Test func refusedEntryIsEdited() async throws {
        let fixture = try await OfflineFixture()
        let note = try await fixture.load(1, ["title": .string("A"), "text": .string("x")])
        fixture.server.fail("PATCH", .status(422))
        note.title = "bad"
        try fixture.save()
        _ = try await fixture.problem(of: note)
        let entry = try await fixture.entry
        try await fixture.outbox.edit(entry.id, as: Note.self) { note in
            #expect(note.title == "bad")
            note.title = "good"
        }
        #expect(try await fixture.outbox.outcome(of: note) == .accepted)
        fixture.context.refreshAllObjects()
        #expect(note.title == "good")
        #expect(fixture.server.value("notes", 1, "title") == .string("good"))
    }

    @Test func editedEntryKeepsItsPrincipal() async throws {
        let fixture = try await OfflineFixture(OfflineFixture.paused, principal: Principal("a"))
        let note = try await fixture.load(1, ["title": .string("A"), "text": .string("x")])
        note.title = "B"
        try fixture.save()
        try await fixture.restart(OfflineFixture.paused, principal: Principal("b"))
        let again = try #require(try fixture.context.first(Note.self, where: { $0.id == 1 }))
        again.text = "y"
        try fixture.save()
        let entry = try await fixture.entry
        try await fixture.outbox.edit(entry.id, as: Note.self) { $0.title = "C" }
        #expect(
            try fixture.rows("SELECT principal, \"values\" FROM restkit_entry ORDER BY sequence")
                == [#"a|{"title":"C"}"#, "b|-"])
        fixture.context.refreshAllObjects()
        #expect(again.title == "C")
        #expect(again.text == "y")
    }

    @Test func editOfWhatIsNotSentIsRefused() async throws {
        let (fixture, note) = try await OfflineFixture.withNote(OfflineFixture.paused)
        note.title = "B"
        try fixture.save()
        let entry = try await fixture.entry
        let error = await #expect(throws: OutboxError.self) {
            try await fixture.outbox.edit(entry.id, as: Note.self) { $0.revision = 9 }
        }
        #expect(error?.code == .invalidEdit)
        #expect(error?.reason.contains("Note.revision") == true)
        await #expect(throws: OutboxError.self) {
            try await fixture.outbox.edit(entry.id, as: Folder.self) { $0.name = "x" }
        }
        #expect(try fixture.rows("SELECT title, revision FROM Note") == ["B|1"])
    }

    // MARK: Requests that do not wait

    @Test func unqueuedRequestIsSentNow() async throws {
        let (fixture, note) = try await OfflineFixture.withNote()
        try await fixture.outbox.sendNow(.post("notes/:id/print"), for: note)
        #expect(fixture.server.resources("notes")["1"]?.commands == ["print"])
        #expect(try fixture.entries() == [])
    }

    @Test(arguments: [401, 429, 0])
    func unqueuedRequestThatCannotBeSentFails(_ status: Int) async throws {
        let (fixture, note) = try await OfflineFixture.withNote()
        fixture.server.fail("POST", status == 0 ? .unreachable : .status(status))
        let error = await #expect(throws: OutboxError.self) {
            try await fixture.outbox.sendNow(.post("notes/:id/print"), for: note)
        }
        #expect(error?.code == .notSent)
        try await fixture.outbox.drain()
        #expect(fixture.server.value("notes", 1, "command") == nil)
        #expect(try fixture.entries() == [])
    }

    @Test func unqueuedRequestDoesNotWait() async throws {
        let (fixture, note) = try await OfflineFixture.withNote()
        fixture.outbox.pause()
        func code() async -> OutboxError.Code? {
            await #expect(throws: OutboxError.self) {
                try await fixture.outbox.sendNow(.post("notes/:id/print"), for: note)
            }?.code
        }
        #expect(await code() == .notSent)
        fixture.outbox.resume()
        fixture.server.fail("PATCH", .status(422))
        note.title = "bad"
        try fixture.save()
        _ = try await fixture.outbox.outcome(of: note)
        #expect(await code() == .notSent)
        #expect(fixture.server.requests.allSatisfy { !$0.hasPrefix("POST") })
    }

    @Test func unqueuedRequestReportsRefusalAndUncertainty() async throws {
        let (fixture, note) = try await OfflineFixture.withNote()
        fixture.server.fail("POST", .status(403))
        let refused = await #expect(throws: OutboxError.self) {
            try await fixture.outbox.sendNow(.post("notes/:id/print"), for: note)
        }
        #expect(refused?.code == .refused)
        #expect(refused?.problem?.status == 403)
        #expect(try fixture.entries() == [])
        fixture.server.fail("POST", .lostAnswer)
        let uncertain = await #expect(throws: OutboxError.self) {
            try await fixture.outbox.sendNow(.post("notes/:id/print"), for: note)
        }
        #expect(uncertain?.code == .uncertain)
        #expect(try fixture.entries() == ["Note|command|uncertain"])
    }

    @Test func unqueuedEntityIsSentAtOnce() async throws {
        let fixture = try await OfflineFixture(OfflineFixture.paused) {
            Sends(Memo.self).notQueued()
            Sends(Label.self)
        }
        let memo = try Memo.insert(into: fixture.context, title: "Pay")
        try fixture.save()
        #expect(try fixture.entries() == [])
        try await fixture.api.post(memo)
        #expect(memo.id == 101)
        fixture.server.fail("PATCH", .unreachable)
        memo.title = "Later"
        await #expect(throws: NetworkingError.self) { try await fixture.api.patch(memo) }
        #expect(try fixture.entries() == [])
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestOffline
import RestTesting
import Testing

/// Edits that were not sent when a user or a store goes.
@MainActor @Suite struct ForgettingTests {
    private static var paused: OutboxConfiguration {
        var configuration = OfflineFixture.quick
        configuration.startsPaused = true
        return configuration
    }

    private func entries(of export: Data) throws -> [[String: Any]] {
        let object = try JSONSerialization.jsonObject(with: export) as? [String: Any]
        return try #require(object?["entries"] as? [[String: Any]])
    }

    @Test func exportHasUnsentEditsInReadableForm() async throws {
        let fixture = try await OfflineFixture(Self.paused, principal: Principal("ann"))
        let note = try await fixture.load(1, ["title": .string("A"), "text": .string("x")])
        note.title = "B"
        let new = try Note.insert(into: fixture.context, title: "New")
        let gone = try await fixture.load(2, ["title": .string("Gone")])
        fixture.context.delete(gone)
        try fixture.save()
        try await fixture.outbox.enqueue(.post("notes/:id/print"), for: new)
        let export = try await fixture.store.exportUnsentEdits()
        let entries = try entries(of: export)
        #expect(
            entries.map { $0["kind"] as? String } == ["creation", "update", "deletion", "command"])
        let update = try #require(entries.first { $0["kind"] as? String == "update" })
        #expect(update["values"] as? [String: String] == ["title": "B"])
        #expect(update["base"] as? [String: String] == ["title": "A"])
        #expect(update["identity"] as? Int == 1)
        #expect(update["principal"] as? String == "ann")
        #expect(update["entity"] as? String == "Note")
        let creation = try #require(entries.first { $0["kind"] as? String == "creation" })
        #expect((creation["values"] as? [String: Any])?["title"] as? String == "New")
        let deletion = try #require(entries.first { $0["kind"] as? String == "deletion" })
        #expect((deletion["values"] as? [String: Any])?["title"] as? String == "Gone")
    }

    @Test func exportHasRefusedAndQuarantinedEntries() async throws {
        let fixture = try await OfflineFixture()
        let note = try await fixture.load(1, ["title": .string("A")])
        fixture.server.fail("PATCH", .status(422, body: #"{"title":"taken"}"#))
        note.title = "B"
        try fixture.save()
        _ = try await fixture.outbox.outcome(of: note)
        try fixture.execute(
            "INSERT INTO restkit_entry (sequence, key, entity, kind, created, state, closed, \"values\") "
                + "VALUES (900, 77, 'Removed', 'update', 0, 'quarantined', 1, '{\"name\":\"kept\"}')"
        )
        let entries = try entries(of: try await fixture.store.exportUnsentEdits())
        #expect(entries.map { $0["state"] as? String } == ["refused", "quarantined"])
        #expect(entries[0]["status"] as? Int == 422)
        #expect(entries[0]["answer"] as? String == #"{"title":"taken"}"#)
        #expect(entries[1]["values"] as? [String: String] == ["name": "kept"])
    }

    @Test func exportHasNoCredentialsAndBoundedBodies() async throws {
        let fixture = try await OfflineFixture(creation: .atMostOnce)
        let text = String(repeating: "ä", count: 20_000)
        let note = try Note.insert(into: fixture.context, title: "A", text: text)
        fixture.server.fail("POST", .lostAnswer)
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: note) == .uncertain)
        let export = try await fixture.store.exportUnsentEdits(byteLimit: 101)
        let entry = try #require(try entries(of: export).first)
        let request = try #require(entry["request"] as? [String: Any])
        let body = try #require(request["body"] as? String)
        #expect(request["method"] as? String == "POST")
        #expect(body.utf8.count <= 101)
        #expect(body.hasPrefix("{"))
        #expect(try #require(request["bodyByteCount"] as? Int) > 40_000)
        let all = String(decoding: export, as: UTF8.self)
        #expect(!all.contains("secret-token"))
        #expect(!all.lowercased().contains("idempotency"))
    }

    @Test func storeWithoutOutboxHasEmptyExport() async throws {
        let store = try await ManagedObjectStore(temporaryFor: Folder.self, Note.self)
        #expect(try entries(of: try await store.exportUnsentEdits()).isEmpty)
    }

    @Test func forgettingRefusesWhileEditsAreUnsent() async throws {
        let (ann, bob) = (Principal("ann"), Principal("bob"))
        let fixture = try await OfflineFixture(Self.paused, principal: ann)
        let note = try await fixture.load(1, ["title": .string("A"), "text": .string("x")])
        note.title = "B"
        let new = try Note.insert(into: fixture.context, title: "New")
        try fixture.save()
        try await fixture.restart(Self.paused, principal: bob)
        let again = try #require(try fixture.context.first(Note.self, where: { $0.id == 1 }))
        again.text = "y"
        try fixture.save()

        #expect(try await fixture.outbox.unsentCount(of: ann) == 2)
        let refusal = await #expect(throws: OutboxError.self) {
            try await fixture.outbox.forget(ann)
        }
        #expect(refusal?.code == .unsentEdits)
        #expect(refusal?.reason.hasPrefix("2 edits") == true)
        let stored = await #expect(throws: PersistenceError.self) {
            try await fixture.store.removeCollections(of: ann)
        }
        #expect(stored?.code == .unsentEdits)

        #expect(try await fixture.outbox.forget(ann, discardsUnsentEdits: true) == 2)
        fixture.context.refreshAllObjects()
        #expect(again.title == "A")
        #expect(again.text == "y")
        #expect(try fixture.rows("SELECT count(*) FROM Note") == ["1"])
        #expect(try fixture.rows("SELECT principal FROM restkit_entry") == ["bob"])
        #expect(try await fixture.outbox.forget(ann) == 0)
        _ = try await fixture.store.removeCollections(of: ann)
        _ = new
    }

    @Test func forgettingIncludesRefusedAndQuarantinedEntries() async throws {
        let ann = Principal("ann")
        let fixture = try await OfflineFixture(principal: ann)
        let note = try await fixture.load(1, ["title": .string("A")])
        fixture.server.fail("PATCH", .status(422))
        note.title = "B"
        try fixture.save()
        _ = try await fixture.outbox.outcome(of: note)
        try fixture.execute(
            "INSERT INTO restkit_entry (sequence, key, entity, kind, principal, created, state, closed) "
                + "VALUES (900, 77, 'Removed', 'update', 'ann', 0, 'quarantined', 1)")
        #expect(try await fixture.outbox.unsentCount(of: ann) == 2)
        #expect(try await fixture.outbox.forget(ann, discardsUnsentEdits: true) == 2)
        #expect(try fixture.entries() == [])
        fixture.context.refreshAllObjects()
        #expect(note.title == "A")
    }

    @Test func filesWithUnsentEditsAreNotRemoved() async throws {
        let fixture = try await OfflineFixture(Self.paused)
        _ = try Note.insert(into: fixture.context, title: "A")
        try fixture.save()
        let url = fixture.store.url
        await fixture.outbox.close()
        try fixture.store.close()
        let error = await #expect(throws: PersistenceError.self) {
            try await ManagedObjectStore.removeFiles(at: url)
        }
        #expect(error?.code == .unsentEdits)
        #expect(FileManager.default.fileExists(atPath: url.path))
        try await ManagedObjectStore.removeFiles(at: url, discardsUnsentEdits: true)
        #expect(!FileManager.default.fileExists(atPath: url.path))
    }
}

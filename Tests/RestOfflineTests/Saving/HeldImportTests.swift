// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestOffline
import RestTesting
import TestSupport
import Testing

/// Responses that bring the objects of creations that are not answered.
@Suite @MainActor struct HeldImportTests {
    /// A fixture with a note whose creation was executed, and whose answer is held by a gate.
    private static func creating(
        _ creation: CreationRule = .idempotencyKey(lifetime: .seconds(3600)),
        behavior: SimulatedAPI.Behavior = SimulatedAPI.Behavior()
    ) async throws -> (fixture: OfflineFixture, note: Note, gate: Gate) {
        let fixture = try await OfflineFixture(behavior: behavior, creation: creation)
        let gate = Gate()
        fixture.server.holdAnswers { request in if request.method == .post { await gate.pass() } }
        let note = try Note.insert(into: fixture.context, title: "A")
        try fixture.save()
        await gate.arrivals()
        return (fixture, note, gate)
    }

    @Test(
        "creation in flight while a list brings it → one row in every commit",
        arguments: [.idempotencyKey(lifetime: .seconds(3600)), .atMostOnce] as [CreationRule])
    func listDuringCreationBringsNoSecondRow(creation: CreationRule) async throws {
        let (fixture, note, gate) = try await Self.creating(creation)
        for _ in 0..<2 {
            _ = try await fixture.api.getObjects(Note.self, at: "notes", into: fixture.store)
            #expect(try fixture.rows("SELECT id, title FROM Note") == ["-|A"])
        }
        gate.open()
        #expect(try await fixture.outbox.outcome(of: note) == .accepted)
        #expect(try fixture.rows("SELECT id, title FROM Note") == ["101|A"])
        let list = try await fixture.api.getObjects(Note.self, at: "notes", into: fixture.store)
        #expect(list.objectIDs.count == 1)
    }

    @Test func otherObjectsOfTheListAreInserted() async throws {
        let (fixture, note, gate) = try await Self.creating()
        fixture.server.put("notes", 7, ["title": .string("B")])
        _ = try await fixture.api.getObjects(Note.self, at: "notes", into: fixture.store)
        #expect(try fixture.rows("SELECT id, title FROM Note ORDER BY id") == ["-|A", "7|B"])
        gate.open()
        #expect(try await fixture.outbox.outcome(of: note) == .accepted)
        #expect(try fixture.rows("SELECT id FROM Note ORDER BY id") == ["7", "101"])
    }

    @Test func equalObjectOfOthersComesWithNextList() async throws {
        let fixture = try await OfflineFixture()
        let gate = Gate()
        fixture.server.hold { request in if request.method == .post { await gate.pass() } }
        fixture.server.put("notes", 7, ["title": .string("A")])
        let note = try Note.insert(into: fixture.context, title: "A")
        try fixture.save()
        await gate.arrivals()
        _ = try await fixture.api.getObjects(Note.self, at: "notes", into: fixture.store)
        #expect(try fixture.rows("SELECT id FROM Note") == ["-"])
        gate.open()
        #expect(try await fixture.outbox.outcome(of: note) == .accepted)
        // The validator of the list that was held back is not sent.
        _ = try await fixture.api.getObjects(Note.self, at: "notes", into: fixture.store)
        #expect(try fixture.rows("SELECT id FROM Note ORDER BY id") == ["7", "101"])
    }

    @Test func deletedObjectInCreationIsNotShown() async throws {
        let (fixture, note, gate) = try await Self.creating()
        fixture.context.delete(note)
        try fixture.save()
        _ = try await fixture.api.getObjects(Note.self, at: "notes", into: fixture.store)
        #expect(try fixture.rows("SELECT id FROM Note") == [])
        gate.open()
        try await fixture.outbox.drain()
        #expect(try fixture.rows("SELECT id FROM Note") == [])
        #expect(fixture.server.resources("notes").isEmpty)
    }

    @Test func answeredCreationOfDeletedObjectIsNotShown() async throws {
        let (fixture, note, gate) = try await Self.creating()
        let deletion = fixture.gate(before: .delete)
        fixture.context.delete(note)
        try fixture.save()
        gate.open()
        await deletion.arrivals()
        _ = try await fixture.api.getObjects(Note.self, at: "notes", into: fixture.store)
        #expect(try fixture.rows("SELECT id FROM Note") == [])
        deletion.open()
        try await fixture.outbox.drain()
        #expect(fixture.server.resources("notes").isEmpty)
    }

    /// The list is read before the deletion is executed, and arrives after its answer.
    @Test(arguments: [true, false])
    func listFromBeforeDeletionBringsNoRow(isNew: Bool) async throws {
        let fixture = try await OfflineFixture(OfflineFixture.paused)
        let note: Note
        if isNew {
            note = try Note.insert(into: fixture.context, title: "A")
            try fixture.save()
            try await fixture.send()
        } else {
            note = try await fixture.load(101, ["title": "A"])
        }
        fixture.outbox.pause()
        fixture.context.delete(note)
        try fixture.save()
        let gate = fixture.gate(after: .get)
        let (api, store) = (fixture.api, fixture.store)
        async let list = api.getObjects(Note.self, at: "notes", into: store)
        await gate.arrivals()
        fixture.outbox.resume()
        try await fixture.outbox.drain()
        #expect(fixture.server.resources("notes").isEmpty)
        gate.open()
        _ = try await list
        #expect(try fixture.rows("SELECT id FROM Note") == [])
    }

    /// The list is read before the update is executed, and arrives after its answer.
    @Test(arguments: [true, false])
    func listFromBeforeUpdateKeepsValues(answersWithResources: Bool) async throws {
        var behavior = SimulatedAPI.Behavior()
        behavior.answersWithResources = answersWithResources
        let fixture = try await OfflineFixture(OfflineFixture.paused, behavior: behavior)
        let folder = try await fixture.load(Folder.self, 1, ["name": "A"])
        folder.name = "B"
        try fixture.save()
        let (gate, reading) = (Gate(), Gate())
        fixture.server.holdAnswers { request in
            if request.method != .get { return }
            await (request.path.hasSuffix("folders") ? gate : reading).pass()
        }
        let (api, store) = (fixture.api, fixture.store)
        async let list = api.getObjects(Folder.self, at: "folders", into: store)
        await gate.arrivals()
        fixture.outbox.resume()
        try await fixture.outbox.drain()
        #expect(fixture.server.value("folders", 1, "name") == "B")
        gate.open()
        _ = try await list
        #expect(try fixture.rows("SELECT name FROM Folder") == ["B"])
        reading.open()
    }

    /// The members of the folder in the representation of a note.
    @Test(arguments: [["id": 101], ["id": 101, "name": "F"]] as [Document])
    func referenceToHeldObjectComesWithNextList(folder: Document) async throws {
        let fixture = try await OfflineFixture()
        let gate = Gate()
        fixture.server.holdAnswers { request in if request.method == .post { await gate.pass() } }
        let created = try Folder.insert(into: fixture.context, name: "F")
        try fixture.save()
        await gate.arrivals()
        fixture.server.put("notes", 7, ["title": .string("A"), "folder": folder])
        _ = try await fixture.api.getObjects(Note.self, at: "notes", into: fixture.store)
        #expect(try fixture.rows("SELECT id, folder FROM Note") == ["7|-"])
        #expect(try fixture.rows("SELECT id, name FROM Folder") == ["-|F"])
        gate.open()
        #expect(try await fixture.outbox.outcome(of: created) == .accepted)
        _ = try await fixture.api.getObjects(Note.self, at: "notes", into: fixture.store)
        let join = "SELECT n.id, f.id FROM Note n JOIN Folder f ON n.folder = f.restkit_key"
        #expect(try fixture.rows(join) == ["7|101"])
        #expect(try fixture.rows("SELECT id FROM Folder") == ["101"])
    }

    @Test func uncertainCreationOfVanishedObjectIsNotRepeated() async throws {
        let fixture = try await OfflineFixture(creation: .atMostOnce)
        fixture.server.fail("POST", .lostAnswer)
        let note = try Note.insert(into: fixture.context, title: "A")
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: note) == .uncertain)
        let gate = Gate()
        fixture.server.hold { request in
            if request.path.hasSuffix("notes/101") { await gate.pass() }
        }
        _ = try await fixture.api.getObjects(Note.self, at: "notes", into: fixture.store)
        await gate.arrivals()
        #expect(try fixture.rows("SELECT id, title FROM Note") == ["-|A"])
        fixture.server.remove("notes", 101)
        gate.open()
        #expect(try await fixture.outbox.outcome(of: note) == .uncertain)
        #expect(fixture.server.requests.count { $0.hasPrefix("POST") } == 1)
    }

    // MARK: Two rows of one object

    /// A fixture with two rows of one object: a new note, whose creation was executed and is not answered, and the
    /// note that a list has brought after another client had changed it.
    private static func twoRows(answersWithResources: Bool = true) async throws -> (
        fixture: OfflineFixture, created: Note, imported: Note, gate: Gate
    ) {
        var behavior = SimulatedAPI.Behavior()
        behavior.answersWithResources = answersWithResources
        let (fixture, created, gate) = try await creating(behavior: behavior)
        fixture.server.change("notes", 101, ["title": .string("X"), "text": .string("x")])
        let imported = try await fixture.reload(Note.self, 101)
        try #require(imported !== created)
        return (fixture, created, imported, gate)
    }

    @Test func deletionOfNewRowKeepsImportedOne() async throws {
        let (fixture, created, imported, gate) = try await Self.twoRows()
        imported.title = "Y"
        fixture.context.delete(created)
        try fixture.save()
        gate.open()
        try await fixture.outbox.drain()
        #expect(fixture.requests("DELETE").isEmpty)
        #expect(try fixture.rows("SELECT id, title, text FROM Note") == ["101|Y|x"])
        #expect(fixture.server.resources("notes")["101"]?.members["title"] == .string("Y"))
        #expect(try await fixture.outbox.entries().isEmpty)
    }

    @Test func deletionOfImportedRowKeepsNewOne() async throws {
        let (fixture, created, imported, gate) = try await Self.twoRows()
        fixture.outbox.pause()
        fixture.context.delete(imported)
        created.text = "y"
        try fixture.save()
        gate.open()
        // The answer ends the creation and the deletion.
        for try await summary in fixture.outbox.summaries where summary.unsentCount == 1 { break }
        try await fixture.send()
        #expect(fixture.requests("DELETE").isEmpty)
        #expect(try fixture.rows("SELECT id, text FROM Note") == ["101|y"])
        #expect(fixture.server.resources("notes")["101"]?.members["text"] == .string("y"))
        #expect(try await fixture.outbox.entries().isEmpty)
    }

    @Test func deletionOfBothRowsDeletesObject() async throws {
        let (fixture, created, imported, gate) = try await Self.twoRows()
        fixture.context.delete(created)
        fixture.context.delete(imported)
        try fixture.save()
        gate.open()
        try await fixture.outbox.drain()
        #expect(try fixture.rows("SELECT id FROM Note") == [])
        #expect(fixture.server.resources("notes").isEmpty)
        #expect(try await fixture.outbox.entries().isEmpty)
    }

    /// The answer to a repeated request is that to the first one, which has older values than the list.
    @Test(arguments: [true, false])
    func valuesOfImportedRowAreNoEdits(answersWithResources: Bool) async throws {
        let (fixture, created, _, gate) = try await Self.twoRows(
            answersWithResources: answersWithResources)
        created.title = "B"
        try fixture.save()
        gate.open()
        try await fixture.send()
        #expect(!fixture.requests("PATCH").contains { $0.contains("text") })
        #expect(try fixture.rows("SELECT id, title, text FROM Note") == ["101|B|x"])
        #expect(fixture.server.resources("notes")["101"]?.members["text"] == .string("x"))
    }
}

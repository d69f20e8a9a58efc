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
        _ creation: CreationRule = .idempotencyKey(lifetime: .seconds(3600))
    ) async throws -> (fixture: OfflineFixture, note: Note, gate: Gate) {
        let fixture = try await OfflineFixture(creation: creation)
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
}

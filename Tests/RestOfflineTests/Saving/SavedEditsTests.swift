// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestOffline
import RestTesting
import Testing

/// The tables of the outbox after saves.
@MainActor @Suite struct SavedEditsTests {
    private static var paused: OutboxConfiguration {
        var configuration = OfflineFixture.quick
        configuration.startsPaused = true
        return configuration
    }

    @Test func savingNewObjectOpensCreation() async throws {
        let fixture = try await OfflineFixture(Self.paused)
        let note = try Note.insert(into: fixture.context, title: "A")
        try fixture.save()
        note.title = "B"
        try fixture.save()
        #expect(try fixture.entries() == ["Note|creation|waiting"])
        #expect(try fixture.rows("SELECT * FROM restkit_base") == [])
    }

    @Test func savingNotesBaseOfEditedProperty() async throws {
        let fixture = try await OfflineFixture(Self.paused)
        let note = try await fixture.load(1, ["title": .string("A"), "text": .string("x")])
        #expect(try fixture.entries() == [])
        note.title = "B"
        try fixture.save()
        note.title = "C"
        try fixture.save()
        #expect(try fixture.entries() == ["Note|update|waiting"])
        #expect(try fixture.rows("SELECT property, value FROM restkit_base") == ["title|A"])
    }

    @Test func savingBaseAgainRemovesEntry() async throws {
        let fixture = try await OfflineFixture(Self.paused)
        let note = try await fixture.load(1, ["title": .string("A"), "text": .string("x")])
        note.title = "B"
        try fixture.save()
        note.title = "A"
        try fixture.save()
        #expect(try fixture.entries() == [])
        #expect(try fixture.rows("SELECT * FROM restkit_base") == [])
        #expect(try fixture.rows("SELECT * FROM restkit_edit") == [])
    }

    @Test func deletingUnsentObjectRemovesEntry() async throws {
        let fixture = try await OfflineFixture(Self.paused)
        let note = try Note.insert(into: fixture.context, title: "A")
        try fixture.save()
        fixture.context.delete(note)
        try fixture.save()
        #expect(try fixture.entries() == [])
    }

    @Test func deletingObjectKeepsItsRow() async throws {
        let fixture = try await OfflineFixture(Self.paused)
        let note = try await fixture.load(7, ["title": .string("A"), "text": .string("x")])
        fixture.context.delete(note)
        try fixture.save()
        #expect(try fixture.entries() == ["Note|deletion|waiting"])
        let row = try fixture.rows("SELECT identity, \"row\" FROM restkit_edit")
        #expect(row.count == 1)
        #expect(row[0].hasPrefix("7|"))
        #expect(row[0].contains(#""title":"A""#))
    }

    @Test func insertingDeletedIdentityIsUpdate() async throws {
        let fixture = try await OfflineFixture(Self.paused)
        let note = try await fixture.load(7, ["title": .string("A"), "text": .string("x")])
        fixture.context.delete(note)
        try fixture.save()
        _ = try Note.insert(into: fixture.context, id: 7, title: "B", text: "x", revision: 1)
        try fixture.save()
        #expect(try fixture.entries() == ["Note|update|waiting"])
        #expect(try fixture.rows("SELECT property, value FROM restkit_base") == ["title|A"])
    }

    @Test func responsesMakeNoEntries() async throws {
        let fixture = try await OfflineFixture(Self.paused)
        _ = try await fixture.load(1, ["title": .string("A")])
        fixture.server.change("notes", 1, ["title": .string("B")])
        _ = try await fixture.api.getObjects(Note.self, at: "notes", in: fixture.context)
        #expect(try fixture.entries() == [])
        #expect(try fixture.rows("SELECT * FROM restkit_edit") == [])
    }

    @Test func newObjectIsSavedByResponseOfOthers() async throws {
        let fixture = try await OfflineFixture(Self.paused)
        _ = try Note.insert(into: fixture.context, title: "Mine")
        // The transaction of the response saves the new object of the context.
        _ = try await fixture.load(1, ["title": .string("A")])
        try fixture.save()
        #expect(try fixture.entries() == ["Note|creation|waiting"])
    }

    @Test func deleteRuleClearsReferenceAsEdit() async throws {
        let fixture = try await OfflineFixture(Self.paused)
        fixture.server.put("folders", 3, ["name": .string("F")])
        _ = try await fixture.api.getObjects(Folder.self, at: "folders", in: fixture.context)
        let note = try await fixture.load(1, ["title": .string("A"), "folder": ["id": 3]])
        let folder = try #require(note.folder)
        fixture.context.delete(folder)
        try fixture.save()
        #expect(try fixture.entries() == ["Note|update|waiting", "Folder|deletion|waiting"])
        #expect(try fixture.rows("SELECT property FROM restkit_base") == ["folder"])
    }

    @Test func importKeepsEditAndTakesOtherProperties() async throws {
        let fixture = try await OfflineFixture(Self.paused)
        let note = try await fixture.load(1, ["title": .string("A"), "text": .string("x")])
        note.title = "Mine"
        try fixture.save()
        fixture.server.change("notes", 1, ["title": .string("Theirs"), "text": .string("y")])
        _ = try await fixture.api.getObjects(Note.self, at: "notes", in: fixture.context)
        #expect(note.title == "Mine")
        #expect(note.text == "y")
        #expect(try fixture.rows("SELECT property, value FROM restkit_base") == ["title|Theirs"])
        #expect(try fixture.rows("SELECT version FROM restkit_edit") == ["2"])
    }

    @Test func importOfEqualValueEndsEdit() async throws {
        let fixture = try await OfflineFixture(Self.paused)
        let note = try await fixture.load(1, ["title": .string("A")])
        note.title = "B"
        try fixture.save()
        fixture.server.change("notes", 1, ["title": .string("B")])
        _ = try await fixture.api.getObjects(Note.self, at: "notes", in: fixture.context)
        #expect(try fixture.entries() == [])
        #expect(note.title == "B")
    }

    @Test func importMakesNoRowOfDeletedObject() async throws {
        let fixture = try await OfflineFixture(Self.paused)
        let note = try await fixture.load(1, ["title": .string("A")])
        fixture.context.delete(note)
        try fixture.save()
        _ = try await fixture.api.getObjects(Note.self, at: "notes", in: fixture.context)
        #expect(try fixture.rows("SELECT * FROM Note") == [])
        #expect(try fixture.entries() == ["Note|deletion|waiting"])
    }

    @Test func orphanDeletionKeepsEditedObject() async throws {
        let fixture = try await OfflineFixture(Self.paused)
        let note = try await fixture.load(1, ["title": .string("A")])
        fixture.server.put("notes", 2, ["title": .string("B")])
        fixture.api.addFetchRequestRule { _ in FetchRequest("Note") }
        _ = try await fixture.api.getObjects(Note.self, at: "notes", in: fixture.context)
        note.title = "Mine"
        try fixture.save()
        fixture.server.remove("notes", 1)
        fixture.server.remove("notes", 2)
        fixture.server.put("notes", 3, ["title": .string("C")])
        _ = try await fixture.api.getObjects(Note.self, at: "notes", in: fixture.context)
        #expect(try fixture.rows("SELECT id FROM Note ORDER BY id") == ["1", "3"])
        #expect(try fixture.entries() == ["Note|update|waiting"])
    }

    @Test func resetRefusesWhileEditsAreUnsent() async throws {
        let fixture = try await OfflineFixture(Self.paused)
        _ = try Note.insert(into: fixture.context, title: "A")
        try fixture.save()
        let error = await #expect(throws: PersistenceError.self) { try await fixture.store.reset() }
        #expect(error?.code == .unsentEdits)
        #expect(try fixture.entries() == ["Note|creation|waiting"])
        try await fixture.store.reset(discardsUnsentEdits: true)
    }

    @Test func editsOfAnotherPrincipalAreAnotherEntry() async throws {
        let fixture = try await OfflineFixture(Self.paused, principal: Principal("a"))
        let note = try await fixture.load(1, ["title": .string("A"), "text": .string("x")])
        note.title = "B"
        try fixture.save()
        try await fixture.restart(Self.paused, principal: Principal("b"))
        let again = try #require(try fixture.context.first(Note.self, where: { $0.id == 1 }))
        again.title = "C"
        try fixture.save()
        let entries = try fixture.rows(
            "SELECT principal, closed FROM restkit_entry ORDER BY sequence")
        #expect(entries == ["a|1", "b|0"])
    }
}

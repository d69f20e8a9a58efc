// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestOutbox
import RestRows
import RestTransport
import Testing

/// Entries that the user discards, and what goes with them.
@Suite struct DiscardingTests {
    private func discard(
        _ scenario: OutboxScenario, _ object: EditedObject, _ index: Int = 0
    ) -> [DiscardedEntry]? {
        let entry = scenario.entries(object)[index]
        return scenario.queue.discard(entry.sequence, of: object, at: scenario.now)
    }

    @Test func creationTakesItsDependantsAlong() throws {
        let scenario = try OutboxScenario()
        scenario.queue.insert(
            scenario.folder, OutboxScenario.image("new"), by: scenario.user)
        scenario.queue.insert(
            scenario.note, ["text": .text("a"), "folder": .integer(1)], by: scenario.user)
        let ended = try #require(discard(scenario, scenario.folder))
        #expect(ended.map(\.object) == [scenario.folder, scenario.note])
        #expect(scenario.queue.objects.isEmpty)
    }

    @Test func creationGivesMovedObjectsBack() throws {
        let scenario = try OutboxScenario()
        let other = EditedObject(entity: "folders", key: 9)
        scenario.queue.insert(
            scenario.folder, OutboxScenario.image("new"), by: scenario.user)
        scenario.addNote(in: 9)
        scenario.queue.add(other, OutboxScenario.image("old"), identity: .integer(6), version: nil)
        scenario.queue.change(scenario.note, ["folder": .integer(1)], by: scenario.user)
        _ = discard(scenario, scenario.folder)
        #expect(scenario.edits(scenario.note)?.local?["folder"] == .integer(9))
        #expect(scenario.entries(scenario.note).isEmpty)
    }

    @Test func deletionFirstRestoresWhatItNeeds() throws {
        let scenario = try OutboxScenario()
        scenario.addFolder()
        scenario.addNote()
        scenario.queue.delete(scenario.note, by: scenario.user)
        scenario.queue.delete(scenario.folder, by: scenario.user)
        let ended = try #require(discard(scenario, scenario.note))
        #expect(Set(ended.map(\.object)) == [scenario.note, scenario.folder])
        #expect(scenario.edits(scenario.folder)?.local?["name"] == .text("old"))
        #expect(scenario.edits(scenario.note)?.local?["folder"] == .integer(1))
    }

    @Test func deletionThatCannotBeRestoredKeepsItsDependants() throws {
        let scenario = try OutboxScenario()
        scenario.addFolder()
        scenario.addNote()
        scenario.queue.delete(scenario.note, by: scenario.user)
        #expect(scenario.exchange(204, scenario.note))
        scenario.addNote()
        scenario.queue.delete(scenario.note, by: scenario.user)
        scenario.queue.delete(scenario.folder, by: scenario.user)
        #expect(scenario.exchange(422, scenario.note))
        #expect(scenario.send(scenario.folder) == nil)
        let before = scenario.queue.objects
        // A deletion on its way cannot be undone, and so cannot what needs the object.
        #expect(
            scenario.queue.startSend(of: scenario.folder, at: scenario.now) { _ in
                FrozenRequest(method: "DELETE", path: "folders/100")
            } != nil)
        #expect(discard(scenario, scenario.note) == nil)
        #expect(scenario.queue.objects[scenario.note] == before[scenario.note])
    }

    @Test func clearedReferenceIsRestoredWithTheDeletionOnly() throws {
        let scenario = try OutboxScenario()
        scenario.queue.add(
            scenario.folder, ["name": .text("F"), "color": .text("red"), "cover": .integer(2)],
            identity: .integer(100), version: nil)
        scenario.addNote()
        scenario.queue.change(scenario.folder, ["cover": .null], by: scenario.user)
        scenario.queue.noteCleared(["cover": 2], of: scenario.folder)
        scenario.queue.delete(scenario.note, by: scenario.user)
        #expect(discard(scenario, scenario.folder) == nil)
        #expect(scenario.edits(scenario.folder)?.local?["cover"] == .null)
        let ended = try #require(discard(scenario, scenario.note))
        #expect(ended.map(\.object) == [scenario.note])
        #expect(scenario.edits(scenario.folder)?.local?["cover"] == .integer(2))
        #expect(scenario.entries(scenario.folder).isEmpty)
    }

    @Test func referenceThatWasClearedBeforeStaysCleared() throws {
        let scenario = try OutboxScenario()
        scenario.queue.add(
            scenario.folder, ["name": .text("F"), "color": .text("red"), "cover": .integer(2)],
            identity: .integer(100), version: nil)
        scenario.addNote()
        scenario.queue.change(scenario.folder, ["cover": .null], by: scenario.user)
        scenario.queue.delete(scenario.note, by: scenario.user)
        _ = discard(scenario, scenario.note)
        #expect(scenario.edits(scenario.folder)?.local?["cover"] == .null)
        #expect(scenario.kinds(scenario.folder) == [.update])
    }

    @Test(arguments: [(200, "new"), (422, "old"), (500, "old")])
    func abandonedEntryEndsWithItsAnswer(_ status: Int, _ name: String) throws {
        let scenario = try OutboxScenario()
        scenario.addFolder()
        scenario.rename("new")
        #expect(scenario.send(scenario.folder) != nil)
        let ended = try #require(discard(scenario, scenario.folder))
        #expect(ended.map(\.object) == [scenario.folder])
        #expect(scenario.edits(scenario.folder)?.local?["name"] == .text("old"))
        #expect(scenario.entries(scenario.folder).map(\.state) == [.abandoned])
        // It is not sent again, and a later save waits for its end.
        scenario.queue.change(scenario.folder, ["color": .text("blue")], by: scenario.user)
        #expect(scenario.ready().isEmpty)
        scenario.answer(status, scenario.folder)
        if status == 500 {
            #expect(scenario.entries(scenario.folder).first?.state == .abandoned)
            scenario.wait(301)
            scenario.queue.endAbandoned(at: scenario.now)
        }
        #expect(scenario.edits(scenario.folder)?.local?["name"] == .text(name))
        #expect(scenario.edits(scenario.folder)?.needsReading == true)
        #expect(scenario.kinds(scenario.folder) == [.update])
        #expect(scenario.ready() == [scenario.folder])
    }

    @Test func unsentRequestIsDiscardedAtOnce() throws {
        let scenario = try OutboxScenario()
        scenario.addFolder()
        scenario.rename("new")
        #expect(scenario.send(scenario.folder) != nil)
        scenario.answer(.unsent, scenario.folder)
        _ = discard(scenario, scenario.folder)
        #expect(scenario.entries(scenario.folder).isEmpty)
    }

    @Test func abandonedCreationLeavesNothingBehind() throws {
        let scenario = try OutboxScenario(.idempotencyKey(lifetime: .seconds(3600)))
        scenario.queue.insert(
            scenario.folder, OutboxScenario.image("new"), by: scenario.user)
        #expect(scenario.send(scenario.folder) != nil)
        scenario.rename("newer")
        let ended = try #require(discard(scenario, scenario.folder))
        #expect(ended.map(\.entry.kind) == [.update, .creation])
        #expect(scenario.edits(scenario.folder)?.local == nil)
        scenario.answer(201, scenario.folder, identity: 7)
        #expect(scenario.queue.objects.isEmpty)
    }

    @Test func attemptedDeletionCannotBeDiscarded() throws {
        let scenario = try OutboxScenario()
        scenario.addFolder()
        scenario.queue.delete(scenario.folder, by: scenario.user)
        #expect(scenario.send(scenario.folder) != nil)
        #expect(discard(scenario, scenario.folder) == nil)
        // A refused one can.
        scenario.answer(403, scenario.folder)
        #expect(discard(scenario, scenario.folder) != nil)
        #expect(scenario.edits(scenario.folder)?.local?["name"] == .text("old"))
    }

    @Test func valueOfLaterEntryStays() throws {
        let scenario = try OutboxScenario()
        scenario.addFolder()
        scenario.rename("mine")
        // A save under another principal opens an entry of its own.
        scenario.queue.change(
            scenario.folder, ["name": .text("theirs")], by: Principal("another"))
        #expect(scenario.entries(scenario.folder).count == 2)
        #expect(discard(scenario, scenario.folder) != nil)
        #expect(scenario.edits(scenario.folder)?.local?["name"] == .text("theirs"))
        #expect(scenario.entries(scenario.folder).count == 1)
    }

    @Test func discardedEditWithUnknownBaseIsRead() throws {
        let scenario = try OutboxScenario()
        scenario.addFolder()
        scenario.rename("mine")
        #expect(scenario.send(scenario.folder) != nil)
        scenario.answer(.lost, scenario.folder)
        scenario.wait(10)
        #expect(scenario.exchange(422, scenario.folder))
        #expect(scenario.edits(scenario.folder)?.unknown == ["name"])
        #expect(discard(scenario, scenario.folder) != nil)
        // The former value is not sent as an edit.
        #expect(scenario.entries(scenario.folder).isEmpty)
        #expect(scenario.edits(scenario.folder)?.needsReading == true)
    }

    @Test func forkedObjectStaysAwayFromDeletedOne() throws {
        let scenario = try OutboxScenario(policy: .fork)
        let other = EditedObject(entity: "folders", key: 3)
        scenario.addFolder()
        scenario.queue.add(
            other, OutboxScenario.image("other"), identity: .integer(101), version: nil)
        scenario.addNote()
        scenario.queue.change(
            scenario.note, ["text": .text("mine"), "folder": .integer(3)], by: scenario.user)
        scenario.queue.delete(scenario.folder, by: scenario.user)
        scenario.queue.take(["text": .text("theirs")], of: scenario.note, version: .integer(2))
        #expect(scenario.queue.forks.count == 1)
        let local = try #require(scenario.edits(scenario.note)?.local)
        #expect(local["text"] == .text("theirs"))
        #expect(local["folder"] == .integer(3))
        // Otherwise the server deletes the note with its former folder.
        let entry = try #require(scenario.entries(scenario.note).first)
        #expect(entry.principal == scenario.user)
        #expect(scenario.edits(scenario.note)?.values(at: 0) == ["folder": .integer(3)])
        #expect(scenario.ready() == [scenario.note])
    }

    @Test(arguments: [true, false])
    func laterEditIsSentAfterDiscardedOne(isUncertain: Bool) throws {
        let scenario = try OutboxScenario(policy: .storeWins)
        scenario.addFolder()
        scenario.rename("first")
        #expect(scenario.send(scenario.folder) != nil)
        if isUncertain { scenario.answer(.lost, scenario.folder) }
        // The server may have the first name.
        scenario.rename("old")
        if isUncertain { scenario.wait(301) }
        _ = discard(scenario, scenario.folder)
        scenario.wait(301)
        scenario.queue.endAbandoned(at: scenario.now)
        scenario.queue.take(
            OutboxScenario.image("first"), of: scenario.folder, version: .integer(2))
        #expect(scenario.edits(scenario.folder)?.local?["name"] == .text("old"))
        #expect(scenario.exchange(200, scenario.folder))
        #expect(scenario.requests.last?.body == Data("name=text(\"old\")".utf8))
    }

    @Test(arguments: [422, 412])
    func deletionBehindRefusedUpdateRestoresServerValues(status: Int) throws {
        let scenario = try OutboxScenario(isConditional: true)
        scenario.addFolder()
        scenario.rename("new")
        #expect(scenario.send(scenario.folder) != nil)
        scenario.queue.delete(scenario.folder, by: scenario.user)
        scenario.answer(status, scenario.folder)
        #expect(scenario.kinds(scenario.folder) == [.deletion])
        #expect(discard(scenario, scenario.folder) != nil)
        #expect(scenario.edits(scenario.folder)?.local?["name"] == .text("old"))
        #expect(scenario.entries(scenario.folder).isEmpty)
    }

    @Test func lostReferenceIsClearedByItsPrincipal() throws {
        let scenario = try OutboxScenario()
        let other = Principal("other")
        var image = OutboxScenario.image("old")
        image["cover"] = .integer(9)
        scenario.queue.add(scenario.folder, image, identity: .integer(100), version: nil)
        scenario.queue.insert(
            scenario.note, ["text": .text("a"), "folder": .integer(1)], by: scenario.user)
        scenario.queue.change(scenario.folder, ["cover": .integer(2)], by: scenario.user)
        // The save of another principal closes the entry, and leads back to the base.
        scenario.queue.change(scenario.folder, ["name": .text("x")], by: other)
        scenario.queue.change(scenario.folder, ["name": .text("old")], by: other)
        #expect(scenario.kinds(scenario.folder) == [.update])
        _ = discard(scenario, scenario.note)
        #expect(scenario.entries(scenario.folder).map(\.principal) == [scenario.user])
        #expect(scenario.edits(scenario.folder)?.values(at: 0) == ["cover": .null])
    }

    @Test func successorOfAbsentObjectIsSent() throws {
        let scenario = try OutboxScenario(isConditional: true)
        let successor = EditedObject(entity: "folders", key: 3)
        scenario.addFolder()
        scenario.queue.delete(scenario.folder, by: scenario.user)
        #expect(scenario.send(scenario.folder) != nil)
        scenario.queue.insert(
            successor, OutboxScenario.image("again"), replacing: scenario.folder,
            by: scenario.user)
        scenario.answer(412, scenario.folder)
        #expect(scenario.ready() == [scenario.folder])
        scenario.queue.takeAbsence(of: scenario.folder)
        #expect(scenario.ready() == [successor])
    }
}

// SPDX-License-Identifier: Apache-2.0

import RestOutbox
import RestRows
import RestTransport
import Testing

@Suite struct EntryGrowthTests {
    private let image = OutboxScenario.image("new")

    @Test func creationTakesLaterValues() throws {
        let scenario = try OutboxScenario()
        scenario.queue.insert(scenario.folder, image, by: scenario.user)
        scenario.rename("newer")
        #expect(scenario.kinds(scenario.folder) == [.creation])
        #expect(scenario.edits(scenario.folder)?.values(at: 0)["name"] == .text("newer"))
        #expect(scenario.edits(scenario.folder)?.base.isEmpty == true)
    }

    @Test func unsentCreationVanishesWithItsObject() throws {
        let scenario = try OutboxScenario()
        scenario.queue.insert(scenario.folder, image, by: scenario.user)
        let void = scenario.queue.delete(scenario.folder, by: scenario.user)
        #expect(void.map(\.kind) == [.creation])
        #expect(scenario.queue.objects.isEmpty)
    }

    @Test func updatesUniteInOneEntry() throws {
        let scenario = try OutboxScenario()
        scenario.addFolder()
        scenario.rename("new")
        scenario.queue.change(scenario.folder, ["color": .text("blue")], by: scenario.user)
        #expect(scenario.kinds(scenario.folder) == [.update])
        let edits = try #require(scenario.edits(scenario.folder))
        #expect(edits.values(at: 0) == ["name": .text("new"), "color": .text("blue")])
        #expect(edits.base == ["name": .text("old"), "color": .text("red")])
    }

    @Test func valueBackAtBaseLeavesEntry() throws {
        let scenario = try OutboxScenario()
        scenario.addFolder()
        scenario.rename("new")
        scenario.queue.change(scenario.folder, ["color": .text("blue")], by: scenario.user)
        scenario.rename("old")
        #expect(scenario.edits(scenario.folder)?.values(at: 0) == ["color": .text("blue")])
        #expect(scenario.edits(scenario.folder)?.base == ["color": .text("red")])
        scenario.queue.change(scenario.folder, ["color": .text("red")], by: scenario.user)
        #expect(scenario.entries(scenario.folder).isEmpty)
        #expect(scenario.edits(scenario.folder)?.base.isEmpty == true)
    }

    @Test func deletionReplacesUpdate() throws {
        let scenario = try OutboxScenario()
        scenario.addFolder()
        scenario.rename("new")
        scenario.queue.delete(scenario.folder, by: scenario.user)
        #expect(scenario.kinds(scenario.folder) == [.deletion])
        // What the server has, not what the user had.
        #expect(scenario.entries(scenario.folder).first?.values["name"] == .text("old"))
    }

    @Test func insertionRevivesUnsentDeletion() throws {
        let scenario = try OutboxScenario()
        scenario.addFolder()
        scenario.queue.delete(scenario.folder, by: scenario.user)
        let again = EditedObject(entity: "folders", key: 9)
        scenario.queue.insert(again, image, replacing: scenario.folder, by: scenario.user)
        #expect(scenario.queue.objects[scenario.folder] == nil)
        #expect(scenario.kinds(again) == [.update])
        #expect(scenario.edits(again)?.values(at: 0) == ["name": .text("new")])
        #expect(scenario.edits(again)?.base == ["name": .text("old")])
        #expect(scenario.edits(again)?.identity == .integer(100))
    }

    @Test("delete and re-insert of one identity → exists on the server")
    func insertionWaitsForAttemptedDeletion() throws {
        let scenario = try OutboxScenario(.clientIdentity)
        scenario.addFolder()
        scenario.queue.delete(scenario.folder, by: scenario.user)
        #expect(scenario.send(scenario.folder)?.method == "deletion")
        let again = EditedObject(entity: "folders", key: 9)
        scenario.queue.insert(again, image, replacing: scenario.folder, by: scenario.user)
        #expect(scenario.ready().isEmpty)
        scenario.answer(.lost, scenario.folder)
        scenario.wait(10)
        #expect(scenario.exchange(204, scenario.folder))
        // The first deletion can still be executed.
        #expect(scenario.ready().isEmpty)
        scenario.wait(300)
        #expect(scenario.send(again)?.method == "creation")
    }

    @Test func saveOfOtherPrincipalOpensEntry() throws {
        let scenario = try OutboxScenario()
        scenario.addFolder()
        scenario.rename("new")
        let other = Principal("other")
        scenario.queue.change(scenario.folder, ["name": .text("theirs")], by: other)
        let entries = scenario.entries(scenario.folder)
        #expect(entries.map(\.principal) == [scenario.user, other])
        #expect(entries.first?.values == ["name": .text("new")])
        #expect(scenario.edits(scenario.folder)?.values(at: 1) == ["name": .text("theirs")])
    }

    @Test("another user → nothing of the first is sent")
    func otherPrincipalSendsNothing() throws {
        let scenario = try OutboxScenario()
        scenario.addFolder()
        scenario.rename("new")
        #expect(scenario.queue.ready(for: Principal("other"), at: scenario.now).isEmpty)
        #expect(scenario.ready() == [scenario.folder])
    }

    @Test func returnToBaseCompensatesAttempt() throws {
        let scenario = try OutboxScenario()
        scenario.addFolder()
        scenario.rename("new")
        #expect(scenario.send(scenario.folder) != nil)
        scenario.rename("old")
        #expect(scenario.kinds(scenario.folder) == [.update, .update])
        scenario.answer(200, scenario.folder)
        #expect(scenario.edits(scenario.folder)?.values(at: 0) == ["name": .text("old")])
    }

    @Test func unansweredSendMakesBaseUnknown() throws {
        let scenario = try OutboxScenario()
        scenario.addFolder()
        scenario.rename("new")
        #expect(scenario.send(scenario.folder) != nil)
        scenario.answer(.lost, scenario.folder)
        scenario.wait(10)
        #expect(scenario.exchange(422, scenario.folder))
        scenario.rename("old")
        // The first send may have had its effect.
        #expect(scenario.edits(scenario.folder)?.values(at: 0) == ["name": .text("old")])
        scenario.queue.take(OutboxScenario.image("new"), of: scenario.folder, version: .integer(3))
        #expect(scenario.edits(scenario.folder)?.base == ["name": .text("new")])
        scenario.queue.take(OutboxScenario.image("old"), of: scenario.folder, version: .integer(4))
        #expect(scenario.entries(scenario.folder).isEmpty)
    }

    @Test func savingMendsRefusedEntry() throws {
        let scenario = try OutboxScenario()
        scenario.addFolder()
        scenario.rename("bad")
        #expect(scenario.exchange(422, scenario.folder))
        #expect(scenario.ready().isEmpty)
        scenario.rename("good")
        #expect(scenario.kinds(scenario.folder) == [.update])
        #expect(scenario.exchange(200, scenario.folder))
        #expect(scenario.entries(scenario.folder).isEmpty)
    }

    @Test func deletionWaitsForCreationThatMayExist() throws {
        let scenario = try OutboxScenario(.idempotencyKey(lifetime: .seconds(3600)))
        scenario.queue.insert(scenario.folder, image, by: scenario.user)
        #expect(scenario.send(scenario.folder) != nil)
        scenario.answer(.lost, scenario.folder)
        scenario.wait(10)
        #expect(scenario.exchange(422, scenario.folder))
        // The first send may have created the object.
        #expect(scenario.queue.delete(scenario.folder, by: scenario.user).isEmpty)
        #expect(scenario.kinds(scenario.folder) == [.creation, .deletion])
    }

    @Test func answerOfFormerAttemptEndsNoLaterOne() throws {
        let scenario = try OutboxScenario(isConditional: true)
        scenario.addFolder()
        scenario.rename("mine")
        #expect(scenario.send(scenario.folder) != nil)
        let former = try #require(scenario.entries(scenario.folder).first?.attempt?.number)
        scenario.answer(412, scenario.folder)
        scenario.queue.take(
            OutboxScenario.image("theirs"), of: scenario.folder, version: .integer(2))
        #expect(scenario.send(scenario.folder) != nil)
        scenario.queue.record(
            .response(.init(status: 200)), of: scenario.folder, attempt: former,
            at: scenario.now, using: &scenario.random)
        #expect(scenario.entries(scenario.folder).first?.state == .sending)
    }

    @Test func referenceToDeletedRowStaysAnEdit() throws {
        let scenario = try OutboxScenario()
        var old = OutboxScenario.image("old")
        old["cover"] = .integer(2)
        scenario.queue.add(
            scenario.folder, old, identity: .integer(100), version: .integer(1))
        scenario.queue.add(
            scenario.note, ["text": .text("x")], identity: .integer(200), version: .integer(1))
        scenario.queue.change(scenario.folder, ["cover": .null], by: scenario.user)
        scenario.queue.delete(scenario.note, by: scenario.user)
        // The server still refers to the note, which no row can.
        scenario.queue.take(OutboxScenario.image("old"), of: scenario.folder, version: .integer(2))
        #expect(scenario.kinds(scenario.folder) == [.update])
        #expect(scenario.ready() == [scenario.folder])
    }
}

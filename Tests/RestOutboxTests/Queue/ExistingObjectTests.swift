// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestNetworking
import RestOutbox
import RestRows
import Testing

/// Objects that the server has in place of new ones.
@Suite struct ExistingObjectTests {
    private static let exists = AnswerTable([
        "folders": [AnswerRule(ResponsePattern(409), of: [.creation], means: .exists)]
    ])
    private let other = EditedObject(entity: "folders", key: 3)

    @Test func deletedNewObjectEndsWithoutDeletionOnServer() throws {
        let scenario = try OutboxScenario(answers: Self.exists)
        scenario.queue.insert(scenario.folder, OutboxScenario.image("new"), by: scenario.user)
        #expect(scenario.exchange(409, scenario.folder, identity: 5))
        scenario.queue.delete(scenario.folder, by: scenario.user)
        scenario.queue.take([:], of: scenario.folder, version: .integer(3))
        #expect(scenario.entries(scenario.folder) == [])
    }

    @Test func objectWithOwnEntriesIsAwaited() throws {
        let scenario = try OutboxScenario(answers: Self.exists)
        scenario.queue.add(
            other, OutboxScenario.image("old"), identity: .integer(5), version: .integer(1))
        scenario.queue.change(other, ["name": .text("edited")], by: scenario.user)
        scenario.queue.insert(scenario.folder, OutboxScenario.image("new"), by: scenario.user)
        #expect(scenario.exchange(409, scenario.folder, identity: 5))
        #expect(scenario.ready() == [other])
        #expect(scenario.queue.blockers(of: scenario.folder) == [other])
        #expect(scenario.exchange(200, other))
        #expect(scenario.ready() == [scenario.folder])
    }

    @Test func objectOfAnotherCreationIsGivenToThat() throws {
        let scenario = try OutboxScenario(answers: Self.exists)
        scenario.queue.insert(other, OutboxScenario.image("same"), by: scenario.user)
        #expect(scenario.send(other) != nil)
        scenario.answer(.lost, other)
        #expect(scenario.entries(other).first?.state == .uncertain)
        scenario.queue.insert(scenario.folder, OutboxScenario.image("same"), by: scenario.user)
        #expect(scenario.exchange(409, scenario.folder, identity: 5))
        scenario.queue.take(
            OutboxScenario.image("same"), of: scenario.folder, version: .integer(1))
        #expect(scenario.entries(scenario.folder).first?.state == .refused(.rejected(409)))
        #expect(scenario.entries(other).first?.existing == .integer(5))
        scenario.queue.take(OutboxScenario.image("same"), of: other, version: .integer(1))
        #expect(scenario.entries(other) == [])
        #expect(scenario.edits(other)?.identity == .integer(5))
    }

    @Test func otherValuesAreNotThoseOfAnotherCreation() throws {
        let scenario = try OutboxScenario(answers: Self.exists)
        scenario.queue.insert(other, OutboxScenario.image("one"), by: scenario.user)
        #expect(scenario.send(other) != nil)
        scenario.answer(.lost, other)
        scenario.queue.insert(scenario.folder, OutboxScenario.image("two"), by: scenario.user)
        #expect(scenario.exchange(409, scenario.folder, identity: 5))
        scenario.queue.take(OutboxScenario.image("two"), of: scenario.folder, version: .integer(1))
        #expect(scenario.edits(scenario.folder)?.identity == .integer(5))
        #expect(scenario.entries(other).first?.state == .uncertain)
    }

    @Test func vanishedObjectLetsTheCreationBeSentAgain() throws {
        let scenario = try OutboxScenario(answers: Self.exists)
        scenario.queue.insert(scenario.folder, OutboxScenario.image("new"), by: scenario.user)
        for _ in 0..<5 {
            #expect(scenario.exchange(409, scenario.folder, identity: 5))
            scenario.queue.takeAbsence(of: scenario.folder)
            #expect(scenario.entries(scenario.folder).first?.state == .waiting)
        }
        // A server that names what it does not have is not asked for ever.
        #expect(scenario.exchange(409, scenario.folder, identity: 5))
        scenario.queue.takeAbsence(of: scenario.folder)
        #expect(scenario.entries(scenario.folder).first?.state == .conflicted)
    }

    @Test func firstRefusalOfClientIdentityMeansExisting() throws {
        let scenario = try OutboxScenario(.clientIdentity)
        scenario.queue.insert(scenario.folder, OutboxScenario.image("mine"), by: scenario.user)
        #expect(scenario.exchange(412, scenario.folder, identity: 5))
        let step = try #require(
            scenario.queue.ready(for: scenario.user, at: scenario.now).first?.step)
        #expect(step == .read)
        scenario.queue.take(
            OutboxScenario.image("theirs"), of: scenario.folder, version: .integer(1))
        let edits = try #require(scenario.edits(scenario.folder))
        #expect(edits.identity == .integer(5))
        #expect(edits.base == ["name": .text("theirs")])
        #expect(edits.values(at: 0) == ["name": .text("mine")])
    }

    @Test func laterRefusalOfClientIdentityMeansSuccess() throws {
        let scenario = try OutboxScenario(.clientIdentity)
        scenario.queue.insert(scenario.folder, OutboxScenario.image("mine"), by: scenario.user)
        #expect(scenario.send(scenario.folder) != nil)
        scenario.answer(.lost, scenario.folder)
        scenario.wait(10)
        #expect(scenario.exchange(412, scenario.folder, identity: 5))
        let edits = try #require(scenario.edits(scenario.folder))
        #expect(edits.entries.isEmpty)
        #expect(edits.identity == .integer(5))
        #expect(edits.needsReading)
        // The object may be that of another client, whose values are no conflict.
        scenario.queue.take(
            OutboxScenario.image("theirs"), of: scenario.folder, version: .integer(1))
        #expect(scenario.edits(scenario.folder)?.local?["name"] == .text("theirs"))
    }

    @Test func objectWithClientIdentityIsItsOwn() throws {
        let scenario = try OutboxScenario(.clientIdentity)
        scenario.queue.insert(other, OutboxScenario.image("same"), by: scenario.user)
        #expect(scenario.send(other) != nil)
        scenario.answer(.lost, other)
        scenario.queue.insert(scenario.folder, OutboxScenario.image("same"), by: scenario.user)
        #expect(scenario.exchange(412, scenario.folder, identity: 5))
        scenario.queue.take(
            OutboxScenario.image("same"), of: scenario.folder, version: .integer(1))
        #expect(scenario.edits(scenario.folder)?.identity == .integer(5))
        #expect(scenario.entries(other).first?.existing == nil)
    }

    private func brought(_ identity: Int64, _ name: String) -> BroughtObject {
        BroughtObject(identity: .integer(identity), image: OutboxScenario.image(name))
    }

    @Test func onlyObjectWithSentValuesIsAdopted() throws {
        let scenario = try OutboxScenario()
        scenario.queue.insert(scenario.folder, OutboxScenario.image("same"), by: scenario.user)
        #expect(scenario.send(scenario.folder) != nil)
        // The answer may still come.
        let same = [brought(5, "same"), brought(6, "other")]
        #expect(scenario.queue.recognize(same, of: "folders", recognizedBy: nil) == [0])
        #expect(scenario.entries(scenario.folder).first?.existing == nil)
        scenario.answer(.lost, scenario.folder)
        let two = [brought(5, "same"), brought(6, "same")]
        #expect(scenario.queue.recognize(two, of: "folders", recognizedBy: nil) == [])
        #expect(scenario.entries(scenario.folder).first?.state == .uncertain)
        let unequal = [brought(5, "other"), brought(6, "same")]
        #expect(scenario.queue.recognize(unequal, of: "folders", recognizedBy: nil) == [1])
        #expect(scenario.entries(scenario.folder).first?.existing == .integer(6))
    }

    @Test func valuesThatServerDoesNotShowAreSent() throws {
        let scenario = try OutboxScenario()
        scenario.queue.insert(scenario.folder, OutboxScenario.image("same"), by: scenario.user)
        #expect(scenario.send(scenario.folder) != nil)
        scenario.answer(.lost, scenario.folder)
        let shown: ObjectImage = ["name": .text("same")]
        let brought = BroughtObject(identity: .integer(5), image: shown)
        #expect(scenario.queue.recognize([brought], of: "folders", recognizedBy: nil) == [0])
        scenario.queue.take(shown, of: scenario.folder, version: .integer(1))
        let edits = try #require(scenario.edits(scenario.folder))
        #expect(edits.identity == .integer(5))
        #expect(edits.values(at: 0) == ["color": .text("red")])
    }

    @Test func objectOfTwoPossibleCreationsIsNotAdopted() throws {
        let scenario = try OutboxScenario()
        for object in [scenario.folder, other] {
            scenario.queue.insert(object, OutboxScenario.image("same"), by: scenario.user)
            #expect(scenario.send(object) != nil)
            scenario.answer(.lost, object)
        }
        _ = scenario.queue.recognize([brought(5, "same")], of: "folders", recognizedBy: nil)
        #expect(scenario.entries(scenario.folder).first?.state == .uncertain)
        #expect(scenario.entries(other).first?.state == .uncertain)
    }

    @Test func userDecidesAboutAdoptedObjectThatVanished() throws {
        let scenario = try OutboxScenario()
        scenario.queue.insert(scenario.folder, OutboxScenario.image("new"), by: scenario.user)
        #expect(scenario.send(scenario.folder) != nil)
        scenario.answer(.lost, scenario.folder)
        _ = scenario.queue.recognize([brought(5, "new")], of: "folders", recognizedBy: nil)
        scenario.queue.takeAbsence(of: scenario.folder)
        #expect(scenario.entries(scenario.folder).first?.state == .uncertain)
        scenario.wait(301)
        #expect(scenario.ready().isEmpty)
        scenario.queue.retry(scenario.folder)
        #expect(scenario.ready() == [scenario.folder])
    }

    @Test func uncertainCreationIsUnitedWithImportedObject() throws {
        let scenario = try OutboxScenario()
        scenario.queue.insert(scenario.folder, OutboxScenario.image("mine"), by: scenario.user)
        #expect(!scenario.unite(with: 5))
        #expect(scenario.send(scenario.folder) != nil)
        scenario.answer(.lost, scenario.folder)
        #expect(scenario.unite(with: 5))
        scenario.queue.take(
            OutboxScenario.image("theirs"), of: scenario.folder, version: .integer(1))
        let edits = try #require(scenario.edits(scenario.folder))
        #expect(edits.identity == .integer(5))
        #expect(edits.values(at: 0) == ["name": .text("mine")])
    }

    @Test func useOfUnitedObjectDropsItsDeletion() throws {
        let scenario = try OutboxScenario()
        scenario.queue.insert(scenario.folder, OutboxScenario.image("mine"), by: scenario.user)
        #expect(scenario.send(scenario.folder) != nil)
        scenario.answer(.lost, scenario.folder)
        scenario.queue.add(
            other, OutboxScenario.image("mine"), identity: .integer(5), version: .integer(1))
        scenario.queue.delete(other, by: scenario.user)
        #expect(scenario.unite(with: 5, of: other))
        #expect(scenario.entries(other) == [])
        #expect(scenario.edits(other)?.local != nil)
    }

    @Test func olderImageOfMonotonicVersionIsIgnored() throws {
        let scenario = try OutboxScenario(isConditional: true, isMonotonic: true)
        scenario.addFolder("new", version: 7)
        scenario.queue.change(scenario.folder, ["color": .text("blue")], by: scenario.user)
        scenario.queue.take(OutboxScenario.image("old"), of: scenario.folder, version: .integer(6))
        #expect(scenario.edits(scenario.folder)?.local?["name"] == .text("new"))
        #expect(scenario.edits(scenario.folder)?.version == .integer(7))
        scenario.queue.take(OutboxScenario.image("next"), of: scenario.folder, version: .integer(8))
        #expect(scenario.edits(scenario.folder)?.local?["name"] == .text("next"))
    }

    @Test func subentityIsSentBeforeReferencesToSuperentity() throws {
        let model = try SentModel([
            SentEntity("boxes", properties: ["name"], ancestors: ["containers"]),
            SentEntity(
                "items", properties: ["name"],
                references: ["place": .init(destination: "containers", isRequired: true)]),
        ])
        var queue = OutboxQueue(model: model)
        let (box, item) = (
            EditedObject(entity: "boxes", key: 2), EditedObject(entity: "items", key: 1)
        )
        queue.insert(item, ["name": .text("i"), "place": .integer(2)], by: nil)
        queue.insert(box, ["name": .text("b")], by: nil)
        let now = Date(timeIntervalSince1970: 1_000_000)
        #expect(queue.ready(for: nil, at: now).map(\.object) == [box])
        #expect(queue.blockers(of: item) == [box])
        queue.add(box, ["name": .text("b")], identity: .integer(9), version: nil)
        #expect(queue.draft(of: item)?.values["place"] == .integer(9))
        // What names a deleted object is sent before its deletion.
        queue.add(
            item, ["name": .text("i"), "place": .integer(2)], identity: .integer(4), version: nil)
        queue.change(item, ["place": .integer(7)], by: nil)
        queue.delete(box, by: nil)
        #expect(queue.blockers(of: box) == [item])
    }

    /// The server has created an object and does not say which one.
    @Test(arguments: [
        (CreationRemedy.atMostOnce, OutboxEntry.State.uncertain),
        (.idempotencyKey(lifetime: .seconds(3600)), .uncertain),
        (.recognized(probeCount: 3), .probing(negative: 0)),
    ])
    func answerWithoutIdentityIsUncertain(
        remedy: CreationRemedy, state: OutboxEntry.State
    ) throws {
        let scenario = try OutboxScenario(remedy)
        scenario.queue.insert(
            scenario.folder, OutboxScenario.image("new"), by: scenario.user)
        #expect(scenario.exchange(201, scenario.folder))
        #expect(scenario.entries(scenario.folder).map(\.state) == [state])
        scenario.wait(3000)
        #expect(scenario.send(scenario.folder) == nil || remedy == .recognized(probeCount: 3))
    }
}

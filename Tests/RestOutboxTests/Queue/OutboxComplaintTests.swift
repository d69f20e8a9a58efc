// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestNetworking
import RestOutbox
import RestRows
import RestTransport
import Testing

/// Failures that users of other libraries have reported, as the names of the tests.
@Suite struct OutboxComplaintTests {
    @Test("a kill in flight → still queued")
    func killKeepsEntry() throws {
        let scenario = try OutboxScenario()
        scenario.addFolder()
        scenario.rename("new")
        let request = scenario.send(scenario.folder)
        scenario.queue.restart(at: scenario.now, using: &scenario.random)
        scenario.wait(10)
        #expect(scenario.send(scenario.folder) == request)
    }

    @Test("E1 in flight, E2 on the same property → both sides end with E2")
    func laterEditFollows() throws {
        let scenario = try OutboxScenario()
        scenario.addFolder()
        scenario.rename("first")
        #expect(scenario.send(scenario.folder) != nil)
        scenario.rename("second")
        scenario.answer(200, scenario.folder)
        #expect(scenario.edits(scenario.folder)?.local?["name"] == .text("second"))
        let request = try #require(scenario.send(scenario.folder))
        #expect(String(decoding: request.body, as: UTF8.self).contains("second"))
    }

    @Test("403 → refused, visible, kept")
    func refusalIsKept() throws {
        let scenario = try OutboxScenario()
        scenario.addFolder()
        scenario.rename("new")
        #expect(scenario.exchange(403, scenario.folder))
        #expect(scenario.entries(scenario.folder).first?.state == .refused(.rejected(403)))
        scenario.wait(1e6)
        #expect(scenario.ready().isEmpty)
        #expect(scenario.edits(scenario.folder)?.values(at: 0) == ["name": .text("new")])
    }

    @Test("401 → paused, no attempt counted")
    func missingCredentialsPause() throws {
        let scenario = try OutboxScenario()
        scenario.addFolder()
        scenario.rename("new")
        #expect(scenario.exchange(401, scenario.folder))
        scenario.wait(1e6)
        #expect(scenario.ready().isEmpty)
        #expect(scenario.entries(scenario.folder).first?.failureCount == 0)
        scenario.queue.authorize(scenario.user)
        #expect(scenario.ready() == [scenario.folder])
    }

    @Test("429, 503, DNS → stays", arguments: [429, 503, nil])
    func transientFailureKeepsEntry(status: Int?) throws {
        let scenario = try OutboxScenario()
        scenario.addFolder()
        scenario.rename("new")
        for _ in 0..<50 {
            #expect(scenario.send(scenario.folder) != nil)
            if let status {
                scenario.answer(status, scenario.folder)
            } else {
                scenario.answer(.unsent, scenario.folder)
            }
            scenario.wait(301)
        }
        #expect(scenario.exchange(200, scenario.folder))
        #expect(scenario.queue.entryCount == 0)
    }

    @Test("POST answer lost, no keys → no second object")
    func lostCreationIsParked() throws {
        let scenario = try OutboxScenario()
        scenario.queue.insert(scenario.folder, OutboxScenario.image("new"), by: scenario.user)
        #expect(scenario.send(scenario.folder) != nil)
        scenario.answer(.lost, scenario.folder)
        #expect(scenario.entries(scenario.folder).first?.state == .uncertain)
        scenario.wait(1e6)
        #expect(scenario.ready().isEmpty)
        // An answer that comes after all counts.
        scenario.answer(201, scenario.folder, identity: 5)
        #expect(scenario.edits(scenario.folder)?.identity == .integer(5))
        #expect(scenario.queue.entryCount == 0)
    }

    @Test("a negative probe while the POST still runs → no second object")
    func negativeProbeIsNoProof() throws {
        let scenario = try OutboxScenario(.recognized(probeCount: 2))
        scenario.queue.insert(scenario.folder, OutboxScenario.image("new"), by: scenario.user)
        #expect(scenario.send(scenario.folder) != nil)
        scenario.answer(.lost, scenario.folder)
        var probes = 0
        for _ in 0..<29 {
            scenario.wait(10)
            for (object, step) in scenario.queue.ready(for: scenario.user, at: scenario.now) {
                #expect(step == .probe)
                probes += 1
                scenario.queue.record(
                    probe: nil, of: object, beganAt: scenario.now, at: scenario.now,
                    using: &scenario.random)
            }
        }
        #expect(probes == 2)
        scenario.wait(20)
        scenario.queue.record(
            probe: nil, of: scenario.folder, beganAt: scenario.now, at: scenario.now,
            using: &scenario.random)
        #expect(scenario.send(scenario.folder) == scenario.requests[0])
    }

    @Test("a key is used only while the server remembers it")
    func forgottenKeyIsNotSent() throws {
        let scenario = try OutboxScenario(.idempotencyKey(lifetime: .seconds(3600)))
        scenario.queue.insert(scenario.folder, OutboxScenario.image("new"), by: scenario.user)
        #expect(scenario.exchange(503, scenario.folder))
        scenario.wait(3000)
        #expect(scenario.exchange(401, scenario.folder))
        scenario.queue.authorize(scenario.user)
        scenario.wait(301)
        #expect(scenario.send(scenario.folder) == nil)
        #expect(scenario.entries(scenario.folder).first?.state == .uncertain)
    }

    @Test("“already exists” → adopted")
    func existingObjectIsAdopted() throws {
        let answers = AnswerTable([
            "folders": [AnswerRule(ResponsePattern(409), of: [.creation], means: .exists)]
        ])
        let scenario = try OutboxScenario(answers: answers)
        scenario.queue.insert(scenario.folder, OutboxScenario.image("new"), by: scenario.user)
        #expect(scenario.exchange(409, scenario.folder, identity: 5))
        #expect(scenario.queue.ready(for: scenario.user, at: scenario.now).first?.step == .read)
        scenario.queue.take(
            OutboxScenario.image("theirs"), of: scenario.folder, version: .integer(3))
        let edits = try #require(scenario.edits(scenario.folder))
        #expect(edits.identity == .integer(5))
        #expect(edits.entries.map(\.kind) == [.update])
        #expect(edits.values(at: 0) == ["name": .text("new")])
        #expect(edits.base == ["name": .text("theirs")])
    }

    @Test("kill after a creation's answer → later edits carry the server's identity")
    func laterEditsCarryIdentity() throws {
        let scenario = try OutboxScenario()
        scenario.queue.insert(scenario.folder, OutboxScenario.image("new"), by: scenario.user)
        #expect(scenario.send(scenario.folder) != nil)
        scenario.rename("newer")
        scenario.answer(201, scenario.folder, identity: 5)
        scenario.queue.restart(at: scenario.now, using: &scenario.random)
        #expect(scenario.send(scenario.folder)?.path == "integer(5)")
    }

    @Test("one refused → unrelated go on")
    func refusalBlocksDependentsOnly() throws {
        let scenario = try OutboxScenario()
        scenario.queue.insert(scenario.folder, OutboxScenario.image("bad"), by: scenario.user)
        let child: ObjectImage = ["text": .text("x"), "folder": .integer(1)]
        scenario.queue.insert(scenario.note, child, by: scenario.user)
        let other = EditedObject(entity: "folders", key: 3)
        scenario.queue.insert(other, OutboxScenario.image("good"), by: scenario.user)
        #expect(scenario.exchange(422, scenario.folder))
        #expect(scenario.ready() == [other])
        #expect(scenario.queue.blockers(of: scenario.note) == [scenario.folder])
    }

    @Test("rejected child of an accepted parent → correctable")
    func rejectedChildIsCorrectable() throws {
        let scenario = try OutboxScenario()
        scenario.queue.insert(scenario.folder, OutboxScenario.image("new"), by: scenario.user)
        let child: ObjectImage = ["text": .text("bad"), "folder": .integer(1)]
        scenario.queue.insert(scenario.note, child, by: scenario.user)
        #expect(scenario.exchange(201, scenario.folder, identity: 5))
        #expect(scenario.exchange(422, scenario.note))
        scenario.queue.change(scenario.note, ["text": .text("good")], by: scenario.user)
        #expect(scenario.exchange(201, scenario.note, identity: 6))
        #expect(scenario.queue.entryCount == 0)
    }

    @Test("endless 412 → bounded")
    func conflictsAreBounded() throws {
        let scenario = try OutboxScenario(isConditional: true)
        scenario.addFolder()
        scenario.rename("mine")
        var rounds = 0
        while scenario.entries(scenario.folder).first?.state != .conflicted, rounds < 100 {
            rounds += 1
            #expect(scenario.exchange(412, scenario.folder))
            if scenario.entries(scenario.folder).first?.state == .conflicted { break }
            scenario.queue.take(
                OutboxScenario.image("theirs \(rounds)"), of: scenario.folder,
                version: .integer(Int64(rounds + 1)))
        }
        #expect(rounds == 6)
        #expect(scenario.edits(scenario.folder)?.values(at: 0) == ["name": .text("mine")])
    }

    /// The server has said that it does not have this version any more.
    @Test func imageOfRefusedVersionIsReadAgain() throws {
        let scenario = try OutboxScenario(isConditional: true, policy: .storeWins)
        scenario.addFolder()
        scenario.rename("mine")
        #expect(scenario.exchange(412, scenario.folder))
        scenario.queue.take(
            OutboxScenario.image("old", color: "stale"), of: scenario.folder, version: .integer(1))
        scenario.queue.repeatReading(
            scenario.folder, at: scenario.now, using: &scenario.random)
        #expect(scenario.entries(scenario.folder).first?.state == .reading)
        #expect(scenario.edits(scenario.folder)?.local?["color"] == .text("red"))
        #expect(scenario.ready().isEmpty)
        scenario.wait(60)
        #expect(scenario.ready() == [scenario.folder])
        for _ in 0..<5 {
            scenario.queue.take(
                OutboxScenario.image("old"), of: scenario.folder, version: .integer(1))
            scenario.queue.repeatReading(
                scenario.folder, at: scenario.now, using: &scenario.random)
        }
        #expect(scenario.entries(scenario.folder).first?.state == .conflicted)
        #expect(scenario.edits(scenario.folder)?.values(at: 0) == ["name": .text("mine")])
    }

    @Test func lateCommandIsNotSent() throws {
        let scenario = try OutboxScenario()
        scenario.addFolder()
        let command = OutboxCommand(method: "POST", path: "run", remedy: .atMostOnce)
        let sequence = scenario.queue.enqueue(
            command, of: scenario.folder, expires: scenario.now.addingTimeInterval(1),
            by: scenario.user)
        #expect(scenario.ready() == [scenario.folder])
        scenario.wait(1)
        #expect(scenario.ready().isEmpty)
        #expect(scenario.queue.expire(at: scenario.now).map(\.sequence) == [sequence])
    }

    @Test("failed send and no further save → retried by itself")
    func failedSendIsRetried() throws {
        let scenario = try OutboxScenario()
        scenario.addFolder()
        scenario.rename("new")
        #expect(scenario.send(scenario.folder) != nil)
        scenario.answer(.lost, scenario.folder)
        #expect(scenario.ready().isEmpty)
        scenario.wait(301)
        #expect(scenario.ready() == [scenario.folder])
    }

    @Test("A, B, A.b = B → no request names an unknown object, cycles too")
    func circleIsSplit() throws {
        let scenario = try OutboxScenario()
        var image = OutboxScenario.image("new")
        image["cover"] = .integer(2)
        scenario.queue.insert(scenario.folder, image, by: scenario.user)
        scenario.queue.insert(
            scenario.note, ["text": .text("x"), "folder": .integer(1)], by: scenario.user)
        #expect(scenario.ready() == [scenario.folder])
        #expect(scenario.exchange(201, scenario.folder, identity: 50))
        #expect(scenario.ready() == [scenario.note])
        #expect(scenario.exchange(201, scenario.note, identity: 60))
        #expect(scenario.exchange(200, scenario.folder))
        let bodies = scenario.requests.map { String(decoding: $0.body, as: UTF8.self) }
        #expect(bodies[0].contains("cover=null"))
        #expect(bodies[1].contains("folder=integer(50)"))
        #expect(bodies[2] == "cover=integer(60)")
        #expect(scenario.queue.entryCount == 0)
    }

    @Test("deletions of children go before those of parents")
    func childIsDeletedFirst() throws {
        let scenario = try OutboxScenario()
        scenario.addFolder()
        let child: ObjectImage = ["text": .text("x"), "folder": .integer(1)]
        scenario.queue.add(scenario.note, child, identity: .integer(200), version: .integer(1))
        scenario.queue.delete(scenario.folder, by: scenario.user)
        scenario.queue.delete(scenario.note, by: scenario.user)
        #expect(scenario.ready() == [scenario.note])
        #expect(scenario.exchange(204, scenario.note))
        #expect(scenario.exchange(204, scenario.folder))
        #expect(scenario.queue.objects.isEmpty)
    }

    @Test("an own write is not taken for a conflict")
    func importLeavesAttemptAlone() throws {
        let scenario = try OutboxScenario(policy: .storeWins)
        scenario.addFolder()
        scenario.rename("mine")
        #expect(scenario.send(scenario.folder) != nil)
        scenario.queue.take(
            OutboxScenario.image("MINE", color: "blue"), of: scenario.folder,
            version: .integer(9))
        let edits = try #require(scenario.edits(scenario.folder))
        #expect(edits.local?["name"] == .text("mine"))
        #expect(edits.local?["color"] == .text("blue"))
        // An image that is taken in part does not change the version.
        #expect(edits.version == .integer(1))
        #expect(edits.needsReading)
    }

    @Test func requiredCircleIsRefused() {
        let error = #expect(throws: SentModel.CircleOfReferences.self) {
            try SentModel([
                SentEntity(
                    "a", properties: [],
                    references: ["b": .init(destination: "b", isRequired: true)]),
                SentEntity(
                    "b", properties: [],
                    references: ["a": .init(destination: "a", isRequired: true)]),
            ])
        }
        #expect(error?.entities == ["a", "b"])
    }

    @Test func delayOfServerIsObeyed() throws {
        let scenario = try OutboxScenario()
        scenario.addFolder()
        scenario.rename("new")
        #expect(scenario.send(scenario.folder) != nil)
        scenario.answer(
            .response(.init(status: 429, imposedDelay: .seconds(1000))), scenario.folder)
        scenario.wait(999)
        #expect(scenario.ready().isEmpty)
        scenario.wait(3)
        #expect(scenario.ready() == [scenario.folder])
    }

    @Test func clockSetBackDelaysNothingForever() throws {
        let scenario = try OutboxScenario()
        scenario.addFolder()
        scenario.rename("new")
        #expect(scenario.exchange(429, scenario.folder))
        scenario.wait(-1e9)
        scenario.queue.restart(at: scenario.now, using: &scenario.random)
        scenario.wait(24 * 3600 + 1)
        #expect(scenario.ready() == [scenario.folder])
    }

    @Test func clockSetBackDelaysNoDeletionForever() throws {
        let scenario = try OutboxScenario(.clientIdentity)
        scenario.queue.insert(scenario.folder, OutboxScenario.image("new"), by: scenario.user)
        #expect(scenario.send(scenario.folder) != nil)
        scenario.answer(.lost, scenario.folder)
        scenario.wait(10)
        #expect(scenario.send(scenario.folder) != nil)
        scenario.answer(201, scenario.folder, identity: 5)
        scenario.queue.delete(scenario.folder, by: scenario.user)
        scenario.wait(-1e9)
        scenario.queue.restart(at: scenario.now, using: &scenario.random)
        // The first request may still create the object anew.
        #expect(scenario.ready().isEmpty)
        scenario.wait(24 * 3600 + 1)
        #expect(scenario.ready() == [scenario.folder])
    }
}

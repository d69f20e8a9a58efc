// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestOffline
import RestTesting
import Synchronization
import TestSupport
import Testing

/// Edits that users of other libraries lose, against a server and a file.
@MainActor @Suite struct LostEditTests {
    @Test func editIsSentAndAccepted() async throws {
        let fixture = try await OfflineFixture()
        let note = try await fixture.load(1, ["title": .string("A"), "text": .string("x")])
        note.title = "B"
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: note) == .accepted)
        #expect(fixture.server.value("notes", 1, "title") == .string("B"))
        let patch = fixture.requests("PATCH")
        #expect(patch == [#"PATCH notes/1 {"title":"B","revision":1}"#])
        fixture.context.refreshAllObjects()
        #expect(note.revision == 2)
        #expect(try await fixture.outbox.state(of: note) == .synced)
        #expect(try fixture.rows("SELECT * FROM restkit_edit") == [])
    }

    @Test func newObjectGetsIdentityOfServer() async throws {
        let fixture = try await OfflineFixture()
        let note = try Note.insert(into: fixture.context, title: "A")
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: note) == .accepted)
        fixture.context.refreshAllObjects()
        #expect(note.id == 101)
        #expect(fixture.server.resources("notes").count == 1)
    }

    @Test func deletionIsSent() async throws {
        let (fixture, note) = try await OfflineFixture.withNote()
        fixture.context.delete(note)
        try fixture.save()
        try await fixture.outbox.drain()
        #expect(fixture.server.resources("notes").isEmpty)
        #expect(try fixture.entries() == [])
    }

    @Test("network lost between save and send → the first edit is sent")
    func networkIsLostBetweenSaveAndSend() async throws {
        let (fixture, note) = try await OfflineFixture.withNote()
        fixture.server.fail("PATCH", .unreachable)
        note.title = "First"
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: note) == .accepted)
        #expect(fixture.server.value("notes", 1, "title") == .string("First"))
    }

    @Test("E1 in flight, E2 on the same property → both sides end with E2")
    func editDuringRequestEndsOnBothSides() async throws {
        let (fixture, note) = try await OfflineFixture.withNote()
        let gate = Gate()
        let count = Mutex(0)
        fixture.server.hold { request in
            guard request.method == .patch,
                count.withLock({
                    $0 += 1; return $0
                }) == 1
            else { return }
            await gate.pass()
        }
        note.title = "E1"
        try fixture.save()
        await gate.arrivals()
        note.title = "E2"
        try fixture.save()
        #expect(try await fixture.outbox.state(of: note) == .sending)
        gate.open()
        #expect(try await fixture.outbox.outcome(of: note) == .accepted)
        #expect(fixture.server.value("notes", 1, "title") == .string("E2"))
        fixture.context.refreshAllObjects()
        #expect(note.title == "E2")
    }

    @Test("403 → refused, visible, kept")
    func forbiddenEditIsRefusedVisibleAndKept() async throws {
        let (fixture, note) = try await OfflineFixture.withNote()
        fixture.server.fail("PATCH", .status(403, body: #"{"title":"no"}"#))
        note.title = "B"
        try fixture.save()
        let outcome = try await fixture.outbox.outcome(of: note)
        guard case .refused(let problem) = outcome else {
            return #expect(Bool(false), "\(outcome)")
        }
        #expect(problem.status == 403)
        #expect(String(decoding: problem.body, as: UTF8.self) == #"{"title":"no"}"#)
        #expect(note.title == "B")
        #expect(try await fixture.outbox.summary().refusedCount == 1)
        try await fixture.restart()
        #expect(try fixture.entries() == ["Note|update|refused"])
        // Saving is fixing.
        let again = try #require(try fixture.context.first(Note.self, where: { $0.id == 1 }))
        again.title = "C"
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: again) == .accepted)
        #expect(fixture.server.value("notes", 1, "title") == .string("C"))
    }

    @Test("401 → paused, no attempt counted")
    func unauthorizedPausesWithoutCountingAttempt() async throws {
        let (fixture, note) = try await OfflineFixture.withNote()
        fixture.server.fail("PATCH", .status(401))
        note.title = "B"
        try fixture.save()
        try await fixture.outbox.drain()
        #expect(try fixture.rows("SELECT state, failures FROM restkit_entry") == ["waiting|0"])
        #expect(try await fixture.outbox.explain(note)?.contains("credentials") == true)
        fixture.outbox.resume()
        #expect(try await fixture.outbox.outcome(of: note) == .accepted)
    }

    @Test("429, 503, DNS → stays")
    func transientAnswersKeepTheEdit() async throws {
        let (fixture, note) = try await OfflineFixture.withNote()
        fixture.server.fail("PATCH", .status(429))
        fixture.server.fail("PATCH", .status(503))
        fixture.server.fail("PATCH", .unreachable)
        note.title = "B"
        try fixture.save()
        // Retried by itself, without another save.
        #expect(try await fixture.outbox.outcome(of: note) == .accepted)
        #expect(fixture.server.value("notes", 1, "title") == .string("B"))
        #expect(try fixture.entries() == [])
    }

    @Test("delete and re-insert of one identity → exists on the server")
    func deletedAndInsertedIdentityExistsOnServer() async throws {
        let fixture = try await OfflineFixture()
        fixture.outbox.pause()
        let note = try await fixture.load(7, ["title": .string("A"), "text": .string("x")])
        fixture.context.delete(note)
        try fixture.save()
        let again = try Note.insert(
            into: fixture.context, id: 7, title: "B", text: "x", revision: 1)
        try fixture.save()
        fixture.outbox.resume()
        #expect(try await fixture.outbox.outcome(of: again) == .accepted)
        #expect(fixture.server.value("notes", 7, "title") == .string("B"))
    }

    @Test("POST answer lost, no keys → no second object")
    func lostAnswerWithoutKeyMakesNoSecondObject() async throws {
        let fixture = try await OfflineFixture(creation: .atMostOnce)
        fixture.server.fail("POST", .lostAnswer)
        let note = try Note.insert(into: fixture.context, title: "A")
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: note) == .uncertain)
        try await fixture.outbox.drain()
        #expect(fixture.server.resources("notes").count == 1)
        #expect(fixture.requests("POST").count == 1)
    }

    @Test func lostAnswerWithKeyIsSentAgain() async throws {
        let fixture = try await OfflineFixture()
        fixture.server.fail("POST", .lostAnswer)
        let note = try Note.insert(into: fixture.context, title: "A")
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: note) == .accepted)
        #expect(fixture.server.resources("notes").count == 1)
        let posts = fixture.requests("POST")
        #expect(posts.count == 2)
        #expect(Set(posts).count == 1)
    }

    @Test func clientIdentityIsPutOnce() async throws {
        let fixture = try await OfflineFixture()
        fixture.server.fail("PUT", .lostAnswer)
        let photo = try Photo.insert(into: fixture.context, id: 42, name: "P")
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: photo) == .accepted)
        #expect(fixture.server.resources("photos").count == 1)
        #expect(
            fixture.server.requests.allSatisfy {
                $0.hasPrefix("PUT photos/42") || $0.hasPrefix("GET")
            })
    }

    @Test("kill after a creation's answer → later edits carry the server's identity")
    func killAfterAnswerLetsLaterEditsCarryIdentity() async throws {
        let fixture = try await OfflineFixture()
        let note = try Note.insert(into: fixture.context, title: "A")
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: note) == .accepted)
        try await fixture.restart()
        let again = try #require(try fixture.context.first(Note.self, where: { $0.title == "A" }))
        again.title = "B"
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: again) == .accepted)
        #expect(fixture.server.requests.last == #"PATCH notes/101 {"title":"B","revision":1}"#)
    }

    @Test("one refused → unrelated go on")
    func oneRefusedLetsUnrelatedGoOn() async throws {
        let fixture = try await OfflineFixture()
        let first = try await fixture.load(1, ["title": .string("A")])
        let second = try await fixture.load(2, ["title": .string("B")])
        fixture.server.fail("PATCH", .status(422))
        first.title = "X"
        try fixture.save()
        _ = try await fixture.outbox.outcome(of: first)
        second.title = "Y"
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: second) == .accepted)
        #expect(try fixture.entries() == ["Note|update|refused"])
    }

    @Test func conflictsWithTheVersionAreMergedAndBounded() async throws {
        let fixture = try await OfflineFixture()
        let note = try await fixture.load(1, ["title": .string("A"), "text": .string("x")])
        fixture.server.change("notes", 1, ["text": .string("theirs")])
        note.title = "Mine"
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: note) == .accepted)
        #expect(fixture.server.value("notes", 1, "title") == .string("Mine"))
        #expect(fixture.server.value("notes", 1, "text") == .string("theirs"))
        fixture.context.refreshAllObjects()
        #expect(note.text == "theirs")
        // Another client is faster each time.
        fixture.server.hold { [server = fixture.server] request in
            if request.method == .patch { server.change("notes", 1, ["text": "again"]) }
        }
        note.title = "Again"
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: note) == .conflicted)
        let count = fixture.requests("PATCH").count
        #expect(count == 2 + OutboxConfiguration().conflictLimit + 1)
    }

    @Test func noRequestNamesUnknownObject() async throws {
        let fixture = try await OfflineFixture()
        let note = try Note.insert(into: fixture.context, title: "B")
        let folder = try Folder.insert(into: fixture.context, name: "A")
        note.folder = folder
        try fixture.save()
        try await fixture.outbox.drain()
        let created = try #require(fixture.server.resources("notes").first)
        #expect(
            created.value["folder"]?.root["id"]?.numberText
                == fixture.server.resources("folders").first?.key)
        #expect(!fixture.server.requests.contains { $0.contains("null,\"id\"") })
        #expect(try fixture.entries() == [])
    }

    @Test("reconnect, lists reload before the drain → no old value shows")
    func reloadBeforeDrainShowsNoOldValue() async throws {
        let (fixture, note) = try await OfflineFixture.withNote()
        fixture.outbox.pause()
        note.title = "Mine"
        try fixture.save()
        _ = try await fixture.api.getObjects(Note.self, at: "notes", in: fixture.context)
        #expect(note.title == "Mine")
        #expect(try fixture.rows("SELECT title FROM Note") == ["Mine"])
    }

    @Test func responseDuringRequestLeavesItsPropertiesAlone() async throws {
        let fixture = try await OfflineFixture()
        let note = try await fixture.load(1, ["title": .string("A"), "text": .string("x")])
        let gate = fixture.gate(before: .patch)
        note.title = "Mine"
        try fixture.save()
        await gate.arrivals()
        fixture.server.change("notes", 1, ["text": .string("y")])
        _ = try await fixture.api.getObjects(Note.self, at: "notes", in: fixture.context)
        #expect(try fixture.rows("SELECT title, text FROM Note") == ["Mine|y"])
        gate.open()
        #expect(try await fixture.outbox.outcome(of: note) == .accepted)
        try await fixture.outbox.drain()
        #expect(try fixture.rows("SELECT title, text FROM Note") == ["Mine|y"])
        #expect(fixture.server.value("notes", 1, "title") == .string("Mine"))
    }

    @Test("another user → nothing of the first is sent")
    func nothingOfFirstUserIsSentAsAnother() async throws {
        let fixture = try await OfflineFixture(principal: Principal("a"))
        let note = try await fixture.load(1, ["title": .string("A")])
        fixture.outbox.pause()
        note.title = "B"
        try fixture.save()
        try await fixture.restart(principal: Principal("b"))
        let summary = try await fixture.outbox.drain()
        #expect(summary.unsentCount == 1)
        #expect(fixture.requests("PATCH").isEmpty)
        try await fixture.restart(principal: Principal("a"))
        try await fixture.outbox.drain()
        #expect(fixture.server.value("notes", 1, "title") == .string("B"))
    }

    @Test("both delete → no conflict")
    func bothDeleteIsNoConflict() async throws {
        let (fixture, note) = try await OfflineFixture.withNote()
        fixture.server.remove("notes", 1)
        fixture.context.delete(note)
        try fixture.save()
        let summary = try await fixture.outbox.drain()
        #expect(summary.unsentCount == 0)
        #expect(try fixture.entries() == [])
    }

    @Test("rejected child of an accepted parent → correctable")
    func rejectedChildOfAcceptedParentIsCorrectable() async throws {
        let fixture = try await OfflineFixture()
        fixture.outbox.pause()
        let folder = try Folder.insert(into: fixture.context, name: "F")
        try fixture.save()
        fixture.outbox.resume()
        #expect(try await fixture.outbox.outcome(of: folder) == .accepted)
        fixture.server.fail("POST", .status(422))
        let note = try Note.insert(into: fixture.context, title: "bad")
        note.folder = folder
        try fixture.save()
        _ = try await fixture.problem(of: note)
        note.title = "good"
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: note) == .accepted)
        #expect(
            fixture.server.resources("notes").values.map { $0["title"] } == [.string("good")])
    }

    @Test("list of entries, cancel one → only that one")
    func cancellingOneEntryLeavesOthers() async throws {
        let fixture = try await OfflineFixture()
        let first = try await fixture.load(1, ["title": .string("A")])
        let second = try await fixture.load(2, ["title": .string("B")])
        fixture.outbox.pause()
        first.title = "X"
        second.title = "Y"
        try fixture.save()
        let entry = try #require(try await fixture.outbox.entries(of: first).first)
        #expect(entry.kind == .update)
        try await fixture.outbox.discard(entry.id)
        fixture.context.refreshAllObjects()
        #expect(first.title == "A")
        #expect(second.title == "Y")
        fixture.outbox.resume()
        try await fixture.outbox.drain()
        #expect(fixture.server.value("notes", 1, "title") == .string("A"))
        #expect(fixture.server.value("notes", 2, "title") == .string("Y"))
    }

    @Test func discardedDeletionIsThereAgain() async throws {
        let fixture = try await OfflineFixture()
        let note = try await fixture.load(1, ["title": .string("A"), "text": .string("x")])
        fixture.outbox.pause()
        fixture.context.delete(note)
        try fixture.save()
        let entry = try await fixture.entry
        try await fixture.outbox.discard(entry.id)
        #expect(try fixture.rows("SELECT id, title, text, revision FROM Note") == ["1|A|x|1"])
        #expect(try fixture.entries() == [])
    }

    @Test func discardedCreationIsRemoved() async throws {
        let fixture = try await OfflineFixture()
        fixture.outbox.pause()
        let note = try Note.insert(into: fixture.context, title: "A")
        try fixture.save()
        let entry = try #require(try await fixture.outbox.entries(of: note).first)
        try await fixture.outbox.discard(entry.id)
        #expect(try fixture.rows("SELECT * FROM Note") == [])
        #expect(try fixture.entries() == [])
    }

    @Test func commandFollowsEditsSavedBeforeIt() async throws {
        let (fixture, note) = try await OfflineFixture.withNote()
        fixture.outbox.pause()
        note.title = "B"
        try fixture.save()
        try await fixture.outbox.enqueue(.post("notes/:id/publish"), for: note)
        note.title = "C"
        try fixture.save()
        #expect(
            try fixture.entries().map { $0.split(separator: "|")[1] } == [
                "update", "command", "update",
            ])
        fixture.outbox.resume()
        try await fixture.outbox.drain()
        let writes = fixture.server.requests.filter { !$0.hasPrefix("GET") }
        #expect(writes.map { String($0.prefix { $0 != " " }) } == ["PATCH", "POST", "PATCH"])
        #expect(fixture.server.value("notes", 1, "title") == .string("C"))
        #expect(fixture.server.resources("notes")["1"]?.commands == ["publish"])
    }

    @Test("A, B, A.b = B → no request names an unknown object, cycles too")
    func circleOfNewObjectsIsSentInParts() async throws {
        let fixture = try await OfflineFixture()
        let (first, second) = (
            try Person.insert(into: fixture.context, name: "A"),
            try Person.insert(into: fixture.context, name: "B")
        )
        (first.friend, second.friend) = (second, first)
        try fixture.save()
        try await fixture.outbox.drain()
        let people = fixture.server.resources("people")
        #expect(people.count == 2)
        let ids = Dictionary(people.map { ($0.value["name"], $0.key) }) { $1 }
        let (a, b) = (try #require(ids[.string("A")]), try #require(ids[.string("B")]))
        #expect(people[a]?["friend"]?.root["id"]?.int64 == Int64(b))
        #expect(people[b]?["friend"]?.root["id"]?.int64 == Int64(a))
        #expect(fixture.requests("POST").count == 2)
        #expect(try fixture.entries() == [])
    }

    @Test func listDuringCreationEndsAsOneRow() async throws {
        let fixture = try await OfflineFixture()
        let gate = fixture.gate(after: .post)
        let note = try Note.insert(into: fixture.context, title: "A")
        try fixture.save()
        await gate.arrivals()
        _ = try await fixture.api.getObjects(Note.self, at: "notes", in: fixture.context)
        gate.open()
        #expect(try await fixture.outbox.outcome(of: note) == .accepted)
        #expect(try fixture.rows("SELECT id, title FROM Note") == ["101|A"])
        #expect(try fixture.rows("SELECT * FROM restkit_edit") == [])
    }

    @Test("stale GET after an acknowledged PATCH → value stays")
    func staleResponseDoesNotRevertAcceptedEdit() async throws {
        let (fixture, note) = try await OfflineFixture.withNote()
        let gate = fixture.gate(after: .get)
        async let list = fixture.api.getObjects(Note.self, at: "notes", into: fixture.store)
        await gate.arrivals()
        note.title = "B"
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: note) == .accepted)
        gate.open()
        _ = try await list
        #expect(try fixture.rows("SELECT title, revision FROM Note") == ["B|2"])
    }

    @Test(arguments: [true, false])
    func deletionDuringCreationIsSentAfterIt(answersWithResources: Bool) async throws {
        let fixture = try await OfflineFixture()
        fixture.server.behavior.answersWithResources = answersWithResources
        let gate = fixture.gate(after: .post)
        let note = try Note.insert(into: fixture.context, title: "A")
        try fixture.save()
        await gate.arrivals()
        fixture.context.delete(note)
        try fixture.save()
        gate.open()
        try await fixture.outbox.drain()
        #expect(fixture.server.resources("notes").isEmpty)
        #expect(fixture.server.requests.last?.hasPrefix("DELETE notes/101") == true)
        #expect(try fixture.entries() == [])
        #expect(try fixture.rows("SELECT * FROM Note") == [])
    }

    @Test func refusedEntryIsSentAgainByRetry() async throws {
        let (fixture, note) = try await OfflineFixture.withNote()
        fixture.server.fail("PATCH", .status(403))
        note.title = "B"
        try fixture.save()
        _ = try await fixture.outbox.outcome(of: note)
        let entry = try #require(try await fixture.outbox.entries(of: note).first)
        #expect(try await fixture.outbox.explain(note)?.contains("refused with status 403") == true)
        try await fixture.outbox.retry(entry.id)
        #expect(try await fixture.outbox.outcome(of: note) == .accepted)
        await #expect(throws: OutboxError.self) { try await fixture.outbox.retry(entry.id) }
    }

    @Test func twoOutboxesOfOneFileSendOnce() async throws {
        let fixture = try await OfflineFixture()
        let store = try await OfflineFixture.open(fixture.directory)
        let api = try OfflineFixture.manager(fixture.server, nil)
        var configuration = OfflineFixture.quick
        configuration.leaseDuration = .milliseconds(50)
        let other = try await OfflineFixture.outbox(
            store, api, configuration, .idempotencyKey(lifetime: .seconds(3600)))
        for number in 0..<10 {
            _ = try Note.insert(into: fixture.context, title: "a\(number)")
            try fixture.save()
            try await store.perform { context in
                _ = try Note.insert(into: context, title: "b\(number)")
                try context.save()
            }
        }
        while try await fixture.outbox.summary().unsentCount > 0 {
            try await fixture.outbox.drain()
            try await other.drain()
        }
        let titles = fixture.server.resources("notes").values.map { $0["title"] }
        #expect(titles.count == 20)
        #expect(Set(titles).count == 20)
        // A request may be sent again with its key, if the other outbox takes the file over meanwhile.
        #expect(fixture.server.effects.count == 20)
        await other.close()
        try store.close()
    }

    @Test func expiredCommandIsNotSent() async throws {
        let (fixture, note) = try await OfflineFixture.withNote()
        fixture.outbox.pause()
        try await fixture.outbox.enqueue(
            .post("notes/:id/publish"), for: note, expires: .milliseconds(1))
        try await Task.sleep(for: .milliseconds(5))
        fixture.outbox.resume()
        #expect(try await fixture.outbox.outcome(of: note) == .expired)
        #expect(fixture.requests("POST").isEmpty)
    }

    @Test func editOfUndeclaredPropertyIsQuarantined() async throws {
        let fixture = try await OfflineFixture()
        let note = try await fixture.load(1, ["title": .string("A"), "text": .string("x")])
        fixture.outbox.pause()
        note.title = "B"
        note.text = "y"
        try fixture.save()
        await fixture.outbox.close()
        let mapping = RequestMapping(for: Note.self) { attribute(\.title, to: "title") }
        try fixture.api.add(RequestDescriptor(mapping))
        let outbox = try await Outbox(
            store: fixture.store, manager: fixture.api, configuration: OfflineFixture.quick
        ) {
            Sends(Note.self)
        }
        let summary = try await outbox.drain()
        #expect(summary.quarantinedCount == 1)
        #expect(summary.unsentCount == 1)
        #expect(fixture.server.value("notes", 1, "title") == .string("B"))
        #expect(fixture.server.value("notes", 1, "text") == .string("x"))
        #expect(try await outbox.entries().map(\.values) == [#"{"text":"y"}"#])
        await outbox.close()
    }

    @Test func patchGoesThroughTheOutbox() async throws {
        let (fixture, note) = try await OfflineFixture.withNote()
        note.title = "B"
        try await fixture.api.patch(note)
        #expect(fixture.server.value("notes", 1, "title") == .string("B"))
        #expect(try fixture.entries() == [])
        fixture.server.fail("PATCH", .status(422))
        note.title = "C"
        let error = await #expect(throws: OutboxError.self) { try await fixture.api.patch(note) }
        #expect(error?.problem?.status == 422)
        #expect(try fixture.entries() == ["Note|update|refused"])
    }

    @Test func tablesHaveNoCredentials() async throws {
        let (fixture, note) = try await OfflineFixture.withNote()
        let gate = fixture.gate(before: .patch)
        note.title = "B"
        try fixture.save()
        await gate.arrivals()
        let attempts = try fixture.rows(
            "SELECT fields, url, CAST(body AS TEXT) FROM restkit_attempt")
        #expect(attempts.count == 1)
        #expect(!attempts[0].contains("secret-token"))
        gate.open()
        _ = try await fixture.outbox.outcome(of: note)
        #expect(fixture.server.credentials == ["secret-token"])
    }

    @Test("an undecodable row → quarantined, others go on")
    func undecodableEntryIsQuarantined() async throws {
        let fixture = try await OfflineFixture()
        let first = try await fixture.load(1, ["title": .string("A")])
        let second = try await fixture.load(2, ["title": .string("B")])
        fixture.outbox.pause()
        first.title = "X"
        second.title = "Y"
        try fixture.save()
        try fixture.execute("UPDATE restkit_entry SET state = 'nonsense' WHERE sequence = 1")
        try await fixture.restart()
        let summary = try await fixture.outbox.drain()
        #expect(summary.quarantinedCount == 1)
        #expect(summary.unsentCount == 1)
        #expect(fixture.server.value("notes", 2, "title") == .string("Y"))
        #expect(fixture.server.value("notes", 1, "title") == .string("A"))
    }
}

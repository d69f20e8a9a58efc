// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import RestKit
import RestOffline
import RestTesting
import Testing

/// Creations whose answers are lost, and answers whose meanings are declared.
@MainActor @Suite struct AmbiguityTests {
    private nonisolated static let duplicate = ResponsePattern(
        409, where: ResponseCondition(at: "error", .isOne(of: ["exists"])))

    private nonisolated static func adopting(_ sends: Sends<Draft>) -> Sends<Draft> {
        sends.answer(duplicate, to: [.creation], means: .exists(identityAt: "id"))
    }

    // MARK: Already exists

    @Test func existingObjectIsAdoptedAndDifferencesAreSent() async throws {
        let fixture = try await OfflineFixture.drafts { Self.adopting($0) }
        fixture.server.behavior.uniqueMembers = ["drafts": "title"]
        fixture.server.put("drafts", 7, ["title": "Same", "reference": "theirs"])
        let draft = try Draft.insert(into: fixture.context, reference: "mine", title: "Same")
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: draft) == .accepted)
        fixture.context.refreshAllObjects()
        #expect(draft.id == 7)
        #expect(fixture.server.resources("drafts").count == 1)
        #expect(fixture.server.value("drafts", 7, "reference") == "mine")
        #expect(
            fixture.conditions("POST", "GET", "PATCH")
                == ["POST drafts", "GET drafts/7", "PATCH drafts/7"])
        #expect(fixture.bodies.last == #"{"reference":"mine"}"#)
    }

    @Test func rowOfExistingObjectBecomesTheNewOne() async throws {
        let fixture = try await OfflineFixture.drafts { Self.adopting($0) }
        fixture.server.behavior.uniqueMembers = ["drafts": "title"]
        _ = try await fixture.loadDraft(7, "Same")
        let draft = try Draft.insert(into: fixture.context, reference: "mine", title: "Same")
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: draft) == .accepted)
        #expect(try fixture.count(Draft.self) == 1)
        let only = try #require(try fixture.context.fetch(Draft.self).first)
        #expect(only.id == 7)
        // The edits are those of the new row.
        #expect(only.reference == "mine")
        #expect(fixture.server.value("drafts", 7, "reference") == "mine")
    }

    @Test func deletedNewObjectLeavesTheExistingOne() async throws {
        let fixture = try await OfflineFixture.drafts { Self.adopting($0) }
        fixture.server.behavior.uniqueMembers = ["drafts": "title"]
        fixture.server.put("drafts", 7, ["title": "Same"])
        fixture.outbox.pause()
        let draft = try Draft.insert(into: fixture.context, title: "Same")
        try fixture.save()
        // The request is on its way when the user deletes the row.
        fixture.server.fail("POST", .lostRequest)
        fixture.outbox.resume()
        #expect(try await fixture.outbox.outcome(of: draft) == .uncertain)
        fixture.context.delete(draft)
        try fixture.save()
        for entry in try await fixture.outbox.entries() where entry.kind == .creation {
            try await fixture.outbox.retry(entry.id)
        }
        for try await summary in fixture.outbox.summaries where summary.unsentCount == 0 { break }
        #expect(fixture.server.value("drafts", 7, "title") == "Same")
        #expect(fixture.conditions("DELETE") == [])
    }

    @Test func undeclaredConflictIsRefused() async throws {
        let fixture = try await OfflineFixture.drafts { $0 }
        fixture.server.behavior.uniqueMembers = ["drafts": "title"]
        fixture.server.put("drafts", 7, ["title": "Same"])
        let draft = try Draft.insert(into: fixture.context, title: "Same")
        try fixture.save()
        let problem = try await fixture.problem(of: draft)
        #expect(problem.status == 409)
    }

    // MARK: Declared answers

    @Test func successWithErrorInBodyIsRefused() async throws {
        let fixture = try await OfflineFixture.drafts {
            $0.answer(
                ResponsePattern(200, where: ResponseCondition(at: "error", .exists)),
                means: .refused)
        }
        let draft = try await fixture.loadDraft(1, "A")
        fixture.server.fail("PATCH", .status(200, body: #"{"error":"no","title":"X"}"#))
        draft.title = "B"
        try fixture.save()
        let problem = try await fixture.problem(of: draft)
        #expect(problem.status == 200)
        #expect(String(decoding: problem.body, as: UTF8.self) == #"{"error":"no","title":"X"}"#)
        fixture.context.refreshAllObjects()
        #expect(draft.title == "B")
    }

    @Test func bodyOfDeclaredRefusalIsBounded() async throws {
        let fixture = try await OfflineFixture.drafts {
            $0.answer(
                ResponsePattern(200, where: ResponseCondition(at: "error", .exists)),
                means: .refused)
        }
        let draft = try await fixture.loadDraft(1, "A")
        let text = String(repeating: "x", count: 1_000_000)
        fixture.server.fail("PATCH", .status(200, body: #"{"error":"\#(text)"}"#))
        draft.title = "B"
        try fixture.save()
        let problem = try await fixture.problem(of: draft)
        #expect((1...16 * 1024).contains(problem.body.count))
    }

    @Test func keyInProgressIsSentAgainUnchanged() async throws {
        let fixture = try await OfflineFixture.drafts {
            $0.creation(.idempotencyKey(lifetime: .seconds(3600)))
                .answer(ResponsePattern(409), to: [.creation], means: .keyInProgress)
        }
        fixture.server.fail("POST", .status(409, body: "{}"))
        let draft = try Draft.insert(into: fixture.context, title: "A")
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: draft) == .accepted)
        #expect(fixture.bodies.count == 2)
        #expect(Set(fixture.bodies).count == 1)
    }

    // MARK: Keys in bodies

    @Test func keyInBodyMakesOneObject() async throws {
        let fixture = try await OfflineFixture.drafts {
            $0.creation(.idempotencyKey(member: "token", lifetime: .seconds(3600)))
        }
        fixture.server.fail("POST", .lostAnswer)
        let draft = try Draft.insert(into: fixture.context, title: "A")
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: draft) == .accepted)
        #expect(fixture.server.resources("drafts").count == 1)
        #expect(fixture.bodies.count == 2)
        #expect(Set(fixture.bodies).count == 1)
        #expect(fixture.bodies.first?.hasPrefix(#"{"token":""#) == true)
    }

    @Test(arguments: [nil, ["amount": 3]] as [Document?])
    func keyInBodyMakesOneCommand(_ parameters: Document?) async throws {
        let fixture = try await OfflineFixture.drafts { $0 }
        let draft = try await fixture.loadDraft(1, "A")
        fixture.server.fail("POST", .lostAnswer)
        let request = OutboxRequest.post("drafts/:id/pay", parameters: parameters)
            .idempotencyKey(member: "token", lifetime: .seconds(3600))
        try await fixture.outbox.enqueue(request, for: draft)
        #expect(try await fixture.outbox.outcome(of: draft) == .accepted)
        #expect(fixture.server.resources("drafts")["1"]?.commands == ["pay"])
        #expect(fixture.bodies.count == 2)
        #expect(Set(fixture.bodies).count == 1)
        #expect(fixture.bodies.first?.hasPrefix(#"{"token":""#) == true)
        #expect(fixture.bodies.first?.contains(#""amount":3"#) == (parameters != nil))
    }

    @Test func keyInNamedFieldIsSentWithCommand() async throws {
        let fixture = try await OfflineFixture.drafts(OfflineFixture.paused) { $0 }
        let draft = try await fixture.loadDraft(1, "A")
        let request = OutboxRequest.post("drafts/:id/pay")
            .idempotencyKey(field: "Request-Key", lifetime: .seconds(3600), isQuoted: false)
        try await fixture.outbox.enqueue(request, for: draft)
        // The declaration is stored with the entry.
        fixture.server.fail("POST", .lostAnswer)
        try await fixture.restart()
        try await fixture.send()
        let name = try #require(HTTPField.Name("Request-Key"))
        let keys = fixture.server.received.filter { $0.method == .post }
            .compactMap { $0.headerFields[name] }
        #expect(keys.count == 2)
        #expect(Set(keys).count == 1)
        #expect(keys.first?.contains("\"") == false)
    }

    // MARK: Searches

    @Test func recognizedObjectIsAdopted() async throws {
        let fixture = try await OfflineFixture.drafts {
            $0.creation(.recognized(by: \Draft.reference, at: "drafts"))
        }
        fixture.server.fail("POST", .lostAnswer)
        let draft = try Draft.insert(into: fixture.context, reference: "R-1", title: "A")
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: draft) == .accepted)
        fixture.context.refreshAllObjects()
        #expect(draft.id == 101)
        #expect(fixture.server.resources("drafts").count == 1)
        #expect(
            fixture.conditions("POST", "GET")
                == ["POST drafts", "GET drafts?reference=R-1", "GET drafts/101"])
    }

    @Test func requestIsSentAgainOnlyAfterItsLife() async throws {
        var configuration = OfflineFixture.quick
        configuration.longestRequestLife = .milliseconds(200)
        let fixture = try await OfflineFixture.drafts(configuration) {
            $0.creation(.recognized(by: \Draft.reference, at: "drafts", probeCount: 2))
        }
        fixture.server.fail("POST", .lostRequest)
        let draft = try Draft.insert(into: fixture.context, reference: "R-1", title: "A")
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: draft) == .accepted)
        #expect(fixture.server.resources("drafts").count == 1)
        let requests = fixture.conditions("POST", "GET")
        #expect(requests.count { $0 == "POST drafts" } == 2)
        // At most two searches while the request may be executed, and one after.
        #expect((3...5).contains(requests.count))
        #expect(requests.first == "POST drafts" && requests.last == "POST drafts")
    }

    @Test func objectFoundLateIsNotMadeTwice() async throws {
        var configuration = OfflineFixture.quick
        configuration.longestRequestLife = .seconds(60)
        let fixture = try await OfflineFixture.drafts(configuration) {
            $0.creation(.recognized(by: \Draft.reference, at: "drafts", probeCount: 3))
        }
        fixture.server.fail("POST", .lostAnswer)
        // Negative searches alone are no proof.
        fixture.server.fail("GET", .status(200, body: "[]"))
        let draft = try Draft.insert(into: fixture.context, reference: "R-1", title: "A")
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: draft) == .accepted)
        #expect(fixture.server.resources("drafts").count == 1)
        #expect(fixture.conditions("POST").count == 1)
    }

    @Test func severalRecognizedObjectsLeaveCreationUncertain() async throws {
        let fixture = try await OfflineFixture.drafts {
            $0.creation(.recognized(by: \Draft.reference, at: "drafts"))
        }
        fixture.server.put("drafts", 1, ["title": "X", "reference": "R-1"])
        fixture.server.fail("POST", .lostAnswer)
        let draft = try Draft.insert(into: fixture.context, reference: "R-1", title: "A")
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: draft) == .uncertain)
        #expect(fixture.conditions("POST").count == 1)
    }

    @Test func attributeThatIsNotSentRecognizesNothing() async throws {
        await #expect(throws: OutboxError.self) {
            _ = try await OfflineFixture.drafts {
                $0.creation(.recognized(by: \Draft.etag, at: "drafts"))
            }
        }
    }

    // MARK: One object in two rows

    @Test func userUnitesUncertainCreationWithImportedRow() async throws {
        let fixture = try await OfflineFixture.drafts { $0 }
        fixture.server.fail("POST", .lostAnswer)
        let draft = try Draft.insert(into: fixture.context, title: "A")
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: draft) == .uncertain)
        // Another client has changed it, so that it is not recognized.
        fixture.server.put("drafts", 101, ["title": "B"])
        _ = try await fixture.api.getObjects(Draft.self, at: "drafts", in: fixture.context)
        #expect(try fixture.count(Draft.self) == 2)
        let imported = try #require(
            try fixture.context.first(Draft.self, where: { $0.id == 101 }))
        try await fixture.outbox.unite(draft, with: imported)
        for try await summary in fixture.outbox.summaries where summary.unsentCount == 0 { break }
        #expect(try fixture.count(Draft.self) == 1)
        #expect(try await fixture.outbox.entries().isEmpty)
        #expect(fixture.server.value("drafts", 101, "title") == "A")
    }

    @Test func listBringsUncertainObject() async throws {
        let fixture = try await OfflineFixture.drafts { $0 }
        fixture.server.fail("POST", .lostAnswer)
        let draft = try Draft.insert(into: fixture.context, title: "A")
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: draft) == .uncertain)
        _ = try await fixture.api.getObjects(Draft.self, at: "drafts", into: fixture.store)
        #expect(try await fixture.outbox.outcome(of: draft) == .accepted)
        #expect(try fixture.count(Draft.self) == 1)
        #expect(fixture.server.resources("drafts").count == 1)
        #expect(fixture.conditions("POST").count == 1)
    }

    @Test func twoEqualUncertainCreationsAdoptNothing() async throws {
        let fixture = try await OfflineFixture.drafts { $0 }
        for _ in 0..<2 {
            fixture.server.fail("POST", .lostAnswer)
            let draft = try Draft.insert(into: fixture.context, title: "A")
            try fixture.save()
            #expect(try await fixture.outbox.outcome(of: draft) == .uncertain)
        }
        _ = try await fixture.api.getObjects(Draft.self, at: "drafts", into: fixture.store)
        try await fixture.outbox.drain()
        #expect(try await fixture.outbox.summary().uncertainCount == 2)
    }

    @Test func onlyUncertainCreationIsUnited() async throws {
        let fixture = try await OfflineFixture.drafts { $0 }
        let draft = try await fixture.loadDraft(1, "A")
        let other = try await fixture.loadDraft(2, "B")
        await #expect(throws: OutboxError.self) {
            try await fixture.outbox.unite(draft, with: other)
        }
    }

    // MARK: Answers that cannot be recorded

    @Test func answerThatCannotBeWrittenIsRecordedLater() async throws {
        let fixture = try await OfflineFixture.drafts { $0 }
        // The file refuses answers, as a full disk does; the start of a send is written.
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        let file = try DatabaseQueue(path: fixture.store.url.path, configuration: configuration)
        try await file.write { database in
            try database.execute(
                sql: """
                    CREATE TRIGGER full BEFORE INSERT ON restkit_outcome \
                    BEGIN SELECT RAISE(ABORT, 'full'); END
                    """)
        }
        let draft = try Draft.insert(into: fixture.context, title: "A")
        try fixture.save()
        try await fixture.outbox.drain()
        #expect(fixture.server.resources("drafts").count == 1)
        #expect(
            try fixture.rows("SELECT state FROM restkit_entry") == [
                "sending"
            ])
        try await file.write { try $0.execute(sql: "DROP TRIGGER full") }
        #expect(try await fixture.outbox.outcome(of: draft) == .accepted)
        #expect(fixture.conditions("POST").count == 1)
    }
}

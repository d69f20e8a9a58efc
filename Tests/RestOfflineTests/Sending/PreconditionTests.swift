// SPDX-License-Identifier: Apache-2.0

import Foundation
import InMemoryLogging
import Logging
import RestKit
import RestOffline
import RestTesting
import TestSupport
import Testing

/// The conditions of updates and deletions, against a server that checks them.
@MainActor @Suite struct PreconditionTests {
    @Test func tagOfRepresentationIsSent() async throws {
        let fixture = try await OfflineFixture.drafts { $0.precondition(.ifMatch(from: \.etag)) }
        let draft = try await fixture.loadDraft(1, "A")
        draft.title = "B"
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: draft) == .accepted)
        #expect(fixture.conditions("PATCH") == [#"PATCH drafts/1 If-Match: "1""#])
        draft.title = "C"
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: draft) == .accepted)
        #expect(fixture.conditions("PATCH").last == #"PATCH drafts/1 If-Match: "2""#)
    }

    @Test func changedTagIsConflictAndMerged() async throws {
        let fixture = try await OfflineFixture.drafts { $0.precondition(.ifMatch(from: \.etag)) }
        let draft = try await fixture.loadDraft(1, "A")
        fixture.server.put(
            "drafts", 1, ["title": "A", "reference": "theirs"], version: 5)
        draft.title = "B"
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: draft) == .accepted)
        #expect(
            fixture.conditions("PATCH", "GET").suffix(3) == [
                #"PATCH drafts/1 If-Match: "1""#, "GET drafts/1",
                #"PATCH drafts/1 If-Match: "5""#,
            ])
        fixture.context.refreshAllObjects()
        #expect(draft.reference == "theirs")
        #expect(fixture.server.value("drafts", 1, "title") == "B")
    }

    @Test func objectWithoutTagIsReadFirst() async throws {
        let fixture = try await OfflineFixture.drafts { $0.precondition(.ifMatch) }
        let draft = try await fixture.loadDraft(1, "A")
        draft.title = "B"
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: draft) == .accepted)
        #expect(
            fixture.conditions("PATCH", "GET").suffix(2) == [
                "GET drafts/1", #"PATCH drafts/1 If-Match: "1""#,
            ])
        // The tag of the answer is kept.
        draft.title = "C"
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: draft) == .accepted)
        #expect(
            fixture.conditions("PATCH", "GET").suffix(2) == [
                #"PATCH drafts/1 If-Match: "1""#, #"PATCH drafts/1 If-Match: "2""#,
            ])
    }

    @Test func tagOfCreationIsSentWithFirstUpdate() async throws {
        let fixture = try await OfflineFixture.drafts { $0.precondition(.ifMatch) }
        let draft = try Draft.insert(into: fixture.context, title: "A")
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: draft) == .accepted)
        draft.title = "B"
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: draft) == .accepted)
        #expect(
            fixture.conditions("POST", "GET", "PATCH")
                == ["POST drafts", #"PATCH drafts/101 If-Match: "1""#])
    }

    @Test func deletionHasTheTag() async throws {
        let fixture = try await OfflineFixture.drafts { $0.precondition(.ifMatch(from: \.etag)) }
        let draft = try await fixture.loadDraft(1, "A")
        fixture.context.delete(draft)
        try fixture.save()
        try await fixture.outbox.drain()
        #expect(fixture.conditions("DELETE") == [#"DELETE drafts/1 If-Match: "1""#])
        #expect(fixture.server.resources("drafts").isEmpty)
    }

    @Test(arguments: [true, false])
    func weakTagIsNotSent(isInRepresentation: Bool) async throws {
        let fixture = try await OfflineFixture.drafts {
            $0.precondition(isInRepresentation ? .ifMatch(from: \.etag) : .ifMatch)
        }
        fixture.server.behavior.entityTags = .weak
        let draft = try await fixture.loadDraft(1, "A")
        draft.title = "B"
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: draft) == .accepted)
        #expect(fixture.conditions("PATCH", "GET").suffix(2) == ["GET drafts/1", "PATCH drafts/1"])
    }

    @Test(arguments: [true, false])
    func weakTagIsLoggedOnce(isInRepresentation: Bool) async throws {
        let fixture = try await OfflineFixture.drafts {
            $0.precondition(isInRepresentation ? .ifMatch(from: \.etag) : .ifMatch)
        }
        let log = InMemoryLogHandler()
        fixture.api.configure { $0.logger = Logger(label: "test") { _ in log } }
        let draft = try await fixture.loadDraft(1, "A")
        draft.title = "B"
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: draft) == .accepted)
        func warnings() -> [String] {
            log.entries.map { "\($0.level): \($0.message)" }.filter { $0.contains("entity tags") }
        }
        #expect(warnings() == [])
        fixture.server.behavior.entityTags = .weak
        for title in ["C", "D"] {
            fixture.server.change("drafts", 1, ["reference": .string(title)])
            draft.title = title
            try fixture.save()
            #expect(try await fixture.outbox.outcome(of: draft) == .accepted)
        }
        let warning = try #require(warnings().first)
        #expect(warnings().count == 1)
        #expect(warning.hasPrefix("warning: notes.example.com has weak entity tags of Draft"))
        #expect(warning.contains("read before each update"))
    }

    @Test func tagOfRemovedRowIsRemoved() async throws {
        let fixture = try await OfflineFixture.drafts { $0.precondition(.ifMatch) }
        let drafts = [try await fixture.loadDraft(1, "A"), try await fixture.loadDraft(2, "A")]
        for draft in drafts { draft.title = "B" }
        try fixture.save()
        for draft in drafts {
            #expect(try await fixture.outbox.outcome(of: draft) == .accepted)
        }
        #expect(try fixture.rows("SELECT tag FROM restkit_tag ORDER BY key").count == 2)
        // The server has deleted one, and the user deletes the other.
        fixture.api.addFetchRequestRule { _ in FetchRequest("Draft") }
        fixture.server.remove("drafts", 2)
        try await fixture.reload(Draft.self, 1)
        #expect(try fixture.rows("SELECT tag FROM restkit_tag") == ["\"2\""])
        fixture.context.delete(drafts[0])
        try fixture.save()
        try await fixture.outbox.drain()
        // The tag was a condition of the deletion.
        #expect(fixture.conditions("DELETE") == [#"DELETE drafts/1 If-Match: "2""#])
        #expect(try fixture.rows("SELECT tag FROM restkit_tag") == [])
    }

    @Test func answerDuringDeletionLeavesNoTag() async throws {
        let fixture = try await OfflineFixture.drafts { $0.precondition(.ifMatch) }
        let draft = try await fixture.loadDraft(1, "A")
        let gate = fixture.gate(after: .patch)
        draft.title = "B"
        try fixture.save()
        await gate.arrivals()
        fixture.context.delete(draft)
        try fixture.save()
        gate.open()
        try await fixture.outbox.drain()
        #expect(fixture.server.resources("drafts").isEmpty)
        #expect(try fixture.rows("SELECT tag FROM restkit_tag") == [])
    }

    @Test func weakTagIsRefusedIfDeclared() async throws {
        let fixture = try await OfflineFixture.drafts { $0.precondition(.ifMatch(orElse: .refuse)) }
        fixture.server.behavior.entityTags = .weak
        let draft = try await fixture.loadDraft(1, "A")
        draft.title = "B"
        try fixture.save()
        let problem = try await fixture.problem(of: draft)
        #expect(problem.kind == .invalidRequest)
        #expect(fixture.conditions("PATCH") == [])
        #expect(draft.title == "B")
    }

    @Test(arguments: [true, false])
    func dateIsSent(isInRepresentation: Bool) async throws {
        let fixture = try await OfflineFixture.drafts(serverClock: ManualClock()) {
            $0.precondition(isInRepresentation ? .unmodifiedSince(\.updated) : .unmodifiedSince)
        }
        let draft = try await fixture.loadDraft(1, "A")
        draft.title = "B"
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: draft) == .accepted)
        #expect(
            fixture.conditions("PATCH") == [
                "PATCH drafts/1 If-Unmodified-Since: Thu, 01 Jan 2026 00:00:00 GMT"
            ])
    }

    @Test func comparedObjectIsReadAndMergedFirst() async throws {
        let fixture = try await OfflineFixture.drafts { $0.precondition(.compareFirst) }
        let draft = try await fixture.loadDraft(1, "A")
        fixture.server.put(
            "drafts", 1, ["title": "A", "reference": "theirs"], version: 5)
        draft.title = "B"
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: draft) == .accepted)
        #expect(fixture.conditions("PATCH", "GET").suffix(2) == ["GET drafts/1", "PATCH drafts/1"])
        fixture.context.refreshAllObjects()
        #expect(draft.reference == "theirs")
        // Each request is preceded by a comparison.
        draft.title = "C"
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: draft) == .accepted)
        #expect(fixture.conditions("PATCH", "GET").suffix(2) == ["GET drafts/1", "PATCH drafts/1"])
    }

    @Test func userDecidesAboutChangedComparedObject() async throws {
        let fixture = try await OfflineFixture.drafts {
            $0.precondition(.compareFirst).merging(.user)
        }
        let draft = try await fixture.loadDraft(1, "A")
        fixture.server.put("drafts", 1, ["title": "theirs"], version: 5)
        draft.title = "B"
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: draft) == .conflicted)
        #expect(fixture.conditions("PATCH") == [])
    }

    @Test func attributeThatDoesNotExistIsNoVersion() async throws {
        await #expect(throws: OutboxError.self) {
            _ = try await OfflineFixture.drafts { $0.monotonicVersion() }
        }
    }

    @Test func olderImageOfAnEditedRowIsIgnored() async throws {
        let fixture = try await OfflineFixture.drafts {
            $0.precondition(.version(\.revision, inIfMatch: true)).monotonicVersion()
        }
        fixture.outbox.pause()
        let draft = try await fixture.loadDraft(1, "A", version: 7)
        draft.reference = "mine"
        try fixture.save()
        _ = try await fixture.loadDraft(1, "old", version: 6)
        fixture.context.refreshAllObjects()
        #expect(draft.title == "A")
        #expect(draft.reference == "mine")
    }

    @Test func olderImageOfUneditedRowIsIgnored() async throws {
        let fixture = try await OfflineFixture.drafts {
            $0.precondition(.version(\.revision, inIfMatch: true)).monotonicVersion()
        }
        let draft = try await fixture.loadDraft(1, "new", version: 7)
        _ = try await fixture.loadDraft(1, "old", version: 6)
        fixture.context.refreshAllObjects()
        #expect(draft.title == "new")
        #expect(draft.revision == 7)
        _ = try await fixture.loadDraft(1, "newer", version: 8)
        fixture.context.refreshAllObjects()
        #expect(draft.title == "newer")
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestOffline
import RestTesting
import Testing

/// The conditions of updates and deletions, against a server that checks them.
@MainActor @Suite struct PreconditionTests {
    @Test func tagOfRepresentationIsSent() async throws {
        let fixture = try await DraftFixture { $0.precondition(.ifMatch(from: \.etag)) }
        let draft = try await fixture.load(1, "A")
        draft.title = "B"
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: draft) == .accepted)
        #expect(fixture.requests("PATCH") == [#"PATCH drafts/1 If-Match: "r1""#])
        draft.title = "C"
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: draft) == .accepted)
        #expect(fixture.requests("PATCH").last == #"PATCH drafts/1 If-Match: "r2""#)
    }

    @Test func changedTagIsConflictAndMerged() async throws {
        let fixture = try await DraftFixture { $0.precondition(.ifMatch(from: \.etag)) }
        let draft = try await fixture.load(1, "A")
        fixture.server.put(1, "A", reference: "theirs", revision: 5)
        draft.title = "B"
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: draft) == .accepted)
        #expect(
            fixture.requests("PATCH", "GET").suffix(3) == [
                #"PATCH drafts/1 If-Match: "r1""#, "GET drafts/1",
                #"PATCH drafts/1 If-Match: "r5""#,
            ])
        fixture.context.refreshAllObjects()
        #expect(draft.reference == "theirs")
        #expect(fixture.server.drafts[1]?.title == "B")
    }

    @Test func objectWithoutTagIsReadFirst() async throws {
        let fixture = try await DraftFixture { $0.precondition(.ifMatch) }
        let draft = try await fixture.load(1, "A")
        draft.title = "B"
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: draft) == .accepted)
        #expect(
            fixture.requests("PATCH", "GET").suffix(2) == [
                "GET drafts/1", #"PATCH drafts/1 If-Match: "r1""#,
            ])
        // The tag of the answer is kept.
        draft.title = "C"
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: draft) == .accepted)
        #expect(
            fixture.requests("PATCH", "GET").suffix(2) == [
                #"PATCH drafts/1 If-Match: "r1""#, #"PATCH drafts/1 If-Match: "r2""#,
            ])
    }

    @Test func tagOfCreationIsSentWithFirstUpdate() async throws {
        let fixture = try await DraftFixture { $0.precondition(.ifMatch) }
        let draft = try Draft.insert(into: fixture.context, title: "A")
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: draft) == .accepted)
        draft.title = "B"
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: draft) == .accepted)
        #expect(
            fixture.requests("POST", "GET", "PATCH")
                == ["POST drafts", #"PATCH drafts/101 If-Match: "r1""#])
    }

    @Test func deletionHasTheTag() async throws {
        let fixture = try await DraftFixture { $0.precondition(.ifMatch(from: \.etag)) }
        let draft = try await fixture.load(1, "A")
        fixture.context.delete(draft)
        try fixture.save()
        try await fixture.outbox.drain()
        #expect(fixture.requests("DELETE") == [#"DELETE drafts/1 If-Match: "r1""#])
        #expect(fixture.server.drafts.isEmpty)
    }

    @Test(arguments: [true, false])
    func weakTagIsNotSent(isInRepresentation: Bool) async throws {
        let fixture = try await DraftFixture {
            $0.precondition(isInRepresentation ? .ifMatch(from: \.etag) : .ifMatch)
        }
        fixture.server.setTags(.weak)
        let draft = try await fixture.load(1, "A")
        draft.title = "B"
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: draft) == .accepted)
        #expect(fixture.requests("PATCH", "GET").suffix(2) == ["GET drafts/1", "PATCH drafts/1"])
    }

    @Test func weakTagIsRefusedIfDeclared() async throws {
        let fixture = try await DraftFixture { $0.precondition(.ifMatch(orElse: .refuse)) }
        fixture.server.setTags(.weak)
        let draft = try await fixture.load(1, "A")
        draft.title = "B"
        try fixture.save()
        guard case .refused(let problem) = try await fixture.outbox.outcome(of: draft) else {
            return #expect(Bool(false))
        }
        #expect(problem.kind == .invalidRequest)
        #expect(fixture.requests("PATCH") == [])
        #expect(draft.title == "B")
    }

    @Test(arguments: [true, false])
    func dateIsSent(isInRepresentation: Bool) async throws {
        let fixture = try await DraftFixture {
            $0.precondition(isInRepresentation ? .unmodifiedSince(\.updated) : .unmodifiedSince)
        }
        let draft = try await fixture.load(1, "A")
        draft.title = "B"
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: draft) == .accepted)
        #expect(
            fixture.requests("PATCH") == [
                "PATCH drafts/1 If-Unmodified-Since: Thu, 01 Jan 2026 00:00:01 GMT"
            ])
    }

    @Test func comparedObjectIsReadAndMergedFirst() async throws {
        let fixture = try await DraftFixture { $0.precondition(.compareFirst) }
        let draft = try await fixture.load(1, "A")
        fixture.server.put(1, "A", reference: "theirs", revision: 5)
        draft.title = "B"
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: draft) == .accepted)
        #expect(fixture.requests("PATCH", "GET").suffix(2) == ["GET drafts/1", "PATCH drafts/1"])
        fixture.context.refreshAllObjects()
        #expect(draft.reference == "theirs")
        // Each request is preceded by a comparison.
        draft.title = "C"
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: draft) == .accepted)
        #expect(fixture.requests("PATCH", "GET").suffix(2) == ["GET drafts/1", "PATCH drafts/1"])
    }

    @Test func userDecidesAboutChangedComparedObject() async throws {
        let fixture = try await DraftFixture {
            $0.precondition(.compareFirst).merging(.user)
        }
        let draft = try await fixture.load(1, "A")
        fixture.server.put(1, "theirs", revision: 5)
        draft.title = "B"
        try fixture.save()
        #expect(try await fixture.outbox.outcome(of: draft) == .conflicted)
        #expect(fixture.requests("PATCH") == [])
    }

    @Test func attributeThatDoesNotExistIsNoVersion() async throws {
        await #expect(throws: OutboxError.self) {
            _ = try await DraftFixture { $0.monotonicVersion() }
        }
    }

    @Test func olderImageOfAnEditedRowIsIgnored() async throws {
        let fixture = try await DraftFixture {
            $0.precondition(.version(\.revision, inIfMatch: true)).monotonicVersion()
        }
        fixture.outbox.pause()
        let draft = try await fixture.load(1, "A", revision: 7)
        draft.reference = "mine"
        try fixture.save()
        _ = try await fixture.load(1, "old", revision: 6)
        fixture.context.refreshAllObjects()
        #expect(draft.title == "A")
        #expect(draft.reference == "mine")
    }

    @Test func olderImageOfUneditedRowIsIgnored() async throws {
        let fixture = try await DraftFixture {
            $0.precondition(.version(\.revision, inIfMatch: true)).monotonicVersion()
        }
        let draft = try await fixture.load(1, "new", revision: 7)
        _ = try await fixture.load(1, "old", revision: 6)
        fixture.context.refreshAllObjects()
        #expect(draft.title == "new")
        #expect(draft.revision == 7)
        _ = try await fixture.load(1, "newer", revision: 8)
        fixture.context.refreshAllObjects()
        #expect(draft.title == "newer")
    }
}

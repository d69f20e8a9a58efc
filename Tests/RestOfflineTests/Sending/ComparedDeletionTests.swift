// SPDX-License-Identifier: Apache-2.0

import RestKit
import RestOffline
import RestTesting
import Testing

/// Deletions of objects that others have changed, on servers without conditions.
@MainActor @Suite struct ComparedDeletionTests {
    private static let members: [String: Document] = ["title": "A", "changed": 1, "rating": 2.5]

    /// Deletes a memo that others change before the deletion is sent.
    private static func delete(
        _ policy: ObjectConflictPolicy<Memo>, changing members: [String: Document]
    ) async throws -> (fixture: OfflineFixture, id: ManagedObjectID) {
        var behavior = SimulatedAPI.Behavior()
        behavior.versionMember = nil
        let fixture = try await OfflineFixture(OfflineFixture.paused, behavior: behavior) {
            Sends(Memo.self).precondition(.compareFirst).merging(policy)
        }
        let memo = try await fixture.load(Memo.self, 1, Self.members)
        let id = memo.objectID
        fixture.context.delete(memo)
        try fixture.save()
        fixture.server.change("memos", 1, members)
        try await fixture.send()
        return (fixture, id)
    }

    @Test(arguments: [ObjectConflictPolicy<Memo>.local, .server, .fork, .user])
    func unchangedObjectIsDeleted(_ policy: ObjectConflictPolicy<Memo>) async throws {
        let (fixture, _) = try await Self.delete(policy, changing: ["unknown": "x"])
        #expect(fixture.requests("GET").last == "GET memos/1 ")
        #expect(fixture.requests("DELETE") == ["DELETE memos/1 "])
        #expect(fixture.server.resources("memos").isEmpty)
        #expect(try fixture.entries() == [])
    }

    @Test func changedObjectIsDeletedIfEditsWin() async throws {
        let (fixture, _) = try await Self.delete(.local, changing: ["title": "Theirs"])
        #expect(fixture.requests("GET").last == "GET memos/1 ")
        #expect(fixture.server.resources("memos").isEmpty)
        #expect(try fixture.entries() == [])
    }

    @Test(arguments: [ObjectConflictPolicy<Memo>.server, .newer(\.changed), .fork])
    func changedObjectIsRestoredIfServerWins(
        _ policy: ObjectConflictPolicy<Memo>
    ) async throws {
        let (fixture, id) = try await Self.delete(policy, changing: ["title": "Theirs"])
        #expect(fixture.requests("DELETE") == [])
        #expect(try fixture.rows("SELECT id, title, rating FROM Memo") == ["1|Theirs|2.5"])
        #expect(try fixture.entries() == [])
        #expect(try fixture.rows("SELECT * FROM restkit_edit") == [])
        #expect(try await fixture.outbox.outcome(of: id) == .discarded)
    }

    @Test(
        arguments: [["title": "Theirs"], ["changed": 2], ["rating": 2.75]] as [[String: Document]])
    func userDecidesAboutChangedObject(_ change: [String: Document]) async throws {
        let (fixture, id) = try await Self.delete(.user, changing: change)
        #expect(fixture.requests("DELETE") == [])
        #expect(try await fixture.outbox.outcome(of: id) == .conflicted)
        let entry = try await fixture.entry
        #expect(entry.kind == .deletion)
        // Others change the object again before the user decides.
        fixture.server.change("memos", 1, ["text": "again"])
        try await fixture.outbox.retry(entry.id)
        try await fixture.send()
        #expect(fixture.server.resources("memos").count == 1)
        #expect(try await fixture.outbox.outcome(of: id) == .conflicted)
        try await fixture.outbox.retry(entry.id)
        try await fixture.send()
        #expect(fixture.server.resources("memos").isEmpty)
        #expect(try fixture.entries() == [])
    }

    @Test func deletionOfUnreadableObjectWaits() async throws {
        let fixture = try await OfflineFixture(OfflineFixture.paused) {
            Sends(Memo.self).precondition(.compareFirst).merging(.user)
        }
        let memo = try await fixture.load(Memo.self, 1, Self.members)
        let id = memo.objectID
        fixture.context.delete(memo)
        try fixture.save()
        fixture.server.fail("GET", .status(200, body: "[]"))
        try await fixture.send()
        #expect(fixture.requests("DELETE") == [])
        #expect(try await fixture.outbox.outcome(of: id) == .conflicted)
    }

    @Test func conflictOfDeletionIsDiscarded() async throws {
        let (fixture, _) = try await Self.delete(.user, changing: ["title": "Theirs"])
        let entry = try await fixture.entry
        try await fixture.outbox.discard(entry.id)
        #expect(try fixture.rows("SELECT id, title FROM Memo") == ["1|Theirs"])
        #expect(fixture.server.resources("memos").count == 1)
    }

    @Test func refusedConditionIsConflictOfDeletion() async throws {
        let fixture = try await OfflineFixture(OfflineFixture.paused) {
            Sends(Memo.self).precondition(.version(\.revision, inIfMatch: true)).merging(.server)
        }
        let memo = try await fixture.load(Memo.self, 1, Self.members)
        fixture.context.delete(memo)
        try fixture.save()
        fixture.server.change("memos", 1, ["title": "Theirs"])
        try await fixture.send()
        #expect(fixture.requests("DELETE").count == 1)
        #expect(try fixture.rows("SELECT id, title, revision FROM Memo") == ["1|Theirs|2"])
        #expect(try fixture.entries() == [])
    }
}

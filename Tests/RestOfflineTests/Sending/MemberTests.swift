// SPDX-License-Identifier: Apache-2.0

import RestKit
import RestOffline
import RestTesting
import Testing

/// Edits of a relationship with a join table.
@MainActor @Suite struct MemberTests {
    private static func whole() async throws -> OfflineFixture {
        try await OfflineFixture(OfflineFixture.paused) {
            Sends(Memo.self).precondition(.version(\.revision))
            Sends(Label.self)
        }
    }

    private static func memberwise() async throws -> OfflineFixture {
        try await OfflineFixture(OfflineFixture.paused) {
            Sends(Memo.self).members(
                \.labels, add: .put("memos/:id/labels/:member.id"),
                remove: .delete("memos/:id/labels/:member.id"))
            Sends(Label.self)
        }
    }

    @Test func editHasMembersBefore() async throws {
        let fixture = try await Self.whole()
        let labels = try await fixture.loadLabels(1...3)
        let memo = try await fixture.load(Memo.self, 1, ["title": .string("A"), "labels": [1, 2]])
        #expect(memo.labels == [labels[0], labels[1]])
        memo.labels = [labels[1], labels[2]]
        try fixture.save()
        #expect(try fixture.entries() == ["Memo|update|waiting"])
        let keys = [labels[0], labels[1]].map { String($0.objectID.key) }.sorted()
        #expect(
            try fixture.rows("SELECT property, value FROM restkit_base")
                == ["labels|[\(keys.joined(separator: ","))]"])
        // The members before are no edit.
        memo.labels = [labels[0], labels[1]]
        try fixture.save()
        #expect(try fixture.entries() == [])
        #expect(try fixture.rows("SELECT * FROM restkit_edit") == [])
    }

    @Test func wholeSetIsSentWithPrecondition() async throws {
        let fixture = try await Self.whole()
        let labels = try await fixture.loadLabels(1...3)
        let memo = try await fixture.load(Memo.self, 1, ["title": .string("A"), "labels": [1, 2]])
        memo.labels = [labels[1], labels[2]]
        try fixture.save()
        try await fixture.send()
        #expect(fixture.server.value("memos", 1, "labels") == [2, 3])
        let patch = try #require(fixture.requests("PATCH").first)
        #expect(patch.contains(#""revision":1"#))
        #expect(!patch.contains("title"))
        #expect(try fixture.entries() == [])
        #expect(memo.labels == [labels[1], labels[2]])
    }

    @Test func membersOfBothSidesAreKept() async throws {
        let fixture = try await Self.whole()
        let labels = try await fixture.loadLabels(1...4)
        let memo = try await fixture.load(Memo.self, 1, ["title": .string("A"), "labels": [1, 2]])
        memo.labels = [labels[0], labels[1], labels[2]]
        try fixture.save()
        // Others add one and remove one.
        fixture.server.change("memos", 1, ["labels": [2, 4]])
        try await fixture.reload(Memo.self, 1)
        #expect(memo.labels == [labels[1], labels[2], labels[3]])
        try await fixture.send()
        #expect(fixture.server.value("memos", 1, "labels") == [2, 3, 4])
    }

    @Test func conflictWithVersionMergesMembers() async throws {
        let fixture = try await Self.whole()
        let labels = try await fixture.loadLabels(1...3)
        let memo = try await fixture.load(Memo.self, 1, ["title": .string("A"), "labels": [1]])
        memo.labels = [labels[0], labels[1]]
        try fixture.save()
        fixture.server.change("memos", 1, ["labels": [1, 3]])
        // The request has the old version, is refused with 412, and is written anew.
        try await fixture.send()
        #expect(fixture.requests("PATCH").count == 2)
        #expect(fixture.server.value("memos", 1, "labels") == [1, 2, 3])
        #expect(memo.labels == Set(labels))
    }

    @Test func unsentMembersFollowLater() async throws {
        let fixture = try await Self.whole()
        let labels = try await fixture.loadLabels(1...1)
        let memo = try Memo.insert(into: fixture.context, title: "New")
        let label = try Label.insert(into: fixture.context, name: "New")
        memo.labels = [labels[0], label]
        try fixture.save()
        try await fixture.send()
        #expect(try fixture.entries() == [])
        let id = try #require(memo.id)
        let member = try #require(label.id)
        #expect(fixture.server.value("memos", id, "labels") == .array([1, .number(member)]))
        #expect(memo.labels == [labels[0], label])
    }

    @Test func eachMemberHasRequestOfItsOwn() async throws {
        let fixture = try await Self.memberwise()
        let labels = try await fixture.loadLabels(1...3)
        let memo = try await fixture.load(Memo.self, 1, ["title": .string("A"), "labels": [1, 2]])
        memo.title = "B"
        memo.labels = [labels[1], labels[2]]
        try fixture.save()
        // What others add meanwhile stays, without a precondition.
        fixture.server.put("labels", 4, ["name": .string("L4")])
        fixture.server.change("memos", 1, ["labels": [1, 2, 4]])
        try await fixture.send()
        #expect(fixture.server.value("memos", 1, "labels") == [2, 4, 3])
        #expect(fixture.server.value("memos", 1, "title") == .string("B"))
        #expect(fixture.requests("PUT") == ["PUT memos/1/labels/3 "])
        #expect(fixture.requests("DELETE") == ["DELETE memos/1/labels/1 "])
        #expect(fixture.requests("PATCH") == [#"PATCH memos/1 {"title":"B"}"#])
        #expect(try fixture.entries() == [])
    }

    @Test func removedMemberThatIsGoneIsAccepted() async throws {
        let fixture = try await Self.memberwise()
        _ = try await fixture.loadLabels(1...1)
        let memo = try await fixture.load(Memo.self, 1, ["title": .string("A"), "labels": [1]])
        memo.labels = []
        try fixture.save()
        fixture.server.fail("DELETE", .lostAnswer)
        try await fixture.send()
        #expect(try await fixture.outbox.outcome(of: memo) == .accepted)
        #expect(fixture.requests("DELETE").count == 2)
        #expect(fixture.server.value("memos", 1, "labels") == [])
        #expect(try fixture.context.fetch(Memo.self).count == 1)
    }

    @Test func memberOfUnsentObjectWaits() async throws {
        let fixture = try await Self.memberwise()
        let memo = try await fixture.load(Memo.self, 1, ["title": .string("A")])
        let label = try Label.insert(into: fixture.context, name: "New")
        memo.labels = [label]
        try fixture.save()
        fixture.server.fail("POST", .status(422))
        try await fixture.send()
        #expect(fixture.requests("PUT") == [])
        #expect(try await fixture.outbox.explain(memo)?.contains("Label") == true)
        label.name = "Corrected"
        try fixture.save()
        try await fixture.send()
        let id = try #require(label.id)
        #expect(fixture.requests("PUT") == ["PUT memos/1/labels/\(id) "])
    }

    @Test func deletionOfMemberIsNoEditOfOwner() async throws {
        let fixture = try await Self.whole()
        let labels = try await fixture.loadLabels(1...2)
        let memo = try await fixture.load(Memo.self, 1, ["title": .string("A"), "labels": [1, 2]])
        fixture.context.delete(labels[0])
        try fixture.save()
        #expect(memo.labels == [labels[1]])
        #expect(try fixture.entries() == ["Label|deletion|waiting"])
    }

    @Test func discardedDeletionHasItsMembers() async throws {
        let fixture = try await Self.whole()
        let labels = try await fixture.loadLabels(1...2)
        let memo = try await fixture.load(Memo.self, 1, ["title": .string("A"), "labels": [1, 2]])
        fixture.context.delete(memo)
        try fixture.save()
        let entry = try await fixture.entry
        try await fixture.outbox.discard(entry.id)
        fixture.context.refreshAllObjects()
        let restored = try #require(try fixture.context.fetch(Memo.self).first)
        #expect(restored.labels == Set(labels))
        #expect(try fixture.entries() == [])
    }

    @Test func responseDuringRequestLeavesMembersAlone() async throws {
        let fixture = try await Self.whole()
        let labels = try await fixture.loadLabels(1...3)
        let memo = try await fixture.load(Memo.self, 1, ["title": .string("A"), "labels": [1]])
        memo.labels = [labels[0], labels[1]]
        try fixture.save()
        let (api, store) = (fixture.api, fixture.store)
        fixture.server.hold { request in
            guard request.method == .patch else { return }
            _ = try? await api.getObjects(Memo.self, at: "memos", into: store)
        }
        try await fixture.send()
        #expect(memo.labels == [labels[0], labels[1]])
        #expect(fixture.server.value("memos", 1, "labels") == [1, 2])
        #expect(try await fixture.outbox.merges().isEmpty)
    }

    @Test func wholeSetWithoutPreconditionIsRefused() async throws {
        let error = await #expect(throws: OutboxError.self) {
            try await OfflineFixture(OfflineFixture.paused) { Sends(Memo.self) }
        }
        #expect(error?.code == .invalidDeclaration)
        #expect(error?.reason.contains("Memo.labels") == true)
    }

    @Test func membersOfAttributeAreRefused() async throws {
        let error = await #expect(throws: OutboxError.self) {
            try await OfflineFixture(OfflineFixture.paused) {
                Sends(Memo.self).precondition(.version(\.revision)).overwritingMembers(\.title)
            }
        }
        #expect(error?.code == .invalidDeclaration)
        #expect(error?.reason.contains("title of Memo") == true)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestOutbox
import RestRows
import RestTesting
import RestTransport
import Testing

/// Edits of the members of a relationship with a join table.
@Suite struct MemberEditsTests {
    /// An outbox of notes with tags, whose identities are their keys and 100.
    private final class Scenario {
        var queue: OutboxQueue
        var random = SplitMix64(seed: 7)
        let now = Date(timeIntervalSince1970: 1_000_000)
        let note = EditedObject(entity: "notes", key: 1)

        init(isMemberwise: Bool) throws {
            queue = OutboxQueue(
                model: try SentModel([
                    SentEntity(
                        "notes", properties: ["text"],
                        members: [
                            "tags": .init(destination: "tags", isMemberwise: isMemberwise)
                        ], creation: .idempotencyKey(lifetime: .seconds(3600))),
                    SentEntity(
                        "tags", properties: ["name"],
                        creation: .idempotencyKey(lifetime: .seconds(3600))),
                ]))
        }

        func addNote(_ tags: [Int64]) {
            queue.add(
                note, ["text": .text("a"), "tags": MemberSet(tags).stored],
                identity: .integer(101), version: nil)
        }

        func set(_ tags: [Int64], by principal: Principal? = nil) {
            queue.change(note, ["tags": MemberSet(tags).stored], by: principal)
        }

        func addTag(_ key: Int64) {
            queue.insert(
                EditedObject(entity: "tags", key: key), ["name": .text("t\(key)")], by: nil)
        }

        /// Sends an object's first entry, accepts it, and returns what was sent.
        func exchange(_ object: EditedObject, _ principal: Principal? = nil) -> RequestDraft? {
            guard queue.ready(for: principal, at: now).contains(where: { $0.object == object })
            else { return nil }
            var sent: RequestDraft?
            let attempt = queue.startSend(of: object, at: now) { draft in
                sent = draft
                return FrozenRequest(method: "PATCH", path: "")
            }
            guard let attempt else { return nil }
            queue.record(
                .response(.init(status: 200, image: [:], identity: .integer(object.key + 100))),
                of: object, attempt: attempt.number, at: now, using: &random)
            return sent
        }
    }

    private static func set(_ keys: Int64...) -> StoredValue { MemberSet(keys).stored }

    @Test func requestsChangeOneMemberEach() throws {
        let scenario = try Scenario(isMemberwise: true)
        scenario.addNote([1, 2])
        scenario.queue.change(
            scenario.note, ["text": .text("b"), "tags": Self.set(2, 3)], by: nil)
        let first = try #require(scenario.exchange(scenario.note))
        #expect(first.rows == ["text": .text("b")])
        #expect(first.member == nil)
        let second = try #require(scenario.exchange(scenario.note))
        #expect(second.member == .init(property: "tags", key: 1, isAdded: false))
        let third = try #require(scenario.exchange(scenario.note))
        #expect(third.member == .init(property: "tags", key: 3, isAdded: true))
        #expect(scenario.queue.objects[scenario.note]?.entries.isEmpty != false)
    }

    @Test func changedMindBetweenRequestsIsSent() throws {
        let scenario = try Scenario(isMemberwise: true)
        scenario.addNote([1])
        scenario.set([1, 2, 3])
        _ = scenario.exchange(scenario.note)
        scenario.set([1])
        let request = try #require(scenario.exchange(scenario.note))
        #expect(request.member == .init(property: "tags", key: 2, isAdded: false))
        #expect(scenario.queue.objects[scenario.note]?.entries.isEmpty != false)
    }

    @Test func closedEntriesChangeOneMemberEach() throws {
        let scenario = try Scenario(isMemberwise: true)
        let (first, second) = (Principal("a"), Principal("b"))
        scenario.addNote([])
        scenario.set([1, 2], by: first)
        scenario.set([1, 2, 3], by: second)
        let edits = try #require(scenario.queue.objects[scenario.note])
        #expect(edits.entries.map(\.principal) == [first, first, second])
        #expect(edits.entries.map(\.sequence) == edits.entries.map(\.sequence).sorted())
        #expect(scenario.exchange(scenario.note, first)?.member?.key == 1)
        #expect(scenario.exchange(scenario.note, first)?.member?.key == 2)
        #expect(scenario.exchange(scenario.note, second)?.member?.key == 3)
    }

    @Test func membersWithoutIdentityFollowLater() throws {
        let scenario = try Scenario(isMemberwise: false)
        scenario.addNote([1])
        scenario.addTag(2)
        scenario.set([1, 2, 3])
        #expect(scenario.exchange(scenario.note)?.rows == ["tags": Self.set(1, 3)])
        #expect(scenario.exchange(scenario.note) == nil)
        #expect(scenario.exchange(EditedObject(entity: "tags", key: 2)) != nil)
        #expect(scenario.exchange(scenario.note)?.rows == ["tags": Self.set(1, 2, 3)])
    }

    @Test func newObjectIsCreatedWithKnownMembers() throws {
        let scenario = try Scenario(isMemberwise: false)
        scenario.addTag(2)
        scenario.queue.insert(
            scenario.note, ["text": .text("a"), "tags": Self.set(1, 2)], by: nil)
        #expect(scenario.exchange(scenario.note)?.rows["tags"] == Self.set(1))
        _ = scenario.exchange(EditedObject(entity: "tags", key: 2))
        #expect(scenario.exchange(scenario.note)?.rows == ["tags": Self.set(1, 2)])
    }

    @Test func answerKeepsMembersOfOthers() throws {
        let scenario = try Scenario(isMemberwise: false)
        scenario.addNote([1])
        scenario.set([1, 2])
        let attempt = try #require(
            scenario.queue.startSend(of: scenario.note, at: scenario.now) { _ in
                FrozenRequest(method: "PATCH", path: "")
            })
        // Saved during the request, which others have overtaken with 9.
        scenario.set([1, 2, 3])
        scenario.queue.record(
            .response(.init(status: 200, image: ["tags": Self.set(1, 2, 9)])),
            of: scenario.note, attempt: attempt.number, at: scenario.now, using: &scenario.random)
        let edits = try #require(scenario.queue.objects[scenario.note])
        #expect(edits.local?["tags"] == Self.set(1, 2, 3, 9))
        #expect(edits.base["tags"] == Self.set(1, 2, 9))
        #expect(scenario.exchange(scenario.note)?.rows == ["tags": Self.set(1, 2, 3, 9)])
    }

    @Test func deletedMemberLeavesKeptValues() throws {
        let scenario = try Scenario(isMemberwise: false)
        scenario.addNote([])
        scenario.addTag(2)
        scenario.set([2, 3], by: Principal("a"))
        scenario.queue.change(scenario.note, ["text": .text("b")], by: Principal("b"))
        scenario.queue.delete(EditedObject(entity: "tags", key: 2), by: nil)
        let edits = try #require(scenario.queue.objects[scenario.note])
        #expect(edits.entries.first?.values == ["tags": Self.set(3)])
        #expect(edits.local?["tags"] == Self.set(3))
    }

    @Test func deletionOfMemberWaitsForItsRemoval() throws {
        let scenario = try Scenario(isMemberwise: false)
        let tag = EditedObject(entity: "tags", key: 1)
        scenario.addNote([1])
        scenario.queue.add(tag, ["name": .text("t")], identity: .integer(1), version: nil)
        scenario.set([])
        scenario.queue.delete(tag, by: nil)
        #expect(scenario.exchange(tag) == nil)
        #expect(scenario.exchange(scenario.note) != nil)
        #expect(scenario.exchange(tag) != nil)
    }

    /// The server may have executed the request that the user discards.
    @Test(arguments: [true, false])
    func laterMembersAreSentAfterDiscardedOnes(isMemberwise: Bool) throws {
        let scenario = try Scenario(isMemberwise: isMemberwise)
        scenario.addNote([])
        scenario.addTag(5)
        _ = scenario.exchange(EditedObject(entity: "tags", key: 5))
        scenario.set([5])
        let note = scenario.note
        let attempt = scenario.queue.startSend(of: note, at: scenario.now) { _ in
            FrozenRequest(method: "PATCH", path: "")
        }
        #expect(attempt != nil)
        scenario.set([])
        let sequence = try #require(scenario.queue.objects[note]?.entries.first?.sequence)
        _ = scenario.queue.discard(sequence, of: note, at: scenario.now)
        scenario.queue.endAbandoned(at: scenario.now.addingTimeInterval(301))
        let sent = try #require(scenario.exchange(note))
        #expect(sent.values["tags"] == MemberSet().stored)
        if isMemberwise {
            #expect(sent.member == .init(property: "tags", key: 5, isAdded: false))
        }
    }
}

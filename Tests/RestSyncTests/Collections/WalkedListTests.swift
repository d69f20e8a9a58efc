// SPDX-License-Identifier: Apache-2.0

import RestKit
import RestTesting
import TestSupport
import Testing

/// Walks over lists whose objects other responses contain, and over lists that have not changed.
@Suite(.tags(.socket)) struct WalkedListTests {
    // MARK: Other lists

    @Test func detailsOfObjectsKeepNone() async throws {
        try await HumanFixture.run(pages: 1...10) { fixture, served in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human, at: "humans/:id"))
            _ = try await fixture.pages().fetchAll()
            served.change { state in
                state.replacement = { _ in .json(#"{"id":10,"name":"10"}"#) }
                state.replacesOnce = true
            }
            try await fixture.load(at: "humans/10")
            let detail = try await fixture.api.collection(at: "humans/10", in: fixture.store)
            #expect(detail?.objectIDs.count == 1)
            served.change { $0.ids = Array(1...9) }
            let walk = try await fixture.pages().fetchAll()
            #expect(
                walk.orphanIDs.count == 1 && walk.incompletenessReasons.isEmpty
                    && walk.keptIDs.isEmpty)
            #expect(try fixture.stored() == Array(1...9))
        }
    }

    @Test func otherListNamesObjectsThatItKeeps() async throws {
        try await HumanFixture.run(pages: 1...10) { fixture, served in
            _ = try await fixture.pages().fetchAll()
            served.change { state in
                state.replacement = { _ in .json(#"[{"id":10,"name":"10"}]"#) }
                state.replacesOnce = true
            }
            try await fixture.load(at: "favorites")
            served.change { $0.ids = Array(1...8) }
            let walk = try await fixture.pages().fetchAll()
            #expect(walk.orphanIDs.count == 1 && walk.incompletenessReasons.isEmpty)
            #expect(try await fixture.numbers(Array(walk.keptIDs.keys)) == [10])
            let lists = walk.keptIDs.values.flatMap(\.self)
            #expect(lists.count == 1 && lists[0].url.hasSuffix("/favorites"))
            #expect(try fixture.stored() == Array(1...8) + [10])
        }
    }

    @Test func objectWrittenDuringWalkIsKept() async throws {
        try await HumanFixture.run(pages: 1...250) { fixture, served in
            _ = try await fixture.pages().fetchAll()
            served.change { $0.ids = Array(1...249) }
            var iterator = fixture.pages().makeAsyncIterator()
            _ = try await iterator.next()
            try await fixture.store.write { context in
                try context.first(Human.self, where: { $0.railsID == 250 })?.name = "new"
            }
            while try await iterator.next() != nil {}
            #expect(
                iterator.result.orphanIDs.isEmpty
                    && iterator.result.incompletenessReasons == [.laterWrite])
            #expect(try fixture.stored() == Array(1...250))
            let later = try await fixture.pages().fetchAll()
            #expect(later.orphanIDs.count == 1)
        }
    }

    // MARK: Unchanged lists

    @Test(arguments: [OrphanPolicy.keep, .delete()])
    func unchangedWalkWritesNoMembers(_ policy: OrphanPolicy) async throws {
        try await HumanFixture.run(pages: 1...184) { fixture, served in
            let members = "SELECT * FROM restkit_collection_member ORDER BY page, position"
            _ = try await fixture.pages(policy).fetchAll()
            let before = try fixture.temporary.rows(members)
            #expect(before.count == 184)
            let walk = try await fixture.pages(policy).fetchAll()
            #expect(try fixture.temporary.rows(members) == before)
            #expect(walk.collection?.objectIDs.count == 184)
            #expect(walk.collection?.unconfirmedIDs.isEmpty == true)
            // A page with other members is written again, and the others stay.
            served.change { $0.ids = Array(1...150) + Array(160...184) }
            let third = try await fixture.pages(policy).fetchAll()
            #expect(try fixture.temporary.rows(members).prefix(100) == before.prefix(100))
            #expect(third.collection?.objectIDs.count == 175)
            #expect(third.collection?.unconfirmedIDs.count == (policy == .keep ? 9 : 0))
            #expect(third.orphanIDs.count == (policy == .keep ? 0 : 9))
        }
    }
}

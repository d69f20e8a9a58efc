// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import Synchronization
import TestSupport
import Testing

/// Walks over pages that are as the store has them, and what these write to the file.
@Suite(.tags(.socket)) struct UnchangedWalkTests {
    /// A way to walk over a list.
    struct Way: Sendable, CustomTestStringConvertible {
        let order: String
        let isConfirmed: Bool
        let isInContext: Bool

        var testDescription: String {
            "\(order), \(isConfirmed ? 304 : 200), \(isInContext ? "in context" : "into store")"
        }

        static let all = ["links", "numbers", "cursors"].flatMap { order in
            [true, false].flatMap { isConfirmed in
                [true, false].map { isInContext in
                    Way(order: order, isConfirmed: isConfirmed, isInContext: isInContext)
                }
            }
        }

        var pagination: Pagination {
            switch order {
            case "numbers": .pageNumber(parameter: "page", first: 0)
            case "cursors": .cursor(at: .headerField("X-Next"), parameter: "page")
            default: .linkHeader
            }
        }

        /// Walks over all pages, and returns how many of them the server has confirmed.
        func walk(_ fixture: HumanFixture) async throws -> Int {
            var confirmedCount = 0
            if isInContext {
                var pages = fixture.api.pages(
                    of: Human.self, at: "humans", by: pagination,
                    in: fixture.store.makeContext())
                pages.validatesStoredPages = isConfirmed
                for try await page in pages where page.page.isNotModified { confirmedCount += 1 }
            } else {
                var pages = fixture.pages(.keep, by: pagination)
                pages.validatesStoredPages = isConfirmed
                for try await page in pages where page.isNotModified { confirmedCount += 1 }
            }
            // Keys that were reserved in the background are written before.
            try await fixture.store.write { _ in }
            return confirmedCount
        }
    }

    /// The rows of all tables but that of collections.
    private func otherRows(_ temporary: TemporaryStore) throws -> [String] {
        try ["Human", "restkit_collection_page", "restkit_collection_member", "restkit_store"]
            .flatMap { try temporary.rows("SELECT * FROM \($0)") }
    }

    private func run(
        _ body: (HumanFixture, ServedPages, ManualClock) async throws -> Void
    ) async throws {
        try await HumanFixture.run(pages: 1...184) { fixture, served in
            let clock = ManualClock()
            fixture.api.configure { $0.client.clock = clock }
            served.change { $0.pageSize = 10 }
            try await body(fixture, served, clock)
        }
    }

    @Test(arguments: Way.all) func unchangedWalkWritesNothing(_ way: Way) async throws {
        try await run { fixture, _, clock in
            let temporary = fixture.temporary
            _ = try await way.walk(fixture)
            let rows = try otherRows(temporary)
            let lists = try temporary.rows("SELECT * FROM restkit_collection")
            #expect(rows.count == 184 + 19 + 184 + 1 && lists.count == 1)
            // The doubt that pages were confirmed is new.
            #expect((try await way.walk(fixture) > 0) == way.isConfirmed)
            #expect(try otherRows(temporary) == rows)
            let observer = try temporary.observer()
            let version = try observer.dataVersion()
            #expect((try await way.walk(fixture) > 0) == way.isConfirmed)
            #expect(try observer.dataVersion() == version)
            // A confirmation is written once an hour: one row, and the mark of the commit.
            clock.advance(by: .seconds(3_600))
            let size = temporary.logSize
            _ = try await way.walk(fixture)
            #expect(try otherRows(temporary) == rows)
            #expect(temporary.logSize - size <= 2 * (4_096 + 24))
            let times = "SELECT confirmed_at - fetched_at FROM restkit_collection"
            #expect(try temporary.rows(times) == ["3600.0"])
        }
    }

    @Test(arguments: [true, false]) func changedPageAloneIsWritten(isConfirmed: Bool) async throws {
        try await run { fixture, served, _ in
            let way = Way(order: "links", isConfirmed: isConfirmed, isInContext: false)
            _ = try await way.walk(fixture)
            func rows() throws -> [String] {
                try ["page", "member"].flatMap {
                    try fixture.temporary.rows(
                        "SELECT * FROM restkit_collection_\($0) WHERE page NOT IN (3, 7)")
                }
            }
            let before = try rows()
            served.change {
                $0.ids[35] = 1_000
                $0.ids[75] = 1_001
            }
            _ = try await way.walk(fixture)
            #expect(try rows() == before)
            let list = try #require(
                try await fixture.api.collection(at: "humans", in: fixture.store, isPaged: true))
            #expect(list.isComplete && list.unconfirmedIDs.count == 2)
            #expect(
                try await fixture.numbers(list.objectIDs) == served.state.withLock(\.ids))
        }
    }

    /// Walks over three unchanged pages, of which the file knows nothing yet.
    private func startedWalk(
        _ fixture: HumanFixture
    ) async throws -> ManagedPages<ManagedPage>.Iterator {
        _ = try await fixture.pages(.keep).fetchAll()
        try await fixture.store.write { _ in }
        var iterator = fixture.pages(.keep).makeAsyncIterator()
        for _ in 0..<3 { _ = try await iterator.next() }
        #expect(try fixture.temporary.rows(Self.progress) == ["19|-"])
        return iterator
    }

    private static let progress =
        "SELECT next_page, CASE WHEN position IS NOT NULL THEN 1 END FROM restkit_collection"

    /// Returns the number of pages of a walk that continues in another process.
    private func restCount(_ fixture: HumanFixture) async throws -> Int {
        let store = try await ManagedObjectStore(at: fixture.store.url, model: fixture.store.model)
        var pages = fixture.api.pages(of: Human.self, at: "humans", by: .linkHeader, into: store)
        pages.resumes = true
        let walk = try await pages.fetchAll()
        let list = try #require(walk.collection)
        #expect(list.isComplete && list.objectIDs.count == 184 && list.unconfirmedIDs.isEmpty)
        return walk.pageCount
    }

    @Test func unchangedPagesAreNotedAfterSomeSeconds() async throws {
        try await run { fixture, _, clock in
            let iterator = try await startedWalk(fixture)
            await clock.waitForSleepers(1)
            clock.advance(by: .seconds(3))
            for _ in 0..<5_000 where try fixture.temporary.rows(Self.progress) != ["3|1"] {
                try await Task.sleep(for: .milliseconds(2))
            }
            #expect(try fixture.temporary.rows(Self.progress) == ["3|1"])
            // The list is the one that the walk has confirmed so far.
            let list = try await fixture.api.collection(
                at: "humans", in: fixture.store, isPaged: true)
            #expect(list?.isComplete == true && list?.objectIDs.count == 184)
            #expect(try await restCount(fixture) == 16)
            _ = iterator
        }
    }

    /// Equal positions and facts are equal bytes in every process.
    @Test func positionsHaveSortedKeys() async throws {
        try await run { fixture, _, _ in
            var iterator = fixture.pages(.keep).makeAsyncIterator()
            _ = try await iterator.next()
            let columns = [
                "position FROM restkit_collection", "state FROM restkit_collection_page",
            ]
            let texts = try columns.flatMap { try fixture.temporary.rows("SELECT '' || \($0)") }
            #expect(texts.count == 2)
            for text in texts {
                let keys = try Document(parsing: text).root.members.map(\.key)
                #expect(keys.count > 1 && keys == keys.sorted())
            }
        }
    }

    @Test(arguments: ["error", "cancellation", "closing"])
    func stoppedWalkIsNoted(_ reason: String) async throws {
        try await run { fixture, served, _ in
            var iterator = try await startedWalk(fixture)
            switch reason {
            case "error":
                served.change { state in
                    state.replacement = { $0 == 3 ? LoopbackResponse(status: 503) : nil }
                }
                await #expect(throws: NetworkingError.self) { try await iterator.next() }
                served.change { $0.replacement = nil }
            case "cancellation":
                let task = Task { [iterator] in
                    var iterator = iterator
                    unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                    _ = try await iterator.next()
                }
                await #expect(throws: (any Error).self) { try await task.value }
            default: try fixture.store.close()
            }
            #expect(try fixture.temporary.rows(Self.progress) == ["3|1"])
            #expect(try await restCount(fixture) == 16)
        }
    }

    @Test func abandonedWalkContinuesInSameProcess() async throws {
        try await run { fixture, served, _ in
            _ = try await startedWalk(fixture)
            served.change { $0.ids[45] = 1_000 }
            var pages = fixture.pages(.keep)
            pages.resumes = true
            let walk = try await pages.fetchAll()
            #expect(walk.pageCount == 16 && walk.collection?.unconfirmedIDs.count == 1)
            #expect(
                try await fixture.numbers(walk.collection?.objectIDs ?? [])
                    == served.state.withLock(\.ids))
        }
    }

    @Test func laterWalkReplacesUnchangedOne() async throws {
        try await run { fixture, _, _ in
            var earlier = try await startedWalk(fixture)
            for try await _ in fixture.pages(.keep) { break }
            while try await earlier.next() != nil {}
            #expect(
                earlier.result.incompletenessReasons == [.superseded]
                    && earlier.result.collection == nil)
            var pages = fixture.pages(.keep)
            pages.resumes = true
            #expect(try await pages.fetchAll().pageCount == 18)
        }
    }

    @Test(arguments: [OrphanPolicy.keep, .delete(maximumShare: 0.5, requiresValidators: false)])
    func listThatEndsEarlierLosesPages(_ policy: OrphanPolicy) async throws {
        try await run { fixture, served, _ in
            let pages = fixture.pages(
                policy, by: .pageNumber(parameter: "page", first: 0))
            _ = try await pages.fetchAll()
            served.change { $0.ids = Array(1...120) }
            let walk = try await pages.fetchAll()
            let list = try #require(walk.collection)
            #expect(try await fixture.numbers(list.objectIDs) == Array(1...120))
            let isDeleting = policy != .keep
            #expect(walk.orphanIDs.count == (isDeleting ? 64 : 0))
            #expect(list.unconfirmedIDs.count == (isDeleting ? 0 : 64))
            #expect(
                try fixture.temporary.rows("SELECT count(*) FROM restkit_collection_page")
                    == ["12"])
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import TestSupport
import Testing

/// Walks over the pages of a list whose processes are killed.
@Suite(.serialized, .tags(.socket)) struct KilledWalkTests {
    private static let pageSize = 5
    /// The objects of the list that the store has at first.
    private static let earlierIDs = Array(1...150)
    /// The objects of the list afterwards, in another order: some are gone, and some are new.
    private static let laterIDs = Array((21...170).reversed())
    private static let lastPage = laterIDs.count / pageSize - 1

    private static func pages(
        _ baseURL: String, into store: ManagedObjectStore, resumes: Bool
    ) throws -> ManagedPages<ManagedPage> {
        let api = try manager(at: baseURL)
        try api.add(ResponseDescriptor(HumanMappings.human))
        var pages = api.pages(of: Human.self, at: "humans", by: .linkHeader, into: store)
        pages.resumes = resumes
        pages.orphans = .delete(maximumShare: 0.5)
        return pages
    }

    /// Walks until the process is killed, some time after a number of pages.
    private static func walk(
        _ baseURL: String, _ path: String, killedAfter pageCount: Int, microseconds: UInt32
    ) async throws {
        var rest = pageCount
        func countPage() {
            if rest == 0 {
                Thread.detachNewThread {
                    usleep(microseconds)
                    raise(SIGKILL)
                }
            }
            rest -= 1
        }
        countPage()
        let store = try await ManagedObjectStore(
            at: URL(filePath: path), model: ManagedObjectModel(HumanFixture.entities))
        while true {
            for try await _ in try pages(baseURL, into: store, resumes: true) { countPage() }
        }
    }

    /// The numbers of the members of a collection in their order, and those of the unconfirmed ones.
    private static func members(
        _ collection: StoredCollection?, in store: ManagedObjectStore
    ) async throws -> [[Int?]] {
        let lists = [collection?.objectIDs ?? [], collection?.unconfirmedIDs ?? []]
        return try await store.read { context in
            try lists.map { try context.objects(Human.self, with: $0).map(\.railsID) }
        }
    }

    /// A process is killed while it opens the file, or some milliseconds after up to six pages, and the
    /// next one continues: 10 times, or `RESTKIT_KILLS` times, which `scripts/crash-test` sets.
    @Test(.threat("T54"), .tags(.slow))
    func endsLikeUninterruptedWalk() async throws {
        let kills = TestEnvironment.number("RESTKIT_KILLS") ?? 10
        let served = ServedPages(Self.earlierIDs)
        served.change { $0.pageSize = Self.pageSize }
        let killed = try await TemporaryStore(HumanFixture.entities)
        let uninterrupted = try await TemporaryStore(HumanFixture.entities)
        let path = killed.store.url.path(percentEncoded: false)
        try await LoopbackServer.run({ served.answer($0) }) { server in
            for store in [killed.store, uninterrupted.store] {
                _ = try await Self.pages(server.baseURL, into: store, resumes: false).fetchAll()
            }
            served.change { $0.ids = Self.laterIDs }
            var source = SplitMix64(seed: 1)
            var known = Set(Self.earlierIDs)
            var (requested, last, unfinishedCount): ([Int], Int?, Int) = ([], nil, 0)
            var hasEnded = false
            for _ in 0..<kills {
                let pageCount = Int.random(in: 0...6, using: &source)
                let delay = UInt32.random(in: 0..<15_000, using: &source)
                let requestCount = server.requests.count
                await #expect(processExitsWith: .signal(SIGKILL)) {
                    [
                        baseURL = server.baseURL as String, path = path as String,
                        pageCount = pageCount as Int, delay = delay as UInt32
                    ] in
                    try await KilledWalkTests.walk(
                        baseURL, path, killedAfter: pageCount, microseconds: delay)
                }
                let pages = server.requests.dropFirst(requestCount).map {
                    Int($0.query.replacing("page=", with: "")) ?? 0
                }
                #expect(pages.count >= pageCount)
                // The first page is the one after the last saved one, of which the request is known. Later
                // walks find unchanged pages, which are repeated unless they were noted.
                if let last, let first = pages.first, last < Self.lastPage {
                    #expect(hasEnded ? first <= last + 1 : first == last || first == last + 1)
                    unfinishedCount += 1
                }
                last = pages.last ?? last
                // A walk from the first page on validates all pages at its end.
                if pages.contains(Self.lastPage) { (last, hasEnded) = (nil, true) }
                requested += pages
                #expect(try await killed.store.checkIntegrity() == [])
                let rows = try killed.rows("SELECT railsID FROM Human").compactMap { Int($0) }
                let stored = Set(rows)
                #expect(rows.count == stored.count)
                #expect(known.intersection(Self.laterIDs).isSubset(of: stored))
                known = stored
            }
            #expect(unfinishedCount > 0)
            let walk = try await Self.pages(
                server.baseURL, into: killed.store, resumes: true
            ).fetchAll()
            #expect(
                try await Self.members(walk.collection, in: killed.store)[0] == Self.laterIDs)
            // A walk in parts proves that nothing is gone; one from the first page to the last does.
            for store in [killed.store, uninterrupted.store] {
                let walk = try await Self.pages(
                    server.baseURL, into: store, resumes: false
                ).fetchAll()
                #expect(walk.incompletenessReasons.isEmpty)
                #expect(try await Self.members(walk.collection, in: store) == [Self.laterIDs, []])
            }
            let rows = try [killed, uninterrupted].map {
                try $0.rows("SELECT railsID, name FROM Human ORDER BY railsID")
            }
            #expect(rows[0] == rows[1])
            #expect(rows[0] == Self.laterIDs.sorted().map { "\($0)|\($0)" })
            print("\(kills) kills: \(requested.count) requests, \(unfinishedCount) continued walks")
        }
    }
}

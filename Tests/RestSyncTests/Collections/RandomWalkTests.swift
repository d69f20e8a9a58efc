// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import Synchronization
import TestSupport
import Testing

/// Random sequences of changes on a server, walks, failures and cancellations, compared with the server.
@Suite(.tags(.socket)) struct RandomWalkTests {
    /// The seeds; more of them by the environment variable `RESTKIT_WALK_SEEDS`.
    private static let seeds = 0..<(TestEnvironment.number("RESTKIT_WALK_SEEDS") ?? UInt64(6))
    private static let stepCount = 25
    private static let pageSize = 10

    /// A generator of random numbers, and the next unused ID.
    private struct Source {
        var generator: SplitMix64
        var nextID = 61

        mutating func number(below limit: Int) -> Int {
            limit == 0 ? 0 : Int.random(in: 0..<limit, using: &generator)
        }

        mutating func chance(_ percent: Int) -> Bool { number(below: 100) < percent }

        /// Returns a change of the list, with an ID that it has never had.
        mutating func change() -> @Sendable (inout ServedPages.State) -> Void {
            let (kind, offset, target) = (
                number(below: 3), number(below: 1000), number(below: 1000)
            )
            nextID += 1
            return { [nextID] state in
                let count = state.ids.count
                switch kind {
                case 0 where !state.ids.contains(nextID):
                    state.ids.insert(nextID, at: offset % (count + 1))
                case 1 where count > 20: state.ids.remove(at: offset % count)
                case 2 where count > 0:
                    let id = state.ids.remove(at: offset % count)
                    state.ids.insert(id, at: target % count)
                default: break
                }
            }
        }
    }

    @Test(.threat("T54"), arguments: seeds)
    func neverDeletesObjectThatServerHas(_ seed: UInt64) async throws {
        try await HumanFixture.run(pages: 1...60) { fixture, served in
            served.change {
                $0.pageSize = Self.pageSize
                $0.repeatsLinks = seed % 4 < 2
            }
            if seed % 2 == 1 { fixture.api.configure { $0.client.cache = HTTPCache() } }
            var source = Source(generator: SplitMix64(seed: seed))
            // A server whose failure lasts cannot be told from one whose list ends at that number.
            let isNumbered = seed % 3 == 2
            served.change { $0.replacesOnce = isNumbered }
            let pagination: Pagination =
                isNumbered ? .pageNumber(parameter: "page", first: 0) : .linkHeader
            let clock = ManualClock()
            fixture.api.configure { $0.client.clock = clock }
            var (completeCount, unchangedCount) = (0, 0)
            for step in 0..<Self.stepCount {
                for _ in 0..<source.number(below: 4) { served.change(source.change()) }
                let before = Set(try fixture.stored())
                let isQuiet = source.chance(50)
                served.change {
                    $0.replacement = nil; $0.change = nil
                }
                if !isQuiet { disturb(served, &source) }
                // Unchanged pages that a walk before has seen are noted in the file.
                if source.chance(20) { clock.advance(by: .seconds(3)) }
                let resumes = source.chance(50)
                // Pages that the store has are confirmed only in walks that do not delete.
                let deletes = source.chance(70)
                let walk = await walk(
                    fixture, isQuiet: isQuiet, deletes: deletes, resumes: resumes, by: pagination,
                    &source)
                let after = try fixture.stored()
                let ids = served.state.withLock(\.ids)
                let deleted = before.subtracting(after)
                #expect(deleted.isDisjoint(with: ids), "seed \(seed), step \(step)")
                #expect(after.count == Set(after).count)
                if !deletes { #expect(deleted.isEmpty) }
                if isQuiet, !resumes, let walk {
                    let members = walk.collection?.objectIDs ?? []
                    #expect(try await fixture.numbers(members) == ids, "seed \(seed), step \(step)")
                    try await checkUnchangedWalk(fixture, by: pagination)
                    unchangedCount += 1
                }
                guard isQuiet, deletes, let walk, walk.incompletenessReasons.isEmpty else {
                    continue
                }
                let pageCount = max(1, (ids.count + Self.pageSize - 1) / Self.pageSize)
                // A walk that continues an earlier one has pages of another time.
                guard walk.pageCount == pageCount else { continue }
                completeCount += 1
                #expect(after == ids.sorted(), "seed \(seed), step \(step)")
                let members = walk.collection?.objectIDs ?? []
                #expect(try await fixture.numbers(members) == ids)
                #expect(walk.collection?.unconfirmedIDs.isEmpty == true)
            }
            #expect(completeCount > 0 && unchangedCount > 0)
        }
    }

    /// Checks that further walks over an unchanged list write neither pages nor members.
    private func checkUnchangedWalk(
        _ fixture: HumanFixture, by pagination: Pagination
    ) async throws {
        func rows() throws -> [String] {
            try ["page", "member"].flatMap {
                try fixture.temporary.rows("SELECT * FROM restkit_collection_\($0)")
            }
        }
        let before = try rows()
        for validates in [true, false] {
            var pages = fixture.pages(.keep, by: pagination)
            pages.validatesStoredPages = validates
            let walk = try await pages.fetchAll()
            #expect(walk.collection?.isComplete == true)
            #expect(try rows() == before)
        }
    }

    /// Adds a failure of a page, or a change after it.
    private func disturb(_ served: ServedPages, _ source: inout Source) {
        let page = source.number(below: 6)
        if source.chance(40) {
            let bodies: [LoopbackResponse] = [
                LoopbackResponse(status: 500), .json("[]"), .json("{}"), .json("[{"),
                LoopbackResponse(status: 304),
            ]
            let response = bodies[source.number(below: bodies.count)]
            served.change { $0.replacement = { $0 == page ? response : nil } }
        } else {
            let change = source.change()
            served.change {
                $0.change = { state, current in if current == page { change(&state) } }
            }
        }
    }

    /// Walks over the pages, and returns the result; `nil` for a walk that did not reach the end.
    private func walk(
        _ fixture: HumanFixture, isQuiet: Bool, deletes: Bool, resumes: Bool,
        by pagination: Pagination, _ source: inout Source
    ) async -> PageTraversalResult? {
        var pages = fixture.pages(deletes ? .delete(maximumShare: 0.5) : .keep, by: pagination)
        pages.resumes = resumes
        if !isQuiet, source.chance(30) {
            let task = Task { [pages] in try await pages.fetchAll() }
            for _ in 0..<source.number(below: 200) { await Task.yield() }
            task.cancel()
            return try? await task.value
        }
        if !isQuiet, source.chance(30) {
            var rest = source.number(below: 6)
            do {
                for try await _ in pages {
                    if rest == 0 { break }
                    rest -= 1
                }
            } catch {}
            return nil
        }
        return try? await pages.fetchAll()
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestPersistence
import TestSupport
import Testing

/// Random changes, saves and merges of several contexts in layers, whose effect a naive model
/// predicts.
///
/// Set `RESTKIT_CONTEXT_SEEDS` for more seeds than 6, of 200 steps each, and
/// `RESTKIT_CONTEXT_FIRST_SEED` for others than those from 0.
@MainActor @Suite struct RandomContextTests {
    nonisolated static let seeds = {
        let first = TestEnvironment.number("RESTKIT_CONTEXT_FIRST_SEED") ?? 0
        return first..<first + (TestEnvironment.number("RESTKIT_CONTEXT_SEEDS") ?? 6)
    }()

    @Test func contextsWithSetsEqualNaiveModel() async throws { try await run(.sets) }

    @Test func contextsWithListsEqualNaiveModel() async throws { try await run(.lists) }

    @Test func contextsWithFavouritesEqualNaiveModel() async throws { try await run(.favourites) }

    private func run(_ kind: RandomContexts.Kind) async throws {
        var counts: [String: Int] = [:]
        var failures = 0
        for seed in Self.seeds where failures < 5 {
            let files = try TemporaryStore()
            let store = try await files.open(RandomContexts.entities(isOrdered: kind == .lists))
            let contexts = try RandomContexts(store, files, kind, seed: seed)
            do {
                for number in 1...200 {
                    // Random steps alone do not reach each outcome.
                    if number.isMultiple(of: 50) {
                        try contexts.conflict(byDeleting: number.isMultiple(of: 100))
                    } else {
                        try contexts.step()
                    }
                }
            } catch {
                let trace = contexts.trace.joined(separator: "\n")
                Issue.record("seed \(seed), \(kind): \(error)\n\(trace)")
                failures += 1
                continue
            }
            counts.merge(contexts.counts, uniquingKeysWith: +)
            try store.close()
        }
        // The steps reach each outcome.
        for outcome in ["saved", "objectNotFound", "saveConflict", "child saved", "chain saved"] {
            #expect(counts[outcome, default: 0] > 0, "\(outcome)")
        }
        print(
            counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(
                separator: ", "))
    }
}

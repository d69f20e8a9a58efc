// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import TestSupport
import Testing

/// Random schedules of a program and a server, whose answers arrive in any order, late or never, compared with a
/// model of what the store may contain.
///
/// Set `RESTKIT_SCHEDULE_SEEDS` for more seeds, and `RESTKIT_SCHEDULE_FIRST_SEED` for others than those from 0.
@Suite struct RandomScheduleTests {
    private static let groupCount = 4
    private static let stepCount = 40
    private static let defaultSeedCount: UInt64 = 120

    /// The outcomes that the default number of schedules reaches.
    private static let outcomes = [
        "confirmed", "conflicts", "deleted", "evictions", "orphans", "patched", "posted", "resets",
        "saved", "stale", "superseded", "taken over", "walk orphans",
    ]

    private static let seeds: Range<UInt64> = {
        let first: UInt64 = TestEnvironment.number("RESTKIT_SCHEDULE_FIRST_SEED") ?? 0
        let count = TestEnvironment.number("RESTKIT_SCHEDULE_SEEDS") ?? defaultSeedCount
        return first..<first + count
    }()

    /// Runs a schedule, and returns the difference with the trace; `nil` if there is none.
    private static func failure(
        of steps: [ScheduleStep], counting count: (ScheduleRun) async -> Void = { _ in }
    ) async throws -> String? {
        let run = try await ScheduleRun()
        do {
            try await run.run(steps)
            await count(run)
            return nil
        } catch {
            await run.abandon()
            return "\(error)\n\(await run.trace.joined(separator: "\n"))"
        }
    }

    /// Runs schedules until two have failed, which are shrunk.
    ///
    /// - Returns: The numbers of outcomes.
    private static func run(_ seeds: [UInt64]) async throws -> [String: Int] {
        var counts: [String: Int] = [:]
        var failureCount = 0
        for seed in seeds where failureCount < 2 {
            let steps = ScheduleStep.schedule(seed, count: stepCount)
            let failure = try await failure(of: steps) { run in
                counts.merge(await run.counts, uniquingKeysWith: +)
            }
            if failure == nil { continue }
            failureCount += 1
            let short = await steps.shrunk { fewer in
                (try? await Self.failure(of: fewer)) != nil
            }
            let text = try await Self.failure(of: short) ?? "no failure of the short schedule"
            Testing.Issue.record("seed \(seed), \(short.count) of \(steps.count) steps:\n\(text)")
        }
        return counts
    }

    @Test func storeContainsWhatResponsesMayWrite() async throws {
        let seeds = Self.seeds
        let counts = try await withThrowingTaskGroup(of: [String: Int].self) { tasks in
            for group in 0..<UInt64(Self.groupCount) {
                tasks.addTask {
                    try await Self.run(seeds.filter { $0 % UInt64(Self.groupCount) == group })
                }
            }
            return try await tasks.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }
        }
        if seeds.count < Self.defaultSeedCount { return }
        for outcome in Self.outcomes { #expect(counts[outcome, default: 0] > 0, "\(outcome)") }
    }
}

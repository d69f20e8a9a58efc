// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Random schedules of saves, sends, failures and crashes, with the invariants of the outbox after every step.
///
/// `RESTKIT_OUTBOX_SCHEDULES` is their number; `RESTKIT_OUTBOX_SEED` runs one of them, and prints what happens.
@Suite struct OutboxScheduleTests {
    private static let partCount = 20
    private static let count: UInt64 = TestEnvironment.number("RESTKIT_OUTBOX_SCHEDULES") ?? 2_000
    private static let seed: UInt64? = TestEnvironment.number("RESTKIT_OUTBOX_SEED")

    @Test(arguments: 0..<20) func invariantsHoldAfterEveryStep(part: UInt64) throws {
        if let seed = Self.seed {
            if part == 0, let violation = try Self.violation(of: seed, isPrinted: true) {
                Issue.record("\(violation)")
            }
            return
        }
        for seed in stride(from: part, to: Self.count, by: Self.partCount) {
            guard let violation = try Self.violation(of: seed) else { continue }
            Issue.record("\(violation)")
            return
        }
    }

    /// Runs a schedule, and returns the first violation.
    private static func violation(of seed: UInt64, isPrinted: Bool = false) throws -> String? {
        var simulation = try OutboxSimulation(seed: seed)
        var violation: String?
        for step in 0..<100 where violation == nil {
            simulation.step()
            let found = simulation.violations()
            if !found.isEmpty { violation = "seed \(seed), step \(step): \(found)" }
        }
        if violation == nil {
            simulation.heal()
            let found = simulation.finalViolations()
            if !found.isEmpty { violation = "seed \(seed), at the end: \(found)" }
        }
        if isPrinted { print((simulation.log + simulation.unsent()).joined(separator: "\n")) }
        return violation
    }
}

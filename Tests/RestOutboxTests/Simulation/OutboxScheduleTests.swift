// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Random schedules of saves, sends, failures and crashes, with the invariants of the outbox after every step.
@Suite struct OutboxScheduleTests {
    private static let partCount = 20

    /// The number of schedules: 2,000, or that of `RESTKIT_OUTBOX_SCHEDULES`.
    private static var count: UInt64 {
        let text = ProcessInfo.processInfo.environment["RESTKIT_OUTBOX_SCHEDULES"]
        return text.flatMap(UInt64.init) ?? 2_000
    }

    @Test(arguments: 0..<20) func invariantsHoldAfterEveryStep(part: UInt64) throws {
        for seed in stride(from: part, to: Self.count, by: Self.partCount) {
            var simulation = try OutboxSimulation(seed: seed)
            for step in 0..<80 {
                simulation.step()
                let violations = simulation.violations()
                try #require(violations.isEmpty, "seed \(seed), step \(step): \(violations)")
            }
            simulation.heal()
            let violations = simulation.finalViolations()
            try #require(violations.isEmpty, "seed \(seed), at the end: \(violations)")
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Testing

/// Random schedules of saves, sends, failures and crashes, with the invariants of the outbox after every step.
@Suite struct OutboxScheduleTests {
    @Test(arguments: 0..<10) func invariantsHoldAfterEveryStep(part: UInt64) throws {
        for seed in part * 30..<(part + 1) * 30 {
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

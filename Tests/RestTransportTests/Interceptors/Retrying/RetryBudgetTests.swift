// SPDX-License-Identifier: Apache-2.0

import RestTransport
import TestSupport
import Testing

@Suite struct RetryBudgetTests {
    @Test func drainsAndRefills() throws {
        let budget = RetryBudget(capacity: 3)
        let url = try HTTPURL(parsing: "https://api.test/a")
        let other = try HTTPURL(parsing: "https://api.test:444/a")
        let start = ContinuousClock.now
        let first = (0..<5).map { _ in budget.take(for: url, at: start) }
        #expect(first == [true, true, true, false, false])
        #expect(budget.take(for: other, at: start))
        #expect(!budget.take(for: url, at: start + .milliseconds(900)))
        #expect(budget.take(for: url, at: start + .milliseconds(1100)))
        #expect(!budget.take(for: url, at: start + .milliseconds(1100)))
        for _ in 0..<11 { budget.recordSuccess(for: url, at: start + .milliseconds(1100)) }
        #expect(budget.take(for: url, at: start + .milliseconds(1100)))
        #expect(!budget.take(for: url, at: start + .milliseconds(1100)))
        // Full buckets are removed.
        #expect(budget.hostCount == 2)
        budget.recordSuccess(for: url, at: start + .seconds(60))
        budget.recordSuccess(for: other, at: start + .seconds(60))
        #expect(budget.hostCount == 0)
    }

    @Test func storesBoundedNumberOfHosts() throws {
        let budget = RetryBudget(capacity: 3)
        var now = ContinuousClock.now
        for number in 0..<1000 {
            now += .seconds(1)
            let url = try HTTPURL(parsing: "https://host\(number).test/")
            #expect(budget.take(for: url, at: now))
            #expect(budget.hostCount <= 65)
        }
    }
}

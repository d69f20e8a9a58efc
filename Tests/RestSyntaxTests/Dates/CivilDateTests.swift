// SPDX-License-Identifier: Apache-2.0

import RestSyntax
import Testing

@Suite struct CivilDateTests {
    /// Each month begins where the one before ends, and the count begins in 1970.
    @Test func countsDaysOfConsecutiveMonths() throws {
        var start = try #require(CivilDate(year: -9_999, month: 1, day: 1)).seconds
        for year in -9_999...10_001 {
            for month in 1...12 {
                let found = try #require(CivilDate(year: year, month: month, day: 1)).seconds
                guard found == start else {
                    Issue.record("\(year)-\(month): \(found) instead of \(start)")
                    return
                }
                if year == 1970, month == 1 { #expect(found == 0) }
                start += CivilDay.dayCount(ofMonth: month, in: year) * 86_400
            }
        }
    }

    @Test(arguments: [-10_000, 10_000_000, Int.min, Int.max])
    func rejectsUnsupportedYears(year: Int) {
        #expect(CivilDate(year: year, month: 1, day: 1)?.seconds == nil)
    }
}

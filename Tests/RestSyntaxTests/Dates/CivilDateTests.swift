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

    /// The largest number below the end of the year 9999 is 2^-15 seconds before it.
    @Test(arguments: 0...9) func keepsLastInstantInItsYear(digits: Int) throws {
        let last = Double(CivilDate.endSecond).nextDown
        let date = try #require(CivilDate(secondsSince1970: last, digits: digits))
        #expect(date.seconds == CivilDate.endSecond - 1)
        #expect(date.fraction < 1)
        if digits > 0 { #expect(date.fraction >= 1 - 1 / CivilDate.scale(digits) - 0x1p-15) }
        let earlier = try #require(CivilDate(secondsSince1970: 1.99999, digits: 3))
        #expect(earlier.seconds == 2 && earlier.fraction == 0)
    }
}

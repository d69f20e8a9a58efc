// SPDX-License-Identifier: Apache-2.0

import RestSyntax
import Testing

@Suite struct CivilDayTests {
    @Test func roundTripsDayNumbers() throws {
        let first = try #require(CivilDay(year: -9_999, month: 1, day: 1)).dayNumber
        let last = try #require(CivilDay(year: 10_001, month: 12, day: 31)).dayNumber
        for dayNumber in stride(from: first, through: last, by: 13) {
            let day = CivilDay(dayNumber: dayNumber)
            guard CivilDay(year: day.year, month: day.month, day: day.day) == day,
                day.dayNumber == dayNumber
            else {
                Issue.record("\(dayNumber): \(day)")
                return
            }
        }
        #expect(CivilDay(dayNumber: 0) == CivilDay(year: 1970, month: 1, day: 1))
    }

    @Test(arguments: [
        (2023, 2, 29), (1900, 2, 29), (2024, 2, 30), (2024, 4, 31), (2024, 0, 1), (2024, 13, 1),
        (2024, 1, 0), (2024, 1, 32), (-10_000, 1, 1), (10_000_000, 1, 1),
    ])
    func rejectsDaysOutsideOfTheCalendar(year: Int, month: Int, day: Int) {
        #expect(CivilDay(year: year, month: month, day: day) == nil)
    }

    @Test(arguments: [(2000, 2, 29, 2), (1994, 11, 6, 0), (1969, 12, 31, 3), (1970, 1, 1, 4)])
    func returnsTheDayOfTheWeek(year: Int, month: Int, day: Int, weekday: Int) throws {
        let day = try #require(CivilDay(year: year, month: month, day: day))
        #expect(CivilDay.weekday(ofDayNumber: day.dayNumber) == weekday)
    }
}

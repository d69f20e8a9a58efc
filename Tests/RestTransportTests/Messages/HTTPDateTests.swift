// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestTransport
import TestSupport
import Testing

@Suite(.tags(.specification)) struct HTTPDateTests {
    @Test(
        .parity("N312"),
        arguments: [
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0),
            ("Mon, 27 Jan 1969 00:00:00 GMT", -29_289_600),
            ("Mon, 18 Nov 1991 12:34:56 GMT", 690_467_696),
        ])
    func parsesExactInstants(text: String, seconds: Double) {
        #expect(HTTPDate.parse(text) == Date(timeIntervalSince1970: seconds))
        #expect(HTTPDate.format(Date(timeIntervalSince1970: seconds)) == text)
    }

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994", "SUN, 06 NOV 1994 08:49:37 gmt",
    ])
    func parsesAllThreeFormats(text: String) {
        #expect(HTTPDate.parse(text) == Date(timeIntervalSince1970: 784_111_777))
    }

    @Test(arguments: [
        "", "0", "-1", "Thu, 18 Aug 2050 02:01:18 AEST", "Thu, 18 Aug 2050 02:01:18 UTC",
        "Thu, 18 Aug 50 02:01:18 GMT", "Thu, 18  Aug  2050 02:01:18 GMT",
        "Thu, 18-Aug-2050 02:01:18 GMT", "Thu, 18 Aug 2050 2:01:18 GMT",
        "Thu 18 Aug 2050 02:01:18 GMT", "Thu, 18 Aug 2050 02.01.18 GMT",
        "Thu, 18 Aug 2050 02:01:18 GMT ", "Thu, 18 Aug 2050 02:01:18", "Thu, 18 Aug 2050",
        "Foo, 18 Aug 2050 02:01:18 GMT", "Thu, 18 Foo 2050 02:01:18 GMT",
        "Sat, 30 Feb 2019 00:00:00 GMT", "Fri, 29 Feb 2019 00:00:00 GMT",
        "Thu, 18 Aug 2050 24:00:00 GMT", "Thu, 18 Aug 2050 02:60:00 GMT",
        "Thu, 18 Aug 2050 02:01:61 GMT", "Thu, 00 Aug 2050 02:01:18 GMT",
        "Thursday, 18-Aug-2050 02:01:18 GMT", "Sun Nov 6 08:49:37 1994",
        "Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT",
    ])
    func rejectsOtherFormats(text: String) {
        #expect(HTTPDate.parse(text) == nil)
    }

    @Test(arguments: [
        ("76", 2076), ("77", 1977), ("94", 1994), ("26", 2026), ("00", 2000),
    ])
    func resolvesTwoDigitYearWithinFiftyYears(year: String, expected: Int) throws {
        let now = Date(timeIntervalSince1970: 1_767_225_600)
        let text = "Thursday, 01-Jan-\(year) 00:00:00 GMT"
        let date = try #require(HTTPDate.parse(text, now: now))
        #expect(HTTPDate.format(date).contains(" \(expected) "))
    }

    @Test func roundTripsDates() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<10_000 {
            let seconds = Double(
                Int.random(in: -62_167_219_200...253_402_300_799, using: &generator))
            let date = Date(timeIntervalSince1970: seconds)
            #expect(HTTPDate.parse(HTTPDate.format(date)) == date, "\(seconds)")
        }
        #expect(HTTPDate.format(Date(timeIntervalSince1970: 0.999)).hasSuffix("00:00:00 GMT"))
        #expect(HTTPDate.format(Date(timeIntervalSince1970: -0.5)).hasSuffix("23:59:59 GMT"))
        #expect(HTTPDate.format(.distantFuture).count == 29)
    }
}

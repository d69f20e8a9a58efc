// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping
import TestSupport
import Testing

@Suite struct DateFormatTests {
    // MARK: Patterns

    @Test(
        arguments: [
            ("dd/MM/yyyy", "03/01/2012", 1_325_548_800.0), ("d.M.yy", "3.1.12", 1_325_548_800),
            ("yyyyMMddHHmmss", "20120103040506", 1_325_563_506),
            ("h:mm a, d MMMM y", "4:05 PM, 3 January 2012", 1_325_606_700),
            ("hh:mm:ss a 'on' yyyy-MM-dd", "12:00:01 AM on 2012-01-03", 1_325_548_801),
            ("EEE MMM dd HH:mm:ss Z yyyy", "Tue Jan 03 04:05:06 +0100 2012", 1_325_559_906),
            ("yyyy-MM-dd'T'HH:mm:ss.SSSZZZZZ", "2012-01-03T04:05:06.250-05:00", 1_325_581_506.25),
            ("yyyy-MM-dd HH:mm:ssX", "2012-01-03 04:05:06-05", 1_325_581_506),
            ("HH 'o''clock' yyyy-MM-dd", "07 o'clock 2012-01-03", 1_325_574_000),
            ("yyyy-MM-dd HH:mm z", "2012-01-03 04:05 EST", 1_325_581_500),
            ("yyyy-MM-dd HH:mm zzzz", "2012-01-03 04:05 GMT-05:00", 1_325_581_500),
        ])
    func readsPatterns(pattern: String, text: String, seconds: Double) throws {
        let format = try DateFormat(pattern)
        #expect(format.date(from: text)?.timeIntervalSince1970 == seconds)
        #expect(format.date(from: text + "x") == nil)
        #expect(format.date(from: "") == nil)
    }

    /// Foundation's formatter is the reference for the text of a pattern.
    @Test(arguments: [
        "dd/MM/yyyy", "d.M.yy", "yyyyMMddHHmmss", "h:mm a, d MMMM y", "hh:mm:ss a 'on' yyyy-MM-dd",
        "EEE MMM dd HH:mm:ss Z yyyy", "EEEE, d-MMM-yy H:m:s", "yyyy-MM-dd'T'HH:mm:ss.SSSZZZZZ",
        "yyyy-MM-dd HH:mm:ssX", "yyyy-MM-dd HH:mm:ssXX", "yyyy-MM-dd HH:mm:ssXXX",
        "HH 'o''clock' yyyy-MM-dd", "EEE, dd MMM yyyy HH:mm:ss zzz",
    ])
    func writesPatternsAsFoundationDoes(pattern: String) throws {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.dateFormat = pattern
        for zone in [TimeZone.gmt, try #require(TimeZone(secondsFromGMT: -9000))] {
            if pattern.contains("zzz"), zone != .gmt { continue }
            formatter.timeZone = zone
            let format = try DateFormat(pattern, zone: zone)
            for seconds in [0.0, -1, 951_782_400, 1_325_563_506.25, 4_107_542_399, -11_676_096_000]
            {
                let date = Date(timeIntervalSince1970: seconds)
                #expect(format.text(from: date) == formatter.string(from: date))
            }
        }
    }

    @Test(arguments: ["YYYY-MM-dd", "yyy", "QQ", "MMMMM", "EEEEE", "yyyy-MM-dd k", "L", "ww"])
    func throwsForUnknownSymbols(pattern: String) {
        let error = #expect(throws: MappingError.self) { try DateFormat(pattern) }
        #expect(error?.code == .invalidDateFormat)
        #expect(error?.description.contains(pattern) == true)
    }

    @Test(arguments: [
        ("HH:mm", "24:01"), ("HH:mm", "12:60"), ("h a", "13 PM"), ("h a", "0 AM"),
        ("yyyy-MM-dd", "2011-02-29"), ("dd MMM", "30 Feb"), ("MMM", "Foo"), ("z", "XYZ"),
        ("Z", "+2500"), ("Z", "+0199"), ("yyyy", "12345"), ("S", "x"),
    ])
    func rejectsInvalidDates(pattern: String, text: String) throws {
        #expect(try DateFormat(pattern).date(from: text) == nil)
    }

    // MARK: Zones

    @Test func readsTextWithoutZoneInZoneOfFormat() throws {
        let eastern = try #require(TimeZone(identifier: "America/New_York"))
        let format = try DateFormat("yyyy-MM-dd HH:mm", zone: eastern)
        #expect(
            format.date(from: "2011-07-01 00:00")
                == DateFormat.iso8601.date(from: "2011-07-01T04:00Z"))
        #expect(
            format.date(from: "2011-12-01 00:00")
                == DateFormat.iso8601.date(from: "2011-12-01T05:00Z"))
        let iso = DateFormat.iso8601.in(eastern)
        #expect(
            iso.date(from: "2011-07-01T00:00:00Z") == DateFormat.iso8601.date(from: "2011-07-01"))
        let noon = try #require(DateFormat.iso8601.date(from: "2011-07-01T12:00Z"))
        #expect(iso.text(from: noon) == "2011-07-01T08:00:00-04:00")
        #expect(format.text(from: noon) == "2011-07-01 08:00")
    }

    /// Each half hour around both clock changes of a year is read as by Foundation's calendar.
    @Test func readsClockChangesAsCalendarDoes() throws {
        let eastern = try #require(TimeZone(identifier: "America/New_York"))
        let format = try DateFormat("yyyy-MM-dd HH:mm", zone: eastern)
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = eastern
        for (month, day) in [(3, 13), (11, 6)] {
            for half in 0..<12 {
                let parts = DateComponents(
                    year: 2011, month: month, day: day, hour: half / 2, minute: half % 2 * 30)
                let text = String(
                    format: "2011-%02d-%02d %02d:%02d", month, day, half / 2, half % 2 * 30)
                #expect(format.date(from: text) == calendar.date(from: parts), "\(text)")
            }
        }
    }

    // MARK: Writing

    @Test func roundTripsFormats() throws {
        let date = Date(timeIntervalSince1970: 1_325_563_506)
        let formats: [DateFormat] = [
            .rfc3339, .iso8601, .iso8601InSeconds, .iso8601WithFraction, .timestamp, .rfc1123,
            .rfc850, .asctime, .seconds, .milliseconds, .dotNet(),
        ]
        for format in formats {
            let text = try #require(format.text(from: date))
            #expect(format.date(from: text) == date, "\(format)")
        }
        #expect(DateFormat.iso8601.text(from: date) == "2012-01-03T04:05:06Z")
        #expect(
            DateFormat.iso8601WithFraction.text(from: date + 0.0004) == "2012-01-03T04:05:06.000Z")
        #expect(
            DateFormat.iso8601WithFraction.text(from: date + 0.9996) == "2012-01-03T04:05:07.000Z")
        #expect(DateFormat.rfc3339.text(from: date + 0.25) == "2012-01-03T04:05:06.25Z")
        #expect(DateFormat.rfc3339.text(from: date) == "2012-01-03T04:05:06Z")
        #expect(DateFormat.asctime.text(from: date) == "Tue Jan 3 04:05:06 2012")
    }

    @Test(arguments: [Double.nan, .infinity, 253_402_300_800, -62_167_219_201])
    func returnsNilForUnrepresentableDates(seconds: Double) throws {
        let date = Date(timeIntervalSince1970: seconds)
        #expect(DateFormat.iso8601.text(from: date) == nil)
        #expect(DateFormat.rfc1123.text(from: date) == nil)
        let east = try #require(TimeZone(secondsFromGMT: 3600))
        let last = Date(timeIntervalSince1970: 253_402_300_799)
        #expect(DateFormat.iso8601.text(from: last) == "9999-12-31T23:59:59Z")
        #expect(DateFormat.iso8601.in(east).text(from: last) == nil)
    }

    /// The last instant of the year 9999 does not round up, in UTC or in the zone of the format.
    @Test(arguments: [0, 3600, -3600, 45_900])
    func truncatesLastInstantOfYear9999(offset: Int) throws {
        let zone = try #require(TimeZone(secondsFromGMT: offset))
        // Dates of this year have a resolution of 31 µs.
        let end = 253_402_300_800 - Double(max(offset, 0))
        let last = Date(timeIntervalSinceReferenceDate: (end - 978_307_200).nextDown)
        let text = try DateFormat("yyyy-MM-dd HH:mm:ss.SSS", zone: zone)
        for (format, fraction) in [
            (DateFormat.iso8601InSeconds, ""), (.iso8601WithFraction, ".999"),
            (.timestamp, ".999"), (.rfc3339, ".999969"), (.iso8601, ".999969"), (text, ".999"),
        ] {
            let written = try #require(format.in(zone).text(from: last), "\(format)")
            let hour = offset < 0 ? "22:59:59" : "23:59:59"
            let space = format == text ? " " : "T"
            #expect(
                written.hasPrefix("9999-12-31\(space)\(hour)\(fraction)"), "\(format): \(written)")
            #expect(format.in(zone).text(from: Date(timeIntervalSince1970: end)) == nil)
        }
    }

    /// Beyond that, dates do not resolve milliseconds, so that reading and writing would change the
    /// text.
    @Test func writesDotNetDatesWithinMillisecondRange() {
        let end = 2_251_799_813_685.248
        for seconds in [end, -end, -4_409_903_808_512.19, 1e15, .greatestFiniteMagnitude] {
            #expect(DateFormat.dotNet().text(from: Date(timeIntervalSince1970: seconds)) == nil)
        }
        for step in 1...2000 {
            let date = Date(timeIntervalSince1970: end - Double(step) * 0.3337)
            let text = DateFormat.dotNet().text(from: date)
            let copy = text.flatMap { DateFormat.dotNet().date(from: $0) }
            #expect(text != nil && copy.flatMap { DateFormat.dotNet().text(from: $0) } == text)
        }
    }
}

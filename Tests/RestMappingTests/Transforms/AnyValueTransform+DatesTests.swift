// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestMapping
import TestSupport
import Testing

@Suite struct AnyValueTransformDatesTests {
    private let epoch = Date(timeIntervalSince1970: 0)
    private let morning = Date(timeIntervalSince1970: 1_378_905_896)

    // MARK: Seconds since 1970

    @Test(.parity("M117", "M118")) func convertsBetweenSecondsAndDates() {
        #expect(AnyValueTransform.date(.seconds).canTransform(from: Int.self, to: Date.self))
        #expect(AnyValueTransform.date(.seconds).canTransform(from: String.self, to: Date.self))
        #expect(AnyValueTransform.date(.seconds).canTransform(from: Date.self, to: Int.self))
        #expect(AnyValueTransform.date(.seconds).canTransform(from: Date.self, to: String.self))
        #expect(!AnyValueTransform.date(.seconds).canTransform(from: Int.self, to: URL.self))
    }

    @Test(.parity("M119", "M120", "M121", "M122")) func roundTripsSeconds() throws {
        #expect(try AnyValueTransform.date(.seconds).transform(0, as: Date.self) == epoch)
        #expect(try AnyValueTransform.date(.seconds).transform("0", as: Date.self) == epoch)
        #expect(try AnyValueTransform.date(.seconds).transform(epoch, as: Int.self) == 0)
        #expect(try AnyValueTransform.date(.seconds).transform(epoch, as: Double.self) == 0)
        #expect(try AnyValueTransform.date(.seconds).transform(epoch, as: String.self) == "0")
        #expect(
            try AnyValueTransform.date(.seconds).transform(morning, as: String.self) == "1378905896"
        )
        #expect(
            try AnyValueTransform.date(.seconds).transform(epoch + 0.5, as: String.self) == "0.5")
        #expect(
            try AnyValueTransform.date(.milliseconds).transform(1500, as: Date.self) == epoch + 1.5)
        #expect(
            try AnyValueTransform.date(.milliseconds).transform(epoch + 1.5, as: Int.self) == 1500)
    }

    @Test(.parity("M123", "M124", "M125")) func rejectsOtherSecondsConversions() {
        expectFailure(.inputNotAcceptable, of: .date(.seconds), [1], to: Date.self)
        expectFailure(.failed, of: .date(.seconds), invalidText, to: Date.self)
        expectFailure(.failed, of: .date(.seconds), epoch + 0.5, to: Int.self)
        expectFailure(.outputNotSupported, of: .date(.seconds), 1, to: Data.self)
        expectFailure(.outputNotSupported, of: .date(.seconds), epoch, to: Data.self)
    }

    @Test func convertsBlankTextToNull() throws {
        #expect(try AnyValueTransform.date(.seconds).transform(" ", to: Date.self) == nil)
        #expect(try AnyValueTransform.standard().transform("", to: Date.self) == nil)
    }

    // MARK: Timestamps

    @Test(.parity("M126", "M127")) func convertsBetweenTimestampsAndDates() {
        #expect(AnyValueTransform.date(.timestamp).canTransform(from: String.self, to: Date.self))
        #expect(AnyValueTransform.date(.timestamp).canTransform(from: Date.self, to: String.self))
        #expect(!AnyValueTransform.date(.timestamp).canTransform(from: Int.self, to: URL.self))
        #expect(!AnyValueTransform.date(.timestamp).canTransform(from: Int.self, to: Date.self))
    }

    @Test(
        .parity("M128", "M129", "M130", "M133"),
        arguments: [
            ("2013-09-11T09:24:56-04:00", 1_378_905_896.0),
            ("2013-09-11T09:24:56.123-04:00", 1_378_905_896.123),
            ("2013-09-11T09:24:56.123456-04:00", 1_378_905_896.123),
            ("3001-09-11T09:24:56-04:00", 32_557_123_496),
        ])
    func readsTimestamps(text: String, seconds: Double) throws {
        let date = try #require(
            try AnyValueTransform.date(.timestamp).transform(text, as: Date.self))
        #expect(abs(date.timeIntervalSince1970 - seconds) < 0.0005)
    }

    @Test(
        .parity("M131"),
        arguments: [
            "2009-05-11 14:39:22", "2009-05-11T14:39:22", "2009-05-11T10:39:22-04:00",
            "2009-05-11T14:39:22-00:00", "2009-05-11T14:39:22-0000", "2009-05-11T14:39:22Z",
        ])
    func readsSpellingsOfOneTimestamp(text: String) throws {
        let seconds = 1_242_052_762.0
        #expect(DateFormat.timestamp.date(from: text)?.timeIntervalSince1970 == seconds)
        let fractional = text.replacing(":22", with: ":22.777")
        let date = try #require(DateFormat.timestamp.date(from: fractional))
        #expect(abs(date.timeIntervalSince1970 - seconds - 0.777) < 1e-6)
    }

    @Test(
        .parity("M131"),
        arguments: [
            "2009-05-11T14:39", "2009-05-11 14:39Z", "2009-05-11T14:39+00:00", "2009-05-11 14",
            "2009-05-11T14Z", "2009-05-11", "2009-05", "2009", "20090511", "200905",
            "2009-W20", "2009-W20-1", "2009W20", "2009W201", "2009-W20-1T14:39:22Z",
            "2009-W20T14:39:22Z", "2009-131", "2009131", "2009-131T14:39:22Z", "20090511T143922Z",
            "20090511T143922", "20090511T1439", "2009-05-11T143922Z", "20090511T14:39:22Z",
            "2007-04-05T24:00", "2007-04-05T24:00Z", "2009-05-11T14:39:22+00",
        ])
    func rejectsIncompleteTimestamps(text: String) {
        expectFailure(.inputNotAcceptable, of: .date(.timestamp), text, to: Date.self)
    }

    @Test(.parity("M132")) func writesTimestampsWithThreeDigits() throws {
        let format = AnyValueTransform.date(.timestamp)
        #expect(try format.transform(epoch, as: String.self) == "1970-01-01T00:00:00.000Z")
        #expect(
            try format.transform(morning + 0.123, as: String.self) == "2013-09-11T13:24:56.123Z")
    }

    @Test(.parity("M134", "M135", "M136", "M137")) func rejectsOtherTimestampConversions() {
        expectFailure(.inputNotAcceptable, of: .date(.timestamp), ["x"], to: Date.self)
        expectFailure(.inputNotAcceptable, of: .date(.timestamp), "", to: Date.self)
        expectFailure(.inputNotAcceptable, of: .date(.timestamp), invalidText, to: Date.self)
        expectFailure(.outputNotSupported, of: .date(.timestamp), epoch, to: Data.self)
        expectFailure(
            .outputNotSupported, of: .date(.timestamp), "2009-05-11T14:39:22Z", to: Data.self)
        expectFailure(.failed, of: .date(.timestamp), "2009-02-30T14:39:22Z", to: Date.self)
    }

    // MARK: The default chain

    /// The process of the test has another zone than UTC, as no date of HTTP is in the local zone.
    @Test(
        .parity("M138", "M139", "M140"),
        arguments: [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994",
        ])
    func chainReadsHTTPDatesInEveryZone(text: String) async {
        await #expect(processExitsWith: .success) { [text] in
            // Only the main thread runs in the process so far.
            #expect(unsafe setenv("TZ", "Pacific/Chatham", 1) == 0)
            tzset()
            NSTimeZone.resetSystemTimeZone()
            let instant = Date(timeIntervalSince1970: 784_111_777)
            #expect(TimeZone.current.secondsFromGMT(for: instant) != 0)
            let date = try AnyValueTransform.standard().transform(text, as: Date.self)
            #expect(date == instant)
        }
    }

    @Test func chainWritesISO8601WithNeededFraction() throws {
        let chain = AnyValueTransform.standard()
        #expect(try chain.transform(epoch, as: String.self) == "1970-01-01T00:00:00Z")
        #expect(try chain.transform(epoch + 0.25, as: String.self) == "1970-01-01T00:00:00.25Z")
    }

    // MARK: .NET

    @Test(.parity("M185", "M186")) func dotNetFormatHasZone() throws {
        #expect(DateFormat.dotNet().zone == .gmt)
        let central = try #require(TimeZone(identifier: "America/Chicago"))
        #expect(DateFormat.dotNet(zone: central).zone == central)
    }

    @Test(
        .parity("M187", "M188", "M189", "M193"),
        arguments: [
            ("/Date(1000212360000-0400)/", 1_000_212_360.0),
            ("/Date(1112715000000)/", 1_112_715_000),
            ("/Date(-864000000000)/", -864_000_000), ("at /DATE(1500+0100)/ UTC", 1.5),
        ])
    func readsDotNetDates(text: String, seconds: Double) throws {
        let date = Date(timeIntervalSince1970: seconds)
        #expect(DateFormat.dotNet().date(from: text) == date)
        #expect(try AnyValueTransform.date(.dotNet()).transform(text, as: Date.self) == date)
    }

    @Test(
        .parity("M190"),
        arguments: [
            nil, "(null)", "1112715000-0500", "/Date()/", "/Date(x)/", "/Date(1", "/Date(1)",
            "/Date(1-04)/", "/Date(99999999999999999999)/",
        ])
    func rejectsInvalidDotNetDates(text: String?) {
        #expect(text.flatMap { DateFormat.dotNet().date(from: $0) } == nil)
        expectFailure(
            text == nil ? .inputNotAcceptable : .failed, of: .date(.dotNet()), text,
            to: Date.self)
    }

    @Test(.parity("M191", "M192")) func writesDotNetDatesWithOffsetOfDate() throws {
        let eastern = DateFormat.dotNet(
            zone: try #require(TimeZone(identifier: "America/New_York")))
        let summer = Date(timeIntervalSince1970: 1_000_212_360)
        #expect(eastern.text(from: summer) == "/Date(1000212360000-0400)/")
        #expect(
            try AnyValueTransform.date(eastern).transform(summer, as: String.self)
                == "/Date(1000212360000-0400)/")
        let winter = Date(timeIntervalSince1970: 1_005_482_760)
        #expect(eastern.text(from: winter) == "/Date(1005482760000-0500)/")
        let early = Date(timeIntervalSince1970: -1_000_212_360)
        #expect(DateFormat.dotNet().text(from: early) == "/Date(-1000212360000+0000)/")
        #expect(
            try AnyValueTransform.date(.dotNet()).transform(early, as: String.self)
                == "/Date(-1000212360000+0000)/")
    }

    @Test(.parity("M194")) func writesISO8601AsFoundationDoes() {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = .gmt
        formatter.dateFormat = "yyyy-MM-dd'T'HH:mm:ss'Z'"
        for date in [Date.now, epoch - 1, morning, Date(timeIntervalSince1970: 4_107_542_399)] {
            #expect(DateFormat.iso8601InSeconds.text(from: date) == formatter.string(from: date))
        }
    }
}

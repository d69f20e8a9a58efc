// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping
import TestSupport
import Testing

@Suite struct DateFormatsTests {
    @Test(.parity("M179")) func listsStandardFormats() {
        let standard = DateFormats.standard
        #expect(
            standard.formats == [
                .iso8601, .monthDayYear, .yearMonthDay, .rfc1123, .rfc850, .asctime,
            ])
        #expect(standard.formats.allSatisfy { $0.zone == .gmt })
        #expect(
            standard.formats.dropFirst().map(\.description) == [
                "MM/dd/yyyy", "yyyy-MM-dd", "EEE, dd MMM yyyy HH:mm:ss zzz",
                "EEEE, dd-MMM-yy HH:mm:ss zzz", "EEE MMM d HH:mm:ss yyyy",
            ])
    }

    @Test(.parity("M180")) func rejectsFormatsOutsideList() throws {
        let formats = DateFormats([try DateFormat("dd.MM.yyyy"), .rfc1123])
        #expect(formats.formats == [try DateFormat("dd.MM.yyyy"), .rfc1123])
        #expect(try read("03.01.2012", formats) == 1_325_548_800)
        #expect(try read("Sun, 06 Nov 1994 08:49:37 GMT", formats) == 784_111_777)
        #expect(try read("2012-01-03T00:00:00Z", formats) == nil)
        #expect(try read("01/03/2012", formats) == nil)
    }

    @Test(.parity("M181", "M184")) func prependsFormatInUTC() throws {
        var formats = DateFormats.standard
        try formats.prepend("dd.MM.yyyy")
        #expect(formats.formats.count == 7)
        #expect(formats.formats.first?.zone == .gmt)
        #expect(try read("03.01.2012", formats) == 1_325_548_800)
        #expect(try read("01/03/2012", formats) == 1_325_548_800)
        try formats.prepend("dd.MM.yyyy")
        #expect(formats.formats.count == 7)
    }

    @Test(.parity("M182")) func prependedFormatTakesPrecedence() throws {
        var formats = DateFormats([.monthDayYear])
        #expect(try read("03/01/2012", formats) == 1_330_560_000)
        try formats.prepend("dd/MM/yyyy")
        #expect(try read("03/01/2012", formats) == 1_325_548_800)
    }

    @Test(.parity("M183")) func prependedFormatKeepsZone() throws {
        let eastern = try #require(TimeZone(identifier: "America/New_York"))
        var formats = DateFormats.standard
        try formats.prepend("dd.MM.yyyy", zone: eastern)
        #expect(formats.formats.first?.zone == eastern)
        #expect(try read("03.01.2012", formats) == 1_325_566_800)
    }

    @Test(.parity("M057")) func readsFormatOfMappingInItsZone() throws {
        let eastern = try #require(TimeZone(identifier: "America/New_York"))
        let formats = DateFormats([try DateFormat("MM-dd-yyyy", zone: eastern)])
        #expect(try read("11-27-1982", formats) == 407_221_200)
        #expect(try map(Holder<Date>.self, #"{"value":"11-27-1982"}"#).first?.value == nil)
    }

    @Test(.parity("M058")) func writesPreferredFormat() throws {
        let date = Date(timeIntervalSince1970: 407_203_200)
        var mapping = ObjectMapping(for: Holder<Date>.self)
        #expect(mapping.conversion.dates.text(from: date) == "1982-11-27T00:00:00Z")
        mapping.conversion.dates.preferred = try DateFormat("MM-dd-yyyy")
        #expect(mapping.conversion.dates.text(from: date) == "11-27-1982")
        let chain = AnyValueTransform.standard(dates: mapping.conversion.dates)
        #expect(try chain.transform(date, as: String.self) == "11-27-1982")
        let read = try map(Holder<Date>.self, #"{"value":"11/27/1982"}"#, with: mapping)
        #expect(read.first?.value == date)
    }

    @Test func relatedObjectsInheritFormats() throws {
        var mapping = ObjectMapping(for: Person.self)
        mapping.conversion.dates = DateFormats([try DateFormat("dd.MM.yyyy")])
        let json = #"{"id":1,"name":"a","friends":[{"id":2,"name":"b","born":"03.01.2012"}]}"#
        let people = try map(Person.self, json, with: mapping)
        #expect(people.first?.friends.first?.born?.timeIntervalSince1970 == 1_325_548_800)
    }

    private func read(_ text: String, _ formats: DateFormats) throws -> Double? {
        var mapping = ObjectMapping(for: Holder<Date>.self)
        mapping.conversion.dates = formats
        let found = try map(Holder<Date>.self, #"{"value":"\#(text)"}"#, with: mapping)
        return found.first?.value?.timeIntervalSince1970
    }
}

// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct DateValuesTests {
    @Test(
        .parity("M051", "M053", "M054"),
        arguments: [
            (#""2011-07-07T04:35:28Z""#, 1_310_013_328.0),
            (#""08/09/2011""#, 1_312_848_000),
            (#""2011-08-09T00:00Z""#, 1_312_848_000),
            (#""8/9/2011""#, 1_312_848_000),
        ])
    func readsStandardFormats(json: String, seconds: Double) throws {
        #expect(try read(json) == seconds)
    }

    @Test(
        arguments: [
            (#""1970-01-01T00:00:00.25Z""#, 0.25), (#""1970-01-01t01:00:00+01:00""#, 0),
            (#""1969-12-31T23:59:59.5-0000""#, -0.5), (#""1970-01-01 00:00:00""#, 0),
            (#""1970-01-01T02""#, nil), (#""0001-01-01T00:00:00Z""#, -62_135_596_800),
            (#""2000-02-29""#, 951_782_400), (#""1900-02-29""#, nil), (#""2001-13-01""#, nil),
            (#""2016-12-31T23:59:60Z""#, 1_483_228_800),
            (#""2016-12-31T24:00:00Z""#, 1_483_228_800),
            (#""2016-12-31T25:00:00Z""#, nil), (#""2016-12-31T10:00:00Zjunk""#, nil),
            (#""Sun, 06 Nov 1994 08:49:37 +0100""#, 784_108_177), (#""next tuesday""#, nil),
        ] as [(String, Double?)])
    func readsOrRejectsVariations(json: String, seconds: Double?) throws {
        #expect(try read(json) == seconds)
    }

    @Test(
        arguments: [
            (#""2013-09-11T09:24:56-04:00""#, 1_378_905_896.0),
            (#""2013-09-11T09:24:56.123-04:00""#, 1_378_905_896.123),
            (#""3001-09-11T09:24:56-04:00""#, 32_557_123_496),
        ])
    func keepsOffsetAndFraction(json: String, seconds: Double) throws {
        #expect(try read(json) == seconds)
    }

    @Test func readsLongFractionToMillisecond() throws {
        let seconds = try #require(try read(#""2013-09-11T09:24:56.123456-04:00""#))
        #expect(abs(seconds - 1_378_905_896.123) < 0.001)
    }

    @Test(
        arguments: [
            #""Sun, 06 Nov 1994 08:49:37 GMT""#, #""Sunday, 06-Nov-94 08:49:37 GMT""#,
            #""Sun Nov  6 08:49:37 1994""#,
        ])
    func readsHTTPDates(json: String) throws {
        #expect(try read(json) == 784_111_777)
    }

    @Test(
        .parity("M049"),
        arguments: [
            ("407203200", 407_203_200.0), ("457574400.5", 457_574_400.5), ("0", 0),
            ("-62167219200", -62_167_219_200), ("253402300799", 253_402_300_799),
        ])
    func readsSecondsSince1970(json: String, seconds: Double) throws {
        #expect(try read(json) == seconds)
    }

    @Test(.parity("M052")) func readsTextOfNumberInDeclaredFormat() throws {
        #expect(try read(#""457574400""#, in: [.iso8601, .seconds]) == 457_574_400)
        #expect(try read(#""457574400000""#, in: [.milliseconds]) == 457_574_400)
        #expect(try read(#""1981""#, in: [try DateFormat("yyyy")]) == 347_155_200)
        #expect(try read(#""19811215""#, in: [try DateFormat("yyyyMMdd")]) == 377_222_400)
        var conversion = ConversionOptions()
        conversion.transform = .standard()
        #expect(try read(#""457574400""#, conversion) == 457_574_400)
    }

    @Test(
        arguments: ["1981", "19811215", "457574400", "0", "-1", "1.5", "1e9"],
        [Coercions.strict, .standard, .lenient])
    func rejectsTextOfNumber(text: String, coercions: Coercions) throws {
        var report = MappingReport()
        let mapping = ObjectMapping(
            for: Holder<Date>.self, conversion: ConversionOptions(coercions: coercions))
        let found = try map(
            Holder<Date>.self, #"{"value":"\#(text)"}"#, with: mapping, report: &report)
        #expect(found.map(\.value) == [nil])
        #expect(report.issues.map(\.code) == [.malformedValue])
    }

    @Test(
        arguments: [
            ("1386786787000", []), ("253402300800", []), ("-62167219201", []), ("1e300", []),
            ("253402300800000", [.milliseconds]), ("1e300", [.seconds]),
            (#""253402300800""#, [.seconds]), (#""1e300""#, [.milliseconds]),
        ] as [(String, [DateFormat])])
    func rejectsNumbersBeyondYear9999(json: String, formats: [DateFormat]) throws {
        var report = MappingReport()
        var conversion = ConversionOptions()
        if !formats.isEmpty { conversion.dates = DateFormats(formats) }
        let found = try map(
            Holder<Date>.self, #"{"value":\#(json)}"#,
            with: ObjectMapping(for: Holder<Date>.self, conversion: conversion), report: &report)
        #expect(found.map(\.value) == [nil])
        let isText = json.hasPrefix("\"")
        #expect(report.issues.map(\.code) == [isText ? .malformedValue : .outOfRange])
    }

    @Test(arguments: [DateFormat.seconds, .milliseconds])
    func writesNoDateBeyondYear9999(format: DateFormat) {
        #expect(format.text(from: Date(timeIntervalSince1970: 253_402_300_800)) == nil)
        #expect(format.text(from: Date(timeIntervalSince1970: 253_402_300_799)) != nil)
    }

    @Test func rejectsTextThatIsNotDate() throws {
        var report = MappingReport()
        let found = try map(Holder<Date>.self, #"{"value":":*7vxck#sf#adsa"}"#, report: &report)
        #expect(found.map(\.value) == [nil])
        #expect(report.issues.map(\.code) == [.malformedValue])
    }

    @Test func countsDaysOfFourCenturies() throws {
        var expected = -11_676_096_000.0  // 1600-01-01
        for year in 1600..<2000 {
            for month in 1...12 {
                let isLeap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
                let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
                for day in stride(from: 1, through: days, by: 9) {
                    let text = "\"\(year)-\(pad(month))-\(pad(day))\""
                    #expect(try read(text) == expected + Double(day - 1) * 86_400)
                }
                expected += Double(days) * 86_400
            }
        }
    }

    private func pad(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private func read(_ json: String, in formats: [DateFormat]) throws -> Double? {
        try read(json, ConversionOptions(dates: DateFormats(formats)))
    }

    private func read(_ json: String, _ conversion: ConversionOptions) throws -> Double? {
        let mapping = ObjectMapping(for: Holder<Date>.self, conversion: conversion)
        let found = try map(Holder<Date>.self, #"{"value":\#(json)}"#, with: mapping)
        return found.first?.value?.timeIntervalSince1970
    }

    private func read(_ json: String) throws -> Double? {
        try map(Holder<Date>.self, #"{"value":\#(json)}"#).first?.value?.timeIntervalSince1970
    }
}

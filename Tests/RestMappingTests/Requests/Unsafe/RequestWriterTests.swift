// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping
import TestSupport
import Testing

@Suite struct RequestWriterTests {
    private let epoch = Date(timeIntervalSince1970: 0)

    @Test func writesIntegersAtBoundsOfRange() throws {
        #expect(try json(ofValue: 0) == #"{"value":0}"#)
        #expect(try json(ofValue: Int64.min) == #"{"value":-9223372036854775808}"#)
        #expect(try json(ofValue: UInt64.max) == #"{"value":18446744073709551615}"#)
        #expect(try json(ofValue: Int8(-128)) == #"{"value":-128}"#)
    }

    @Test func writesShortestRoundTrippingFractions() throws {
        #expect(try json(ofValue: 0.1) == #"{"value":0.1}"#)
        #expect(try json(ofValue: Float(0.1)) == #"{"value":0.1}"#)
        #expect(try json(ofValue: 125.0) == #"{"value":125.0}"#)
        #expect(try json(ofValue: -0.0) == #"{"value":-0.0}"#)
        for value in [
            1e300, Double.leastNonzeroMagnitude, 123_456_789.125, 9_007_199_254_740_993.0, 1e16,
        ] {
            let document = try Document(parsing: try json(ofValue: value))
            #expect(document.root["value"]?.double == value)
        }
    }

    @Test(.parity("M322", "M328")) func writesBooleans() throws {
        #expect(try json(ofValue: true) == #"{"value":true}"#)
        #expect(try json(ofValue: false) == #"{"value":false}"#)
        #expect(try json(ofValue: 1) == #"{"value":1}"#)
    }

    @Test(.parity("M327")) func writesBooleansOfDictionaries() throws {
        #expect(try json(ofValue: ["boolean": true]) == #"{"value":{"boolean":true}}"#)
    }

    @Test(.parity("M310", "M313")) func writesDatesAsISO8601InUTC() throws {
        #expect(try json(ofValue: epoch) == #"{"value":"1970-01-01T00:00:00Z"}"#)
    }

    @Test(
        arguments: [
            (0.5, "1970-01-01T00:00:00.5Z"), (0.25, "1970-01-01T00:00:00.25Z"),
            (1.000_001, "1970-01-01T00:00:01.000001Z"), (1, "1970-01-01T00:00:01Z"),
        ])
    func writesDatesWithAllDigits(seconds: Double, text: String) throws {
        let date = Date(timeIntervalSince1970: seconds)
        #expect(try json(ofValue: date) == #"{"value":"\#(text)"}"#)
        #expect(DateFormat.iso8601.date(from: text) == date)
        #expect(DateFormat.iso8601.text(from: date) == text)
        #expect(try Document(representing: date).root.string == text)
        let inverse = ObjectMapping(for: Holder<Date>.self).inverse()
        #expect(
            try RestMappingTests.json(Holder(value: date), by: inverse) == #"{"value":"\#(text)"}"#)
    }

    @Test func writesDatesInSecondsIfDeclared() throws {
        let date = Date(timeIntervalSince1970: 0.25)
        let text = try json(ofValue: date) { $0.dates = .iso8601InSeconds }
        #expect(text == #"{"value":"1970-01-01T00:00:00Z"}"#)
        var plan = try RequestPlan(RequestMapping(for: Holder<Date>.self))
        plan.dates = .milliseconds
        #expect(try plan.document(of: Holder(value: date)) == ["value": 250])
    }

    @Test(.parity("M310")) func writesDatesWithFraction() throws {
        let text = try json(ofValue: epoch) { $0.dates = .iso8601WithFraction }
        #expect(text == #"{"value":"1970-01-01T00:00:00.000Z"}"#)
    }

    @Test(.parity("M311")) func writesDatesInFormatOfMapping() throws {
        let format = try DateFormat("MM/dd/yyyy")
        #expect(try json(ofValue: epoch) { $0.dates = format } == #"{"value":"01/01/1970"}"#)
        let list = try json(ofValue: [epoch]) { $0.dates = format }
        #expect(list == #"{"value":["01/01/1970"]}"#)
    }

    @Test(.parity("M312")) func writesDateInFormatOfAttribute() throws {
        let mapping = RequestMapping(for: Citizen.self) {
            attribute(\.birthday, to: "plain")
            attribute(\.birthday, to: "own", using: .monthDayYear)
        }
        let text = try json(Citizen(birthday: epoch), by: mapping)
        #expect(text == #"{"plain":"1970-01-01T00:00:00Z","own":"01/01/1970"}"#)
    }

    @Test func writesSecondsSince1970AsNumber() throws {
        let date = Date(timeIntervalSince1970: 86_400.5)
        #expect(try json(ofValue: date) { $0.dates = .seconds } == #"{"value":86400.5}"#)
        #expect(try json(ofValue: epoch) { $0.dates = .milliseconds } == #"{"value":0}"#)
    }

    /// The last values are not 64-bit integers with a few fraction digits.
    @Test(
        arguments: [
            "0", "1", "-1", "10", "0.1", "-0.05", "19.99", "-1234567.8901", "100000000000000000000",
            "18446744073709551615", "-18446744073709551615", "1844674407370955.1615",
            "0.0000000000000000001", "9.9999999999999999999", "1.50", "1e3", "1e-30", "65536.65535",
            "18446744073709551616", "123456789012345678901234567890.12345678",
        ])
    func writesAllDigitsOfDecimals(_ text: String) throws {
        let decimal = try #require(Decimal(string: text))
        // Products and sums have another memory layout than parsed decimals.
        for value in [decimal, decimal * 1_000_000 / 1_000_000, decimal + 1, decimal * 0.01] {
            var digits = "\(value)"
            while digits.contains("."), digits.hasSuffix("0") { digits.removeLast() }
            if digits.hasSuffix(".") { digits.removeLast() }
            #expect(try json(ofValue: value) == #"{"value":"\#(digits)"}"#)
            #expect(
                try json(ofValue: value) { $0.decimals = .number } == #"{"value":\#(digits)}"#)
        }
    }

    /// Foundation uses the Julian calendar before October 1582.
    @Test func writesDatesAsFoundationDoes() throws {
        let style = Date.ISO8601FormatStyle()
        for day in stride(from: -141_427, to: 2_932_896, by: 9_973) {
            let date = Date(timeIntervalSince1970: Double(day) * 86_400 + Double(day & 0xFFFF))
            #expect(try json(ofValue: date) == #"{"value":"\#(style.format(date))"}"#)
        }
    }

    @Test(.parity("M314")) func writesDecimalsAsTextOrNumber() throws {
        let decimal = try #require(Decimal(string: "18274191731731.4557723623"))
        #expect(try json(ofValue: decimal) == #"{"value":"18274191731731.4557723623"}"#)
        let number = try json(ofValue: decimal) { $0.decimals = .number }
        #expect(number == #"{"value":18274191731731.4557723623}"#)
    }

    @Test(.parity("M323")) func writesDistinctArrayInOrder() throws {
        let list: DistinctArray = ["b", "c", "a", "b"]
        #expect(try json(ofValue: list) == #"{"value":["b","c","a"]}"#)
    }

    @Test(.parity("M324")) func writesSetAsList() throws {
        let text = try json(ofValue: Set(["a", "b", "c"]))
        let document = try Document(parsing: text)
        let list = try #require(document.root["value"])
        #expect(list.kind == .array)
        #expect(list.elements.compactMap(\.string).sorted() == ["a", "b", "c"])
    }

    @Test func escapesText() throws {
        let text = "a\"b\\c\n\u{0}\u{1F}é\u{1F600}/" + String(repeating: "x", count: 40) + "\""
        let document = try Document(parsing: try json(ofValue: text))
        #expect(document.root["value"]?.string == text)
    }

    @Test func writesIdentifiersURLsAndDataAsText() throws {
        let id = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
        #expect(try json(ofValue: id) == #"{"value":"E621E1F8-C36C-495A-93FC-0C247A3E6E5F"}"#)
        let url = try #require(URL(string: "http://restkit.org/?a=b"))
        #expect(try json(ofValue: url) == #"{"value":"http://restkit.org/?a=b"}"#)
        #expect(try json(ofValue: Data([1, 2, 255])) == #"{"value":"AQL/"}"#)
        #expect(try json(ofValue: CalendarDate("1982-11-27")) == #"{"value":"1982-11-27"}"#)
    }

    @Test func writesRawValueOfEnumeration() throws {
        #expect(try json(ofValue: Mood.grumpy) == #"{"value":"grumpy"}"#)
    }

    @Test func writesNilInCollectionAsNull() throws {
        let values = [1, nil, 3] as [Int?]
        #expect(try json(ofValue: values) { $0.omitsNil = true } == #"{"value":[1,null,3]}"#)
        let members = ["a": nil] as [String: Int?]
        #expect(try json(ofValue: members) { $0.omitsNil = true } == #"{"value":{"a":null}}"#)
    }

    @Test func writesEmptyCollections() throws {
        #expect(try json(ofValue: [Int]()) { $0.omitsNil = true } == #"{"value":[]}"#)
        #expect(try json(ofValue: [String: Int]()) == #"{"value":{}}"#)
    }

    @Test func writesStatesOfField() throws {
        let mapping = RequestMapping(for: Citizen.self) { attribute(\.homepage, to: "homepage") }
        var omitting = mapping
        omitting.omitsNil = true
        #expect(try json(Citizen(homepage: .missing), by: mapping) == "{}")
        #expect(try json(Citizen(homepage: .null), by: omitting) == #"{"homepage":null}"#)
        let url = try #require(URL(string: "http://restkit.org"))
        let text = try json(Citizen(homepage: .value(url)), by: mapping)
        #expect(text == #"{"homepage":"http://restkit.org"}"#)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RestPersistence
@testable import RestRows

@Suite struct AttributeConversionTests {
    static let conversions: [(AttributeType, String, AttributeType, String?)] = [
        (.integer, "39", .text, "39"), (.integer, "-1", .unsignedInteger, nil),
        (.integer, "7", .unsignedInteger, "7"), (.integer, "2", .boolean, nil),
        (.integer, "1", .boolean, "1"),
        (.integer, "9007199254740992", .double, "9007199254740992.0"),
        (.integer, "9007199254740993", .double, nil), (.integer, "-5", .decimal, "-5"),
        (.boolean, "1", .integer, "1"), (.double, "2.0", .integer, "2"),
        (.double, "2.5", .integer, nil), (.double, "9e999", .integer, nil),
        (.decimal, "'12.5'", .integer, nil), (.decimal, "'12'", .integer, "12"),
        (.decimal, "'12'", .unsignedInteger, "12"), (.decimal, "'-1'", .unsignedInteger, nil),
        (.decimal, "'18446744073709551615'", .unsignedInteger, "18446744073709551615"),
        (.decimal, "'18446744073709551616'", .unsignedInteger, nil),
        (.unsignedInteger, "'18446744073709551615'", .integer, nil),
        (.unsignedInteger, "'18446744073709551615'", .decimal, "18446744073709551615"),
        (.text, "'39'", .integer, "39"), (.text, "' 39'", .integer, nil),
        (.text, "'039'", .integer, nil), (.text, "'thirty'", .integer, nil),
        (.day, "'2024-05-01'", .date, "2024-05-01T00:00:00.000000Z"),
        (.date, "'2024-05-01T00:00:00.000000Z'", .day, "2024-05-01"),
        (.date, "'2024-05-01T12:00:00.000000Z'", .day, nil), (.url, "'a:b'", .text, "a:b"),
    ]

    @Test(arguments: conversions)
    func convertsFittingValues(
        _ old: AttributeType, _ value: String, _ new: AttributeType, _ expected: String?
    ) throws {
        let files = try TemporaryStore()
        let conversion = try #require(AttributeConversion("v", from: old, to: new))
        let fits = conversion.fits ?? "1"
        let rows = try files.rows(
            "SELECT \(conversion.fittingValue), \(fits) FROM (SELECT \(value) AS v)")
        #expect(rows == [[expected ?? "-", expected == nil ? "0" : "1"]])
    }

    static let others: [(AttributeType, AttributeType)] = [
        (.double, .text), (.text, .date), (.data, .text), (.text, .json), (.boolean, .text),
    ]

    @Test(arguments: others)
    func refusesOtherConversions(_ old: AttributeType, _ new: AttributeType) {
        #expect(AttributeConversion("v", from: old, to: new) == nil)
    }

    static let literals: [(StoredValue, String)] = [
        (.null, "NULL"), (.integer(.min), "-9223372036854775808"), (.text("it's"), "'it''s'"),
        (.double(0.1), "0.1"),
        (.data(Data([0, 255])), "X'00FF'"),
    ]

    @Test(arguments: literals)
    func writesLiterals(_ value: StoredValue, _ quoted: String) throws {
        let files = try TemporaryStore()
        #expect(try files.rows("SELECT quote(\(value.literal))") == [[quoted]])
    }

    @Test func writesUnusualLiterals() throws {
        let files = try TemporaryStore()
        let text = StoredValue.text("a\0b").literal
        #expect(
            try files.rows("SELECT typeof(\(text)), hex(\(text))") == [["text", "610062"]])
        let infinity = StoredValue.double(-.infinity).literal
        #expect(
            try files.rows("SELECT typeof(\(infinity)), \(infinity) < -1e308") == [["real", "1"]])
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping
import TestSupport
import Testing

/// Tests of RestKit's user fixture, attribute by attribute, with the edits of RestKit's tests.
@Suite(.tags(.specification), .enabled(if: SharedFiles.isAvailable, "shared corpus not found"))
struct UserFixtureTests {
    @Test(.parity("M029"), arguments: [nil, "T", "yes", "y"])
    func readsWordsForTrue(word: String?) throws {
        #expect(try read(Bool.self, "is_developer", edit: word) == true)
    }

    @Test(.parity("M030"), arguments: ["f", "NO", "n"])
    func readsWordsForFalse(word: String) throws {
        #expect(try read(Bool.self, "is_developer", edit: word) == false)
    }

    @Test(.parity("M031", "M032", "M033", "M034")) func readsNumbersInText() throws {
        #expect(try read(Int.self, "lucky_number") == 187)
        #expect(try read(Decimal.self, "weight") == Decimal(string: "131.3"))
        #expect(try read(String.self, "lucky_number") == "187")
        #expect(try read(Decimal.self, "lucky_number") == 187)
    }

    @Test(.parity("M040")) func readsURL() throws {
        #expect(try read(URL.self, "website")?.absoluteString == "http://restkit.org/")
    }

    @Test(.parity("M048", "M055")) func readsDaysAsMidnightInUTC() throws {
        #expect(try read(Date.self, "birthdate")?.timeIntervalSince1970 == 407_203_200)
        #expect(try read(Date.self, "favorite_date")?.timeIntervalSince1970 == 1_330_560_000)
        let edited = try read(Date.self, "favorite_date", edit: "2012-03-01")
        #expect(edited?.timeIntervalSince1970 == 1_330_560_000)
        #expect(try read(Date.self, "created_at")?.timeIntervalSince1970 == 1_296_633_188)
    }

    @Test(.parity("M050")) func readsDatesBeyond2038() throws {
        let date = try read(Date.self, "favorite_date", edit: "3001-01-01T00:00:00Z")
        #expect(date?.timeIntervalSince1970 == 32_535_216_000)
    }

    @Test(.parity("M056")) func readsEmptyDateAsNil() throws {
        for conversion in [ConversionOptions.standard, .lenient] {
            #expect(try read(Date.self, "favorite_date", edit: "", conversion) == nil)
        }
    }

    @Test(.parity("M182")) func triesDeclaredFormatFirst() throws {
        let conversion = ConversionOptions(dates: DateFormats([try DateFormat("dd/MM/yyyy")]))
        let date = try read(Date.self, "favorite_date", conversion)
        #expect(date?.timeIntervalSince1970 == 1_325_548_800)
    }

    /// Maps one attribute of the fixture, with other text in its place if given.
    private func read<Value: MappableValue>(
        _ type: Value.Type, _ key: String, edit: String? = nil,
        _ conversion: ConversionOptions = .standard
    ) throws -> Value? {
        var text = String(
            decoding: try SharedFiles.data("suites/restkit-fixtures/user.json"), as: UTF8.self)
        if let edit {
            let original = try #require(try Document(parsing: text).root[key]?.string)
            text = text.replacing("\"\(key)\": \"\(original)\"", with: "\"\(key)\": \"\(edit)\"")
            #expect(try Document(parsing: text).root[key]?.string == edit)
        }
        var mapping = ObjectMapping(for: Holder<Value>.self) {
            attribute(.init(stringLiteral: key), to: \.value)
        }
        mapping.conversion = conversion
        return try map(Holder<Value>.self, text, with: mapping).first?.value
    }
}

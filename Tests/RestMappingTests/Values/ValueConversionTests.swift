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

@Suite struct ValueConversionTests {
    @Test(
        .parity("M037", "M038"),
        arguments: [
            ("7", 7), ("-7", -7), ("7.0", 7), ("1e3", 1000), (#""187""#, 187), (#"" 12 ""#, 12),
            (#""12345""#, 12345),
            ("true", 1), ("false", 0), ("9223372036854775807", Int.max),
            (#""69726278940360707""#, 69_726_278_940_360_707),
        ])
    func integersTakeWholeNumbersAndTheirText(json: String, expected: Int) throws {
        #expect(try convert(json) == expected)
    }

    /// Everything that Unicode calls white space may stand around a number, and nothing else.
    @Test func whiteSpaceAroundANumberIsPassedOver() throws {
        let plan = try MappingPlan(Holder<Int>.self)
        for scalar in (0...0x3100).compactMap(Unicode.Scalar.init) where !("0"..."9" ~= scalar) {
            let text = "\(Character(scalar))7\(Character(scalar))"
            var report = MappingReport()
            let holder = try plan.object(
                Holder<Int>.self, from: Document.object([("value", .string(text))]).root,
                report: &report)
            let expected = scalar.properties.isWhitespace ? 7 : nil
            #expect(holder.value == expected, "U+\(String(scalar.value, radix: 16))")
        }
    }

    @Test(
        arguments: [
            ("7.5", MappingIssue.Code.outOfRange), ("9223372036854775808", .outOfRange),
            ("1e400", .outOfRange), (#""12abc""#, .malformedValue), (#""""#, .malformedValue),
            ("[]", .typeMismatch), ("[1]", .typeMismatch), ("{}", .typeMismatch),
        ])
    func integersRefuseWhatTheyCannotHold(json: String, code: MappingIssue.Code) throws {
        #expect(try issue(Int.self, json) == code)
    }

    @Test func narrowIntegersRefuseOverflow() throws {
        #expect(try convert("255") == UInt8(255))
        #expect(try issue(UInt8.self, "256") == .outOfRange)
        #expect(try issue(UInt8.self, "-1") == .outOfRange)
        #expect(try convert("18446744073709551615") == UInt64.max)
        #expect(try issue(Int8.self, "128") == .outOfRange)
    }

    @Test(
        .parity("M039"),
        arguments: [
            ("1234.5678", 1234.5678), (#""1234.5678""#, 1234.5678), ("3", 3), ("-0.0", -0.0),
            ("18446744073709551615", 18_446_744_073_709_551_616),
        ])
    func doublesTakeNumbersAndTheirText(json: String, expected: Double) throws {
        #expect(try convert(json) == expected)
    }

    @Test func numbersBeyondDoubleAreRefused() throws {
        #expect(try issue(Double.self, "1e400") == .outOfRange)
        #expect(try issue(Float.self, "1e39") == .outOfRange)
        #expect(try issue(Double.self, #""inf""#) == .malformedValue)
    }

    @Test(
        .parity("M035", "M036"),
        arguments: [
            (#""text""#, "text"), (#""187""#, "187"), ("123", "123"), ("12345", "12345"),
            ("1.50", "1.50"), ("true", "true"),
            ("false", "false"), (#""a\u00e9\n""#, "aé\n"), (#""""#, ""),
        ])
    func textTakesScalarsAsWritten(json: String, expected: String) throws {
        #expect(try convert(json) == expected)
    }

    @Test(
        .parity("M079"),
        arguments: [
            ("true", true), ("1", true), ("7", true), ("-1", true), ("0.5", true),
            (#""true""#, true), (#""TRUE""#, true), (#""t""#, true), (#""T""#, true),
            (#""yes""#, true), (#""YES""#, true), (#""y""#, true), (#""Y""#, true),
            (#""1""#, true), ("false", false), ("0", false), ("0.0", false), (#""false""#, false),
            (#""FALSE""#, false), (#""f""#, false), (#""F""#, false), (#""no""#, false),
            (#""NO""#, false), (#""n""#, false), (#""0""#, false),
        ])
    func booleansTakeNumbersAndTheirWords(json: String, expected: Bool) throws {
        #expect(try convert(json) == expected)
    }

    @Test(
        arguments: [
            ("131.3", "131.3"), (#""131.3""#, "131.3"), ("0.1", "0.1"), ("1e2", "100"),
            ("-12345678901234567890.123456789", "-12345678901234567890.123456789"),
            ("99999999999999999999999999999999999999", "99999999999999999999999999999999999999"),
            ("123456.7890", "123456.789"), (#""123456.7890""#, "123456.789"), ("0.000", "0"),
            (#""187""#, "187"),
        ])
    func decimalsKeepEveryDigit(json: String, expected: String) throws {
        #expect(try convert(json) == Decimal(string: expected))
    }

    @Test(arguments: [
        "12345678901234567890abc", "12345678901234567890,5", "12345678901234567890.5.5",
        "12345678901234567890e", "1.2.3", "", ".", "0x10",
    ]) func decimalsRefuseTextThatIsOnlyPartlyANumber(text: String) throws {
        #expect(try issue(Decimal.self, "\"\(text)\"") == .malformedValue)
    }

    @Test func wholeNumbersInTextAreExact() throws {
        #expect(try convert(#""9007199254740993.0""#) == 9_007_199_254_740_993)
        #expect(try convert(#""9223372036854775808.0""#) == UInt64(1) << 63)
        #expect(try convert(#""1e3""#) == 1000)
        #expect(try issue(Int.self, #""0x10""#) == .malformedValue)
        #expect(try issue(Double.self, #""0x10""#) == .malformedValue)
        #expect(try issue(Date.self, #""0x10""#) == .malformedValue)
        #expect(try issue(Decimal.self, "10e127") == .outOfRange)
    }

    @Test func decimalsRefuseWhatWouldLoseDigits() throws {
        #expect(try issue(Decimal.self, "1" + String(repeating: "2", count: 39)) == .outOfRange)
        #expect(try issue(Decimal.self, "1e200") == .outOfRange)
        #expect(try issue(Decimal.self, #""abdskjfsdkfjs""#) == .malformedValue)
    }

    @Test func urlsAreTakenAsTheyStand() throws {
        #expect(try convert(#""http://restkit.org""#) == URL(string: "http://restkit.org"))
        #expect(try convert(#""http://restkit.org/""#) == URL(string: "http://restkit.org/"))
        #expect(try issue(URL.self, #"":*7vxck#sf#adsa""#) == .malformedValue)
        #expect(try issue(URL.self, "12345") == .typeMismatch)
    }

    @Test func uuidsAndDataAreReadFromText() throws {
        let id = UUID()
        #expect(try convert("\"\(id.uuidString.lowercased())\"") == id)
        #expect(try issue(UUID.self, #""not one""#) == .malformedValue)
        #expect(try convert(#""AQID""#) == Data([1, 2, 3]))
        #expect(try issue(Data.self, #""***""#) == .malformedValue)
    }

    @Test func listsAreNoSingleValues() throws {
        #expect(try issue(Decimal.self, "[1]") == .typeMismatch)
        #expect(try issue(Double.self, "[1]") == .typeMismatch)
        #expect(try issue(Date.self, "[1]") == .typeMismatch)
        #expect(try issue(Date.self, #"["1970-01-01T00:00:00Z"]"#) == .typeMismatch)
    }

    @Test func nullIsNilForEveryType() throws {
        try expectNullIsNil(Data.self)
        try expectNullIsNil(Decimal.self)
        try expectNullIsNil(Date.self)
        try expectNullIsNil(URL.self)
        try expectNullIsNil(UUID.self)
        try expectNullIsNil(String.self)
        try expectNullIsNil(Int.self)
        try expectNullIsNil(Double.self)
        try expectNullIsNil(Bool.self)
        try expectNullIsNil(Mood.self)
        try expectNullIsNil([String].self)
        try expectNullIsNil(Set<String>.self)
        try expectNullIsNil([String: Int].self)
        try expectNullIsNil(Address.self)
    }

    @Test(.parity("M019", "M046")) func arraysKeepOrderAndSetsCollapse() throws {
        #expect(try convert(#"["Hacking","Running"]"#) == ["Hacking", "Running"])
        #expect(try convert("[1,2,3]") == [1, 2, 3])
        #expect(try convert(#"["Blue","Red"]"#) == ["Blue", "Red"])
        #expect(try convert(#"["one","two","three"]"#) == Set(["one", "two", "three"]))
        #expect(try convert("[3,1,3]") == [3, 1, 3])
        #expect(try convert("[3,1,3]") == Set([1, 3]))
        #expect(try convert("[[1],[],[2,3]]") == [[1], [], [2, 3]])
        #expect(try convert("[1,null]") == [1, nil])
    }

    @Test(.parity("M041")) func arraysBecomeDistinctArraysInTheirOrder() throws {
        #expect(try convert("[1,2,3]") == DistinctArray([1, 2, 3]))
        #expect(try convert("[3,1,3,2]") == DistinctArray([3, 1, 2]))
    }

    @Test(.parity("M043", "M044", "M045")) func aSingleValueBecomesACollectionOfOne() throws {
        #expect(try convert(#""Blue""#) == ["Blue"])
        #expect(try convert(#""Jeff""#) == Set(["Jeff"]))
        #expect(try convert(#""Jeff""#) == DistinctArray(["Jeff"]))
    }

    @Test func dictionariesTakeEveryMember() throws {
        #expect(try convert(#"{"a":1,"b\n":2,"a":3}"#) == ["a": 3, "b\n": 2])
        #expect(try convert(#"{"a":[1],"b":[]}"#) == ["a": [1], "b": []])
    }

    @Test func enumerationsTakeTheirRawValues() throws {
        #expect(try convert(#""cheerful""#) == Mood.cheerful)
        #expect(try issue(Mood.self, #""sleepy""#) == .malformedValue)
    }

    @Test func coercionsAreCounted() throws {
        var report = MappingReport()
        _ = try map(Holder<[Int]>.self, #"{"value":["1","2",3]}"#, report: &report)
        #expect(report.coercionCount == 2)
        #expect(report.issues.isEmpty)
    }

    @Test func aDeclaredTransformReplacesTheConversion() throws {
        let mapping = ObjectMapping(for: Holder<URL>.self) {
            attribute(
                "value", to: \.value,
                using: ValueTransform("test URL") { node in
                    node.string.flatMap { URL(string: $0)?.appending(path: "test") }
                })
        }
        let found = try map(Holder<URL>.self, #"{"value":"http://a.b/c"}"#, with: mapping)
        #expect(found.first?.value == URL(string: "http://a.b/c/test"))
        let ofOneType = ObjectMapping(for: Holder<String>.self) {
            attribute(
                "value", to: \.value,
                using: ValueTransform("test text") { ($0.string ?? "") + "/test" })
        }
        let text = try map(Holder<String>.self, #"{"value":"http://a.b/c"}"#, with: ofOneType)
        #expect(text.first?.value == "http://a.b/c/test")
    }

    @Test func aTransformThatThrowsIsAnIssue() throws {
        struct Refusal: Error {}
        let mapping = ObjectMapping(for: Holder<Int>.self) {
            attribute("value", to: \.value, using: ValueTransform("picky") { _ in throw Refusal() })
        }
        var report = MappingReport()
        let found = try map(Holder<Int>.self, #"{"value":1}"#, with: mapping, report: &report)
        #expect(found.first?.value == nil)
        #expect(report.issues.map(\.code) == [.transformFailed])
        #expect(report.issues.first?.description.contains("picky") == true)
    }

    private func convert<Value: MappableValue>(_ json: String) throws -> Value? {
        try map(Holder<Value>.self, #"{"value":\#(json)}"#).first?.value
    }

    private func expectNullIsNil<Value: MappableValue>(_ type: Value.Type) throws {
        var report = MappingReport()
        let found = try map(Holder<Value>.self, #"{"value":null}"#, report: &report)
        #expect(found.count == 1)
        #expect(found.first?.value == nil, "\(type)")
        #expect(report.issues.isEmpty, "\(type)")
    }

    private func issue<Value: MappableValue>(
        _ type: Value.Type, _ json: String
    ) throws -> MappingIssue.Code? {
        var report = MappingReport()
        let found = try map(Holder<Value>.self, #"{"value":\#(json)}"#, report: &report)
        #expect(found.first?.value == nil)
        return report.issues.first?.code
    }
}

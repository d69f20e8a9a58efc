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

@Suite struct NumberValuesTests {
    @Test(
        .parity("M037", "M038"),
        arguments: [
            ("7", 7), ("-7", -7), ("7.0", 7), ("1e3", 1000), (#""187""#, 187), (#"" 12 ""#, 12),
            (#""12345""#, 12345),
            ("true", 1), ("false", 0), ("9223372036854775807", Int.max),
            (#""69726278940360707""#, 69_726_278_940_360_707),
        ])
    func convertsWholeNumbersAndTheirText(json: String, expected: Int) throws {
        #expect(try converted(json) == expected)
    }

    /// All scalars that Unicode defines as white space may surround a number, and no others.
    @Test func ignoresWhiteSpaceAroundNumber() throws {
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
    func rejectsValuesThatAreNotIntegers(json: String, code: MappingIssue.Code) throws {
        #expect(try conversionIssue(of: Int.self, json) == code)
    }

    @Test func rejectsOverflowOfNarrowIntegers() throws {
        #expect(try converted("255") == UInt8(255))
        #expect(try conversionIssue(of: UInt8.self, "256") == .outOfRange)
        #expect(try conversionIssue(of: UInt8.self, "-1") == .outOfRange)
        #expect(try converted("18446744073709551615") == UInt64.max)
        #expect(try conversionIssue(of: Int8.self, "128") == .outOfRange)
    }

    @Test(
        .parity("M039"),
        arguments: [
            ("1234.5678", 1234.5678), (#""1234.5678""#, 1234.5678), ("3", 3), ("-0.0", -0.0),
            ("18446744073709551615", 18_446_744_073_709_551_616),
        ])
    func convertsNumbersAndTheirText(json: String, expected: Double) throws {
        #expect(try converted(json) == expected)
    }

    @Test func rejectsNumbersBeyondRangeOfDouble() throws {
        #expect(try conversionIssue(of: Double.self, "1e400") == .outOfRange)
        #expect(try conversionIssue(of: Float.self, "1e39") == .outOfRange)
        #expect(try conversionIssue(of: Double.self, #""inf""#) == .malformedValue)
    }

    @Test func convertsWholeNumbersInTextExactly() throws {
        #expect(try converted(#""9007199254740993.0""#) == 9_007_199_254_740_993)
        #expect(try converted(#""9223372036854775808.0""#) == UInt64(1) << 63)
        #expect(try converted(#""1e3""#) == 1000)
        #expect(try conversionIssue(of: Int.self, #""0x10""#) == .malformedValue)
        #expect(try conversionIssue(of: Double.self, #""0x10""#) == .malformedValue)
        #expect(try conversionIssue(of: Date.self, #""0x10""#) == .malformedValue)
        #expect(try conversionIssue(of: Decimal.self, "10e127") == .outOfRange)
    }
}

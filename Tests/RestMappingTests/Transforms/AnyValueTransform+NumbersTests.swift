// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestMapping
import TestSupport
import Testing

@Suite struct AnyValueTransformNumbersTests {
    // MARK: Numbers and text

    @Test(.parity("M069", "M070")) func listsConversionsBetweenNumbersAndText() {
        #expect(AnyValueTransform.numberString.canTransform(from: Int.self, to: String.self))
        #expect(AnyValueTransform.numberString.canTransform(from: String.self, to: Int.self))
        #expect(AnyValueTransform.numberString.canTransform(from: String.self, to: Bool.self))
        #expect(!AnyValueTransform.numberString.canTransform(from: Int.self, to: Int.self))
        #expect(!AnyValueTransform.numberString.canTransform(from: Int.self, to: Double.self))
    }

    @Test(.parity("M071", "M072", "M073")) func convertsBetweenNumbersAndText() throws {
        #expect(try AnyValueTransform.numberString.transform("12345", as: Int.self) == 12345)
        #expect(try AnyValueTransform.numberString.transform("12.5", as: Double.self) == 12.5)
        #expect(try AnyValueTransform.numberString.transform(12345, as: String.self) == "12345")
        #expect(try AnyValueTransform.numberString.transform(12345.0, as: String.self) == "12345")
        #expect(
            try AnyValueTransform.numberString.transform(0.5 as Float, as: String.self) == "0.5")
        #expect(try AnyValueTransform.numberString.transform(true, as: String.self) == "true")
        #expect(try AnyValueTransform.numberString.transform(false, as: String.self) == "false")
    }

    @Test(
        .parity("M074"),
        arguments: [
            ("true", true), ("TRUE", true), ("t", true), ("T", true), ("yes", true),
            ("YES", true), ("y", true), ("Y", true), ("1", true), ("false", false),
            ("FALSE", false), ("f", false), ("F", false), ("no", false), ("NO", false),
            ("0", false),
        ])
    func readsWordsAsBooleans(text: String, expected: Bool) throws {
        #expect(try AnyValueTransform.numberString.transform(text, as: Bool.self) == expected)
        let lenient = AnyValueTransform.numberString(coercions: .lenient)
        #expect(try lenient.transform(text, as: Int.self) == (expected ? 1 : 0))
        #expect(try lenient.transform(text, as: Double.self) == (expected ? 1 : 0))
    }

    @Test(.parity("M075", "M077")) func rejectsOtherNumberConversions() {
        expectFailure(.inputNotAcceptable, of: .numberString, [1], to: Int.self)
        expectFailure(.inputNotAcceptable, of: .numberString, [1], to: Data.self)
        expectFailure(.inputNotAcceptable, of: .numberString, nil, to: Int.self)
        expectFailure(.outputNotSupported, of: .numberString, "1", to: Data.self)
        expectFailure(.outputNotSupported, of: .numberString, 1, to: Data.self)
        expectFailure(.outputNotSupported, of: .numberString, 1, to: Int.self)
    }

    @Test(.parity("M076")) func lenientConvertsAnyTextToNumber() throws {
        let lenient = AnyValueTransform.numberString(coercions: .lenient)
        #expect(try lenient.transform(invalidText, as: Int.self) == 0)
        #expect(try lenient.transform(invalidText, as: Double.self) == 0)
        expectFailure(.failed, of: .numberString, invalidText, to: Int.self)
        expectFailure(.failed, of: .numberString, invalidText, to: Double.self)
    }

    // MARK: Numbers and booleans

    @Test(.parity("M078", "M079")) func chainConvertsNumbersToBooleans() throws {
        let chain = AnyValueTransform.standard()
        #expect(try chain.transform(0, as: Bool.self) == false)
        #expect(try chain.transform(1, as: Bool.self) == true)
        #expect(try chain.transform(7, as: Bool.self) == true)
        #expect(try chain.transform(-0.5, as: Bool.self) == true)
        #expect(try chain.transform(0, as: Int.self) == 0)
        #expect(try chain.transform(false, as: Int.self) == 0)
        #expect(try chain.transform(true, as: Int.self) == 1)
    }

    @Test func convertsNumbersOfEqualValue() throws {
        let large = 9_007_199_254_740_993
        #expect(try AnyValueTransform.number.transform(large, as: UInt64.self) == UInt64(large))
        #expect(try AnyValueTransform.number.transform(7.0, as: Int8.self) == 7)
        #expect(try AnyValueTransform.number.transform(UInt64.max, as: Bool.self) == true)
        expectFailure(.failed, of: .number, 7.5, to: Int.self)
        expectFailure(.failed, of: .number, 300, to: UInt8.self)
        expectFailure(.failed, of: .number, 1e300, to: Float.self)
    }

    // MARK: Decimals

    private let written = Decimal(string: "123456.7890")

    @Test(.parity("M092", "M093")) func listsConversionsBetweenDecimalsAndText() {
        #expect(AnyValueTransform.decimalString.canTransform(from: Decimal.self, to: String.self))
        #expect(AnyValueTransform.decimalString.canTransform(from: String.self, to: Decimal.self))
        #expect(!AnyValueTransform.decimalString.canTransform(from: Double.self, to: String.self))
    }

    @Test(.parity("M094", "M095")) func decimalsKeepDigits() throws {
        #expect(
            try AnyValueTransform.decimalString.transform(written, as: String.self) == "123456.789")
        #expect(
            try AnyValueTransform.decimalString.transform("123456.7890", as: Decimal.self)
                == written)
        let long = "12345678901234567890.123456789"
        #expect(
            try AnyValueTransform.decimalString.transform(long, as: Decimal.self)?.description
                == long)
        #expect(
            try AnyValueTransform.decimalString.transform(Decimal(100), as: String.self) == "100")
    }

    @Test(.parity("M096", "M097", "M098")) func rejectsOtherDecimalTextConversions() {
        expectFailure(.inputNotAcceptable, of: .decimalString, [1], to: Decimal.self)
        expectFailure(.failed, of: .decimalString, "abdskjfsdkfjs", to: Decimal.self)
        expectFailure(.outputNotSupported, of: .decimalString, "1", to: Data.self)
        expectFailure(.outputNotSupported, of: .decimalString, written, to: Data.self)
    }

    @Test(.parity("M099", "M100")) func listsConversionsBetweenDecimalsAndNumbers() {
        #expect(AnyValueTransform.decimalNumber.canTransform(from: Decimal.self, to: Double.self))
        #expect(AnyValueTransform.decimalNumber.canTransform(from: Double.self, to: Decimal.self))
        #expect(!AnyValueTransform.decimalNumber.canTransform(from: Double.self, to: Double.self))
        #expect(!AnyValueTransform.decimalNumber.canTransform(from: Int.self, to: Double.self))
    }

    @Test(.parity("M101", "M102")) func convertsBetweenDecimalsAndNumbersAsWritten() throws {
        #expect(
            try AnyValueTransform.decimalNumber.transform(written, as: Double.self) == 123456.789)
        #expect(try AnyValueTransform.decimalNumber.transform(Decimal(7), as: Int.self) == 7)
        #expect(
            try AnyValueTransform.decimalNumber.transform(123456.7890, as: Decimal.self) == written)
        #expect(
            try AnyValueTransform.decimalNumber.transform(1e-7, as: Decimal.self)
                == Decimal(string: "1e-7"))
        let large = 9_007_199_254_740_993
        #expect(
            try AnyValueTransform.decimalNumber.transform(large, as: Decimal.self) == Decimal(large)
        )
        expectFailure(.failed, of: .decimalNumber, written, to: Int.self)
    }

    @Test(.parity("M103", "M104")) func rejectsOtherDecimalNumberConversions() {
        expectFailure(.inputNotAcceptable, of: .decimalNumber, [1], to: Decimal.self)
        expectFailure(.outputNotSupported, of: .decimalNumber, 1.5, to: Data.self)
        expectFailure(.outputNotSupported, of: .decimalNumber, written, to: Data.self)
    }

    /// Text that is not a number must not become a decimal 0.
    @Test func chainRejectsTextThatIsNotDecimal() {
        for coercions in [Coercions.standard, .lenient] {
            expectFailure(
                .failed, of: .standard(coercions: coercions), invalidText,
                to: Decimal.self)
        }
    }
}

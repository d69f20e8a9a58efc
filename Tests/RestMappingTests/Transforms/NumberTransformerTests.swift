// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestMapping
import TestSupport
import Testing

@Suite struct NumberTransformerTests {
    // MARK: Numbers and text

    @Test(.parity("M069", "M070")) func numbersAndTextBecomeEachOther() {
        #expect(Transformer.numberString.canTransform(from: Int.self, to: String.self))
        #expect(Transformer.numberString.canTransform(from: String.self, to: Int.self))
        #expect(Transformer.numberString.canTransform(from: String.self, to: Bool.self))
        #expect(!Transformer.numberString.canTransform(from: Int.self, to: Int.self))
        #expect(!Transformer.numberString.canTransform(from: Int.self, to: Double.self))
    }

    @Test(.parity("M071", "M072", "M073")) func numbersAndTextAreConverted() throws {
        #expect(try Transformer.numberString.transform("12345", as: Int.self) == 12345)
        #expect(try Transformer.numberString.transform("12.5", as: Double.self) == 12.5)
        #expect(try Transformer.numberString.transform(12345, as: String.self) == "12345")
        #expect(try Transformer.numberString.transform(12345.0, as: String.self) == "12345")
        #expect(try Transformer.numberString.transform(0.5 as Float, as: String.self) == "0.5")
        #expect(try Transformer.numberString.transform(true, as: String.self) == "true")
        #expect(try Transformer.numberString.transform(false, as: String.self) == "false")
    }

    @Test(
        .parity("M074"),
        arguments: [
            ("true", true), ("TRUE", true), ("t", true), ("T", true), ("yes", true),
            ("YES", true), ("y", true), ("Y", true), ("1", true), ("false", false),
            ("FALSE", false), ("f", false), ("F", false), ("no", false), ("NO", false),
            ("0", false),
        ])
    func wordsAreBooleans(text: String, expected: Bool) throws {
        #expect(try Transformer.numberString.transform(text, as: Bool.self) == expected)
        let lenient = Transformer.numberString(coercions: .lenient)
        #expect(try lenient.transform(text, as: Int.self) == (expected ? 1 : 0))
        #expect(try lenient.transform(text, as: Double.self) == (expected ? 1 : 0))
    }

    @Test(.parity("M075", "M077")) func numbersAndTextTakeAndMakeNothingElse() {
        expectFailure(.inputNotAcceptable, of: Transformer.numberString, [1], to: Int.self)
        expectFailure(.inputNotAcceptable, of: Transformer.numberString, [1], to: Data.self)
        expectFailure(.inputNotAcceptable, of: Transformer.numberString, nil, to: Int.self)
        expectFailure(.outputNotSupported, of: Transformer.numberString, "1", to: Data.self)
        expectFailure(.outputNotSupported, of: Transformer.numberString, 1, to: Data.self)
        expectFailure(.outputNotSupported, of: Transformer.numberString, 1, to: Int.self)
    }

    @Test(.parity("M076")) func nonsenseIsZeroWhereThatIsAllowedAndElseAFailure() throws {
        let lenient = Transformer.numberString(coercions: .lenient)
        #expect(try lenient.transform(nonsense, as: Int.self) == 0)
        #expect(try lenient.transform(nonsense, as: Double.self) == 0)
        expectFailure(.failed, of: Transformer.numberString, nonsense, to: Int.self)
        expectFailure(.failed, of: Transformer.numberString, nonsense, to: Double.self)
    }

    // MARK: Numbers and booleans

    @Test(.parity("M078", "M079")) func theDefaultChainTakesNumbersAsBooleans() throws {
        let chain = CompoundTransformer.standard()
        #expect(try chain.transform(0, as: Bool.self) == false)
        #expect(try chain.transform(1, as: Bool.self) == true)
        #expect(try chain.transform(7, as: Bool.self) == true)
        #expect(try chain.transform(-0.5, as: Bool.self) == true)
        #expect(try chain.transform(0, as: Int.self) == 0)
        #expect(try chain.transform(false, as: Int.self) == 0)
        #expect(try chain.transform(true, as: Int.self) == 1)
    }

    @Test func numbersKeepTheirValueInOtherTypes() throws {
        let large = 9_007_199_254_740_993
        #expect(try Transformer.number.transform(large, as: UInt64.self) == UInt64(large))
        #expect(try Transformer.number.transform(7.0, as: Int8.self) == 7)
        #expect(try Transformer.number.transform(UInt64.max, as: Bool.self) == true)
        expectFailure(.failed, of: Transformer.number, 7.5, to: Int.self)
        expectFailure(.failed, of: Transformer.number, 300, to: UInt8.self)
        expectFailure(.failed, of: Transformer.number, 1e300, to: Float.self)
    }

    // MARK: Decimals

    private let written = Decimal(string: "123456.7890")

    @Test(.parity("M092", "M093")) func decimalsAndTextBecomeEachOther() {
        #expect(Transformer.decimalString.canTransform(from: Decimal.self, to: String.self))
        #expect(Transformer.decimalString.canTransform(from: String.self, to: Decimal.self))
        #expect(!Transformer.decimalString.canTransform(from: Double.self, to: String.self))
    }

    @Test(.parity("M094", "M095")) func decimalsKeepTheirDigits() throws {
        #expect(
            try Transformer.decimalString.transform(written, as: String.self) == "123456.789")
        #expect(try Transformer.decimalString.transform("123456.7890", as: Decimal.self) == written)
        let long = "12345678901234567890.123456789"
        #expect(
            try Transformer.decimalString.transform(long, as: Decimal.self)?.description == long)
        #expect(
            try Transformer.decimalString.transform(Decimal(100), as: String.self) == "100")
    }

    @Test(.parity("M096", "M097", "M098")) func decimalsAndTextRefuseTheRest() {
        expectFailure(.inputNotAcceptable, of: Transformer.decimalString, [1], to: Decimal.self)
        expectFailure(.failed, of: Transformer.decimalString, "abdskjfsdkfjs", to: Decimal.self)
        expectFailure(.outputNotSupported, of: Transformer.decimalString, "1", to: Data.self)
        expectFailure(.outputNotSupported, of: Transformer.decimalString, written, to: Data.self)
    }

    @Test(.parity("M099", "M100")) func decimalsAndNumbersBecomeEachOther() {
        #expect(Transformer.decimalNumber.canTransform(from: Decimal.self, to: Double.self))
        #expect(Transformer.decimalNumber.canTransform(from: Double.self, to: Decimal.self))
        #expect(!Transformer.decimalNumber.canTransform(from: Double.self, to: Double.self))
        #expect(!Transformer.decimalNumber.canTransform(from: Int.self, to: Double.self))
    }

    @Test(.parity("M101", "M102")) func decimalsAreTheNumbersAsWritten() throws {
        #expect(try Transformer.decimalNumber.transform(written, as: Double.self) == 123456.789)
        #expect(try Transformer.decimalNumber.transform(Decimal(7), as: Int.self) == 7)
        #expect(try Transformer.decimalNumber.transform(123456.7890, as: Decimal.self) == written)
        #expect(
            try Transformer.decimalNumber.transform(1e-7, as: Decimal.self)
                == Decimal(string: "1e-7"))
        let large = 9_007_199_254_740_993
        #expect(try Transformer.decimalNumber.transform(large, as: Decimal.self) == Decimal(large))
        expectFailure(.failed, of: Transformer.decimalNumber, written, to: Int.self)
    }

    @Test(.parity("M103", "M104")) func decimalsAndNumbersRefuseTheRest() {
        expectFailure(.inputNotAcceptable, of: Transformer.decimalNumber, [1], to: Decimal.self)
        expectFailure(.outputNotSupported, of: Transformer.decimalNumber, 1.5, to: Data.self)
        expectFailure(.outputNotSupported, of: Transformer.decimalNumber, written, to: Data.self)
    }

    /// The second surprise of decimals: nonsense must not slip through as a plain 0.
    @Test func theChainMakesNoDecimalOfNonsense() {
        for coercions in [Coercions.standard, .lenient] {
            expectFailure(
                .failed, of: CompoundTransformer.standard(coercions: coercions), nonsense,
                to: Decimal.self)
        }
    }
}

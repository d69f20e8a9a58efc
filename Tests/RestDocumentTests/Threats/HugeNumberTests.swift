// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import TestSupport
import Testing

/// Numbers beyond the range of some types: each type returns the exact value or `nil`, and the text
/// is preserved.
///
/// `scripts/instructions` checks that the cost per digit does not depend on the length.
@Suite struct HugeNumberTests {
    /// A number and its value in each type, with decimals as text.
    struct Reading: Sendable, CustomTestStringConvertible {
        let text: String
        let int64: Int64?
        let uint64: UInt64?
        let double: Double?
        let decimal: String?

        init(
            _ text: String, int64: Int64? = nil, uint64: UInt64? = nil, double: Double? = nil,
            decimal: String? = nil
        ) {
            self.text = text
            self.int64 = int64
            self.uint64 = uint64
            self.double = double
            self.decimal = decimal
        }

        var testDescription: String { "\(text.prefix(40)) of \(text.utf8.count) bytes" }
    }

    static let thirty = "123456789012345678901234567890"
    static let million = 1_000_000

    static let readings = [
        Reading("1e400"), Reading("-1e400"), Reading("1E-400", double: 0),
        Reading("-1E-400", double: -0.0),
        Reading(thirty, double: 1.2345678901234568e29, decimal: thirty),
        Reading("-0", int64: 0, uint64: 0, double: -0.0, decimal: "0"),
        Reading("9007199254740991", whole: 9_007_199_254_740_991),
        Reading("9007199254740992", whole: 9_007_199_254_740_992),
        Reading("9007199254740993", whole: 9_007_199_254_740_993),
        Reading("-9007199254740993", whole: -9_007_199_254_740_993),
        Reading("9223372036854775807", whole: .max),
        Reading("-9223372036854775808", whole: .min),
        Reading(
            "9223372036854775808", uint64: 1 << 63, double: 0x1p63, decimal: "9223372036854775808"),
        Reading("-9223372036854775809", double: -0x1p63, decimal: "-9223372036854775809"),
        Reading(
            "18446744073709551615", uint64: .max, double: 0x1p64, decimal: "18446744073709551615"),
        Reading("18446744073709551616", double: 0x1p64, decimal: "18446744073709551616"),
        // Large types read at most 4,096 bytes.
        Reading("1." + zeros(4094), whole: 1, decimal: "1"),
        Reading("1." + zeros(4095), whole: 1, decimal: nil),
        // A megabyte of digits.
        Reading(String(repeating: "7", count: million)),
        Reading("-" + String(repeating: "7", count: million)),
        Reading("0." + String(repeating: "7", count: million), double: 7.0 / 9),
        Reading("1." + zeros(million) + "1", double: 1),
        Reading("9007199254740993." + zeros(million) + "1", double: 9_007_199_254_740_994),
        Reading("9007199254740993." + zeros(million), whole: 9_007_199_254_740_993, decimal: nil),
        Reading("1e" + String(repeating: "9", count: million)),
        Reading("1e-" + String(repeating: "9", count: million), double: 0),
        Reading("1" + zeros(million) + "e-\(million)", whole: 1, decimal: nil),
    ]

    @Test(.threat("T02"), arguments: readings)
    func areExactOrAbsent(_ reading: Reading) throws {
        let root = try Document(parsing: "[\(reading.text)]").root
        let number = try #require(root[0])
        #expect(number.int64 == reading.int64)
        #expect(number.uint64 == reading.uint64)
        #expect(number.double?.bitPattern == reading.double?.bitPattern)
        #expect(number.decimal == reading.decimal.flatMap { Decimal(string: $0) })
        #expect(number.numberText == reading.text)
        #expect(JSONWriter.compact.text(of: root) == "[\(reading.text)]")
    }

    private static func zeros(_ count: Int) -> String { String(repeating: "0", count: count) }
}

extension HugeNumberTests.Reading {
    /// Creates an integer that fits `Int64`, whose decimal is its text unless another is given.
    init(_ text: String, whole: Int64) {
        self.init(text, whole: whole, decimal: text)
    }

    init(_ text: String, whole: Int64, decimal: String?) {
        self.init(
            text, int64: whole, uint64: UInt64(exactly: whole), double: Double(whole),
            decimal: decimal)
    }
}

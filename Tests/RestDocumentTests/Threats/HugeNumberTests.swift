// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import TestSupport
import Testing

/// Numbers beyond the range of some types: each type returns the exact value or `nil`, and the text
/// is preserved.
///
/// `scripts/instructions` also counts the instructions of reading a megabyte of digits.
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

    #if DEBUG
    /// A number of any length, all of whose digits are examined.
    struct Shape: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let text: @Sendable (_ count: Int) -> String

        init(_ name: String, _ text: @escaping @Sendable (_ count: Int) -> String) {
            testDescription = name
            self.text = text
        }
    }

    static let shapes = [
        Shape("integer") { String(repeating: "7", count: $0) },
        Shape("leading zeros") { "0.\(zeros($0))7" },
        Shape("fraction") { "0." + String(repeating: "7", count: $0) },
        Shape("undecided by the last digit") { "9007199254740993.\(zeros($0))1" },
        Shape("exactly halfway") { "9007199254740993.\(zeros($0))" },
        Shape("undecided and small") {
            "2.2250738585072011360" + zeros($0) + "1e-308"
        },
        Shape("exponent") { "1e" + String(repeating: "9", count: $0) },
        Shape("negative exponent") { "1e-" + String(repeating: "9", count: $0) },
        Shape("integer with an exponent") { "1\(zeros($0))e-\($0)" },
    ]

    /// The steps are at most a multiple of the length: a hundred times the digits take at most a
    /// hundred times the steps.
    @Test(.threat("T02"), arguments: shapes)
    func workIsProportionalToLength(_ shape: Shape) throws {
        func work(_ count: Int) throws -> Int {
            let text = shape.text(count)
            let work = NumberWork()
            try NumberWork.$current.withValue(work) {
                let number = try Document(parsing: text).root
                #expect(number == number)
                _ = (number.int64, number.uint64, number.double, number.decimal)
            }
            return work.steps
        }
        let (short, long) = (try work(10_000), try work(Self.million))
        // Each digit is examined when the number is parsed, and at most once by each conversion.
        #expect(short >= 10_000)
        #expect(long >= Self.million)
        #expect(long <= 100 * short)
        #expect(long <= 12 * Self.million)
    }
    #endif

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

// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import TestSupport
import Testing

@Suite struct NumberParsingTests {
    private func number(_ text: String) throws -> Node { try Document(parsing: text).root }

    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("0.0", 0), ("-0.0e5", 0), ("0e999999999999999999999", 0),
            ("1", 1), ("-1", -1), ("1.0", 1), ("10e-1", 1), ("0.1e1", 1), ("1e2", 100),
            ("123.4500e2", 12345), ("100e-2", 1), ("9007199254740993", 9_007_199_254_740_993),
            ("9007199254740993.0", 9_007_199_254_740_993),
            ("9223372036854775807", .max), ("-9223372036854775808", .min),
            ("9.223372036854775807e18", .max), ("-9.223372036854775808e18", .min),
            ("922337203685477580.7e1", .max), ("1000000000000000000", 1_000_000_000_000_000_000),
        ] as [(String, Int64)])
    func readsIntegersExactly(_ text: String, _ expected: Int64) throws {
        #expect(try number(text).int64 == expected)
        #expect(try number(text).uint64 == UInt64(exactly: expected))
        #expect(try number(text).numberText == text)
    }

    @Test(
        arguments: [
            "0.5", "1.5", "9223372036854775808", "-9223372036854775809", "1e19", "1e400", "-1e400",
            "1.0000000000000000000000001", "9007199254740992.5", "0.99999999999999999999", "1e-400",
            "9.223372036854775808e18", "100e-3",
        ])
    func int64IsNilWhenInexact(_ text: String) throws {
        #expect(try number(text).int64 == nil)
    }

    @Test(
        arguments: [
            ("18446744073709551615", .max), ("1.8446744073709551615e19", .max),
            ("9223372036854775808", 1 << 63), ("10000000000000000000", 10_000_000_000_000_000_000),
        ] as [(String, UInt64)])
    func readsUnsignedIntegersExactly(_ text: String, _ expected: UInt64) throws {
        #expect(try number(text).uint64 == expected)
        #expect(try number(text).int64 == nil)
        #expect(try number(text).double == Double(expected))
    }

    @Test(arguments: ["18446744073709551616", "-1", "0.5", "1.8446744073709551616e19", "1e20"])
    func uint64IsNilWhenInexact(_ text: String) throws {
        #expect(try number(text).uint64 == nil)
    }

    @Test(
        arguments: [
            "1e400", "-1e400", "1.7976931348623159e308", "1e309", "123456789e999999999999999999",
            String(repeating: "9", count: 400),
        ])
    func keepsTextBeyondDouble(_ text: String) throws {
        #expect(try number(text).double == nil)
        #expect(try number(text).numberText == text)
        #expect(try number(text).kind == .number)
    }

    static let edges = [
        "1.7976931348623157e308", "1.7976931348623158e308", "2.2250738585072014e-308",
        "2.2250738585072011e-308", "2.2250738585072012e-308", "4.9406564584124654e-324",
        "2.4703282292062327e-324", "2.4703282292062328e-324", "5e-324", "1e-400", "-1e-400",
        "9007199254740993", "9007199254740992.9999999999999999", "9007199254740993.0000000000001",
        "1.00000000000000011102230246251565404236316680908203125",
        "1.00000000000000011102230246251565404236316680908203124",
        "1.00000000000000011102230246251565404236316680908203126",
        "0.000000000000000000000000000000000000000000000000001e55", "1e23", "8.5e22", "1e22",
        "123456789012345678901234567890", "0.1", "0.2", "0.3", "3.141592653589793", "-0.0", "-0",
        "6631236846766476e-316", "3237883913302901e19", "7.2057594037927933e16",
        "1" + String(repeating: "0", count: 300), "0." + String(repeating: "0", count: 300) + "1",
        String(repeating: "1234567890", count: 80) + "e-790",
        "0." + String(repeating: "9", count: 800),
    ]

    @Test(arguments: edges)
    func roundsToNearestDouble(_ text: String) throws {
        let expected = unsafe strtod(text, nil)
        #expect(try number(text).double?.bitPattern == expected.bitPattern)
    }

    @Test func roundsRandomTextsToNearestDouble() throws {
        var random = SystemRandomNumberGenerator()
        let seed = random.next()
        var state = seed
        func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 33) ^ state
        }
        var texts: [String] = []
        for round in 0..<20_000 {
            let bits = Double(bitPattern: next())
            if bits.isFinite { texts.append(bits.description) }
            let digits = (0..<Int(next() % 25) + 1).map { _ in String(next() % 10) }.joined()
            let first = String(next() % 9 + 1)
            let exponent = Int(next() % 680) - 340
            texts.append("-\(first).\(digits)e\(exponent)")
            texts.append("\(first)\(digits)\(round % 2 == 0 ? ".5" : "")")
            // Halfway between two doubles.
            let whole = next() >> 10 | 1 << 53
            texts.append("\(whole | 1).\(round % 3 == 0 ? "0" : "00000000000000000000001")")
        }
        let document = try Document(parsing: "[" + texts.joined(separator: ",") + "]")
        for (node, text) in zip(document.root.elements, texts) {
            let expected = unsafe strtod(text, nil)
            if expected.isInfinite {
                #expect(node.double == nil, "\(text), seed \(seed)")
            } else if node.double?.bitPattern != expected.bitPattern {
                Issue.record("\(text) gave \(node.double ?? .nan), seed \(seed)")
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import Testing

/// Values of the standard library's types, alone, in objects and in arrays.
@Suite struct ScalarCodingTests {
    @Test func codesEveryIntegerWidth() throws {
        try keepsExtremes(Int.self)
        try keepsExtremes(Int8.self)
        try keepsExtremes(Int16.self)
        try keepsExtremes(Int32.self)
        try keepsExtremes(Int64.self)
        try keepsExtremes(Int128.self)
        try keepsExtremes(UInt.self)
        try keepsExtremes(UInt8.self)
        try keepsExtremes(UInt16.self)
        try keepsExtremes(UInt32.self)
        try keepsExtremes(UInt64.self)
        try keepsExtremes(UInt128.self)
    }

    private func keepsExtremes<Whole: FixedWidthInteger & Codable & Sendable>(
        _ type: Whole.Type
    ) throws {
        for value in [Whole.min, 0, 1, 7, 42, 100, Whole.max / 3, Whole.max - 1, Whole.max] {
            try expectRoundTrip(value, as: "\(value)")
        }
        if Whole.isSigned { try expectRoundTrip(Whole(-1), as: "-1") }
        for text in ["\(Whole.max)0", "1.5", "1e39", "\"1\"", "true", "[]", "{}", "null"] {
            #expect(throws: DocumentError.self, "\(text) as \(type)") {
                try DocumentDecoder().decode(type, from: Document(parsing: text))
            }
        }
        for (text, value) in [("1.0", 1), ("1e2", 100), ("-0", 0), ("120.00e-1", 12)] {
            let read = try DocumentDecoder().decode(type, from: Document(parsing: text))
            #expect(read == Whole(value), "\(text) as \(type)")
        }
        let below = Whole.isSigned ? "\(Whole.min)0" : "-1"
        #expect(throws: DocumentError.self) {
            try DocumentDecoder().decode(type, from: Document(parsing: below))
        }
    }

    @Test(
        arguments: [
            (0.0, "0.0"), (-0.0, "-0.0"), (1.5, "1.5"), (0.1, "0.1"), (1e20, "1e+20"),
            (1e21, "1e+21"), (Double.leastNonzeroMagnitude, "5e-324"),
            (1.7976931348623157e308, "1.7976931348623157e+308"),
            (0.1 + 0.2, "0.30000000000000004"), (123_456_789.125, "123456789.125"),
            (-1e-7, "-1e-07"), (9_007_199_254_740_992, "9007199254740992.0"),
        ])
    func writesShortestDoubles(_ value: Double, _ text: String) throws {
        try expectRoundTrip(value, as: text)
        let read = try DocumentDecoder().decode(Double.self, from: Document(parsing: text))
        #expect(read.bitPattern == value.bitPattern)
    }

    @Test(
        arguments: [
            0, 1.5, 0.1, 16_777_216, .greatestFiniteMagnitude, .leastNonzeroMagnitude, -7.5e-20,
        ] as [Float])
    func preservesFloats(_ value: Float) throws {
        try expectRoundTrip(value, as: value.description)
    }

    @Test(
        arguments: [
            // Halfway between two floats except for a digit that no double represents.
            "1.00000005960464477539062500000000000000000001", "1.000000059604644775390625",
            "1.00000017881393432617187500000000000000000001", "7.0064923216240853e-46",
            "7.1e-46", "16777217", "3.4028235677973366e38", "0.1", "1e-50", "18446744073709551615",
        ])
    func roundsFloatsOnce(_ text: String) throws {
        let read = try? DocumentDecoder().decode(Float.self, from: Document(parsing: text))
        #expect(read == Float(text).flatMap { $0.isFinite ? $0 : nil })
    }

    @Test func rejectsUnrepresentableFloatingPoint() {
        for text in ["1e400", "-1e400", "\"1\"", "true", "null", "[]"] {
            #expect(throws: DocumentError.self, "\(text)") {
                try DocumentDecoder().decode(Double.self, from: Document(parsing: text))
            }
        }
        for text in ["1e39", "-3.5e38"] {
            #expect(throws: DocumentError.self, "\(text)") {
                try DocumentDecoder().decode(Float.self, from: Document(parsing: text))
            }
        }
        for value in [Double.infinity, -.infinity, .nan] {
            let error = #expect(throws: DocumentError.self) {
                try DocumentEncoder().encode([1, value])
            }
            #expect(error?.code == .notEncodable)
            #expect(error?.path.description == "[1]")
        }
        #expect(throws: DocumentError.self) { try DocumentEncoder().encode(Float.infinity) }
        #expect(throws: DocumentError.self) { try DocumentEncoder().encode(Decimal.nan) }
    }

    @Test func preservesStringsAndBooleans() throws {
        try expectRoundTrip(true, as: "true")
        try expectRoundTrip(false, as: "false")
        try expectRoundTrip("", as: #""""#)
        try expectRoundTrip("a/b", as: #""a/b""#)
        try expectRoundTrip("\u{2028}é漢😀", as: "\"\u{2028}é漢😀\"")
        try expectRoundTrip(
            "\"\\\u{8}\u{C}\n\r\t\u{0}\u{1F}\u{7F}",
            as: #""\"\\\b\f\n\r\t\u0000\u001f"# + "\u{7F}\"")
        for length in 0...70 {
            for index in 0..<max(length, 1) {
                var text = Array(repeating: "x", count: length)
                if length > 0 { text[index] = index % 2 == 0 ? "\"" : "\n" }
                let value = text.joined()
                let back = try DocumentDecoder().decode(
                    String.self, from: DocumentEncoder().bytes(of: value))
                #expect(back == value)
            }
        }
    }

    @Test(
        arguments: [
            ("0", "0"), ("0.1", "0.1"), ("-12345678901234567890.123456789012345678", nil),
            ("19.99", "19.99"), ("1e3", "1000"), ("100000000000000000000000000000000000001", nil),
        ] as [(String, String?)])
    func preservesDecimals(_ text: String, _ written: String?) throws {
        let value = try DocumentDecoder().decode(Decimal.self, from: Document(parsing: text))
        #expect(value == Decimal(string: text))
        #expect(
            try String(decoding: DocumentEncoder().bytes(of: value), as: UTF8.self) == written
                ?? text)
    }

    @Test func rejectsInexactDecimals() {
        let text = String(repeating: "9", count: 60)
        #expect(throws: DocumentError.self) {
            try DocumentDecoder().decode(Decimal.self, from: Document(parsing: text))
        }
    }

    @Test func preservesFoundationTypes() throws {
        try expectRoundTrip(
            UUID(uuidString: "0C9A1D2E-3F45-4A67-8B90-ABCDEF012345"),
            as: #""0C9A1D2E-3F45-4A67-8B90-ABCDEF012345""#)
        try expectRoundTrip(
            URL(string: "https://a.example/b?c=d#e"), as: #""https://a.example/b?c=d#e""#)
        try expectRoundTrip(Data([0, 1, 254, 255]), as: #""AAH+/w==""#)
        try expectRoundTrip(Date(timeIntervalSince1970: 0), as: #""1970-01-01T00:00:00Z""#)
        try expectRoundTrip(Date?.none, as: "null")
        for text in [#""no""#, "1", "null", "{}"] {
            #expect(throws: DocumentError.self) {
                try DocumentDecoder().decode(UUID.self, from: Document(parsing: text))
            }
            #expect(throws: DocumentError.self) {
                try DocumentDecoder().decode(Date.self, from: Document(parsing: text))
            }
        }
        #expect(throws: DocumentError.self) {
            try DocumentDecoder().decode(Data.self, from: Document(parsing: #""*""#))
        }
    }

    private struct Holder<Value: Codable & Equatable>: Codable, Equatable {
        var member: Value
        var absent: Value?
        var elements: [Value]
        var named: [String: Value]
    }

    /// Writes a value alone and inside others, and reads it with both decoders.
    private func expectRoundTrip<Value: Codable & Equatable>(_ value: Value, as text: String) throws
    {
        let (encoder, decoder) = (DocumentEncoder(), DocumentDecoder())
        #expect(try String(decoding: encoder.bytes(of: value), as: UTF8.self) == text)
        #expect(try encoder.encode(value).root.debugDescription == text)
        #expect(try decoder.decode(Value.self, from: Document(parsing: text)) == value)
        let holder = Holder(member: value, elements: [value, value], named: ["k": value])
        let written = try encoder.bytes(of: holder)
        let expected = #"{"member":\#(text),"elements":[\#(text),\#(text)],"named":{"k":\#(text)}}"#
        #expect(String(decoding: written, as: UTF8.self) == expected)
        #expect(try decoder.decode(Holder<Value>.self, from: written) == holder)
    }
}

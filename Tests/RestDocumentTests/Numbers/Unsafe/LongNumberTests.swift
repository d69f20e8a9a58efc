// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import TestSupport
import Testing

/// Numbers with 20 or more digits at and next to the point halfway between two doubles.
@Suite struct LongNumberTests {
    /// Returns the exact digits of odd × 2ⁿ, and how many of them follow the decimal point.
    private static func digits(
        of odd: UInt64, timesTwoTo n: Int
    ) -> (digits: [UInt8], behind: Int) {
        // Least significant digit first.
        var digits = String(odd).utf8.reversed().map { Int($0 - 0x30) }
        for _ in 0..<abs(n) {
            var carry = 0
            for place in digits.indices {
                let value = digits[place] * (n < 0 ? 5 : 2) + carry
                digits[place] = value % 10
                carry = value / 10
            }
            if carry > 0 { digits.append(carry) }
        }
        return (digits.reversed().map { UInt8($0) + 0x30 }, max(-n, 0))
    }

    /// Returns the point halfway between a double and the next one.
    private static func middle(above bits: UInt64) -> (digits: [UInt8], behind: Int) {
        let (fraction, exponent) = (bits & 0xF_FFFF_FFFF_FFFF, Int(bits >> 52))
        let whole = exponent == 0 ? fraction : fraction | 1 << 52
        return digits(of: whole * 2 + 1, timesTwoTo: max(exponent, 1) - 1_076)
    }

    /// Returns the digits with the last one decremented.
    private static func lessened(_ digits: [UInt8]) -> [UInt8] {
        var digits = digits
        var place = digits.count - 1
        while digits[place] == 0x30 {
            digits[place] = 0x39
            place -= 1
        }
        digits[place] -= 1
        // A number has no leading zero.
        return digits[0] == 0x30 ? Array(digits.dropFirst()) : digits
    }

    static let doubles: [UInt64] = [
        // The smallest doubles, those around the smallest normal one, and the largest.
        0, 1, 2, 3, 0x000F_FFFF_FFFF_FFFE, 0x000F_FFFF_FFFF_FFFF, 0x0010_0000_0000_0000,
        0x0010_0000_0000_0001, 0x7FEF_FFFF_FFFF_FFFE, 0x7FEF_FFFF_FFFF_FFFF,
        // Powers of two and their neighbors.
        1.0.bitPattern, 1.0.bitPattern - 1, 2.0.bitPattern - 1, 0x1p53.bitPattern,
        0x1p53.bitPattern + 1, 0x1p63.bitPattern - 1, 0x1p64.bitPattern, 0x1p-500.bitPattern,
        0x1p-1022.bitPattern, 0x1p1023.bitPattern, 0x1p1023.bitPattern - 1,
        // Powers of ten.
        1e22.bitPattern, 1e23.bitPattern, 1e100.bitPattern, 1e-5.bitPattern, 1e-22.bitPattern,
        1e-300.bitPattern, 1e300.bitPattern, 0.1.bitPattern, 0.3.bitPattern,
    ]

    @Test(.threat("T02"), arguments: doubles)
    func roundsTiesToEven(_ bits: UInt64) throws {
        let (middle, behind) = Self.middle(above: bits)
        let even = bits & 1 == 0 ? bits : bits + 1
        for padding in [0, 1, 19, 800] {
            let zeros = [UInt8](repeating: 0x30, count: padding)
            // With the decimal point after, before and between the digits.
            for point in [middle.count + padding, 0, (middle.count + padding) / 2] {
                func expect(_ digits: [UInt8], _ expected: UInt64) throws {
                    var text = digits
                    let shift = digits.count - behind - padding - min(point, digits.count)
                    if point == 0 {
                        text = Array("0.".utf8) + digits
                    } else if point < digits.count {
                        text.insert(UInt8(ascii: "."), at: point)
                    }
                    text += Array("e\(shift)".utf8)
                    let number = try Document(parsing: text).root
                    let found = number.double?.bitPattern ?? Double.infinity.bitPattern
                    #expect(found == expected, "\(String(decoding: text, as: UTF8.self))")
                    let string = String(decoding: text, as: UTF8.self)
                    #expect(unsafe strtod(string, nil).bitPattern == expected)
                }
                try expect(middle + zeros, even)
                try expect(Self.lessened(middle) + zeros, bits)
                if padding > 0 {
                    try expect(middle + zeros.dropLast() + [0x31], bits + 1)
                    let nines = [UInt8](repeating: 0x39, count: padding)
                    try expect(Self.lessened(middle) + nines, bits)
                }
            }
        }
    }

    /// Halfway points truncated at every digit, and with the last digit incremented.
    @Test func roundsTruncatedHalfwayPoints() throws {
        for bits in Self.doubles {
            let (middle, behind) = Self.middle(above: bits)
            for length in [17, 18, 19, 20, 21, 38, 39, 57, 100, 767, 768, 769]
            where length < middle.count {
                let cut = Array(middle.prefix(length))
                let shift = middle.count - length - behind
                let (below, above) = (cut + [0x30], cut + [0x39])
                for text in [cut, below, above].map({ String(decoding: $0, as: UTF8.self) }) {
                    let exponent = text.utf8.count == length ? shift : shift - 1
                    let number = "\(text)e\(exponent)"
                    let expected = unsafe strtod(number, nil)
                    let found = try Document(parsing: number).root.double ?? .infinity
                    #expect(found.bitPattern == expected.bitPattern, "\(number)")
                }
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

/// Hexadecimal text.
package enum Hexadecimal {
    /// Returns the lower-case digit of a value below 16.
    @inlinable package static func lowercaseDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") &+ value : UInt8(ascii: "a") &- 10 &+ value
    }

    /// Returns the upper-case digit of a value below 16.
    @inlinable package static func uppercaseDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") &+ value : UInt8(ascii: "A") &- 10 &+ value
    }

    /// Returns the lower-case digits of bytes, two for each byte.
    package static func text(of bytes: some Collection<UInt8>) -> String {
        var digits: [UInt8] = []
        digits.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            digits.append(lowercaseDigit(byte >> 4))
            digits.append(lowercaseDigit(byte & 0xF))
        }
        return String(decoding: digits, as: UTF8.self)
    }

    /// Returns the lower-case digits of a number, with leading zeros up to its bit width.
    package static func text(of number: some FixedWidthInteger & UnsignedInteger) -> String {
        var rest = number
        var digits = [UInt8](repeating: 0, count: number.bitWidth / 4)
        for index in digits.indices.reversed() {
            digits[index] = lowercaseDigit(UInt8(truncatingIfNeeded: rest) & 0xF)
            rest >>= 4
        }
        return String(decoding: digits, as: UTF8.self)
    }
}

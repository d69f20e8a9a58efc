// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The significand, the fraction digits and the sign of a decimal, read from its bytes.
///
/// Foundation computes each digit by decimal arithmetic instead.
///
/// Invariant: a decimal is 20 bytes: the exponent; a byte with the length and the sign; two bytes; and
/// the significand in eight words of 16 bits, least significant first. `layout` verifies this, and the
/// position of length and sign, with decimals of known parts; if no layout fits, nothing is read.
struct DecimalParts {
    let significand: UInt64
    let fractionDigits: Int
    let isNegative: Bool

    /// Creates the parts of a decimal.
    ///
    /// - Returns: `nil` for NaN, for more than 64 bits, for more than 19 digits of fraction and for
    ///   whole numbers whose trailing zeros are in the exponent.
    init?(_ decimal: Decimal) {
        guard let layout = Self.layout else { return nil }
        self.init(decimal, layout)
    }

    private init?(_ decimal: Decimal, _ layout: Layout) {
        let (head, digits) = unsafe withUnsafeBytes(of: decimal) { bytes in
            unsafe (
                UInt16(littleEndian: bytes.loadUnaligned(as: UInt16.self)),
                UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt64.self))
            )
        }
        let exponent = Int(Int8(truncatingIfNeeded: head))
        let length = Int(head >> layout.length & 0xF)
        isNegative = head >> layout.sign & 1 == 1
        // A sign without a length is NaN; words beyond the length are undefined.
        guard length <= 4, length > 0 || !isNegative, -19...0 ~= exponent else { return nil }
        significand = length == 0 ? 0 : digits & UInt64.max >> UInt64(64 - 16 * length)
        fractionDigits = -exponent
    }

    /// The positions of the length and of the sign, as bits of the first two bytes.
    private struct Layout {
        let length: UInt16
        let sign: UInt16

        /// A Boolean value that indicates whether sample decimals are read correctly.
        var fits: Bool {
            let samples: [(digits: UInt64, exponent: Int, sign: FloatingPointSign)] = [
                (0, 0, .plus), (1, 0, .plus), (7, -1, .minus), (123_456_789, -4, .plus),
                (0xFFFF, -19, .minus), (0x1_0001, 0, .plus), (.max, -7, .plus),
                (1 << 33 | 1, -2, .minus),
            ]
            return samples.allSatisfy { digits, exponent, sign in
                let decimal = Decimal(
                    sign: sign, exponent: exponent, significand: Decimal(digits))
                guard let parts = DecimalParts(decimal, self) else { return false }
                return parts.significand == digits && parts.fractionDigits == -exponent
                    && parts.isNegative == (sign == .minus)
            }
                && DecimalParts(.nan, self) == nil
                && DecimalParts(Decimal(UInt64.max) + 1, self) == nil
        }
    }

    /// The layout of Foundation's decimals: that of swift-foundation or of Apple's framework.
    private static let layout: Layout? = {
        guard MemoryLayout<Decimal>.size == 20 else { return nil }
        return [Layout(length: 12, sign: 11), Layout(length: 8, sign: 12)].first(where: \.fits)
    }()
}

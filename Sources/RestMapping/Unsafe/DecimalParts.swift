// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A decimal as the whole number that its digits are, without the arithmetic by which Foundation
/// finds each of them.
///
/// Invariant: a decimal is 20 bytes: the exponent; a byte with the length and the sign; two bytes; and
/// the significand in eight words of 16 bits, least first. `layout` holds that, and where length and
/// sign are, against what a decimal was made of; where nothing fits, nothing is read.
struct DecimalParts {
    let significand: UInt64
    let fractionDigits: Int
    let isNegative: Bool

    /// - Returns: Nil for NaN, for more than 64 bits, for more than 19 digits of fraction and for whole
    ///   numbers that end in zeros that are not written down.
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
        // A sign without a length is NaN; what lies beyond the length means nothing.
        guard length <= 4, length > 0 || !isNegative, -19...0 ~= exponent else { return nil }
        significand = length == 0 ? 0 : digits & UInt64.max >> UInt64(64 - 16 * length)
        fractionDigits = -exponent
    }

    /// The lowest bits of the length and of the sign in the first two bytes.
    private struct Layout {
        let length: UInt16
        let sign: UInt16

        /// Whether decimals are read as what they were made of.
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

    /// How Foundation lays out decimals: as swift-foundation does, or as Apple's framework.
    private static let layout: Layout? = {
        guard MemoryLayout<Decimal>.size == 20 else { return nil }
        return [Layout(length: 12, sign: 11), Layout(length: 8, sign: 12)].first(where: \.fits)
    }()
}

// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Document {
    /// Creates a document by parsing JSON text (RFC 8259) in UTF-8.
    ///
    /// - Throws: ``DocumentError`` with the position if the text is not valid JSON or exceeds a
    ///   limit.
    public init(parsing data: Data, limits: ParseLimits = .default) throws(DocumentError) {
        let result = unsafe data.withUnsafeBytes { input in
            Result { () throws(DocumentError) in
                try unsafe DocumentStorage.parsed(input, limits: limits)
            }
        }
        self.init(storage: try result.get())
    }
}

extension Node {
    /// The exact value of the number; `nil` if `Decimal` cannot represent it exactly.
    ///
    /// `Decimal` has 128 bits, which are at least 38 digits, and exponents from -128 to 127. The
    /// value is `nil` as well for a text of more than 4,096 bytes.
    public var decimal: Decimal? { withView { $0.decimal } }
}

extension NodeView {
    /// The exact value of the number; `nil` if `Decimal` cannot represent it exactly.
    public var decimal: Decimal? {
        guard kind.isNumber, unsafe numberBytes.count <= 4_096 else { return nil }
        return ExactDecimal(self).decimal
    }
}

extension ExactDecimal {
    /// The exact value; `nil` if `Decimal` cannot represent it.
    var decimal: Decimal? {
        if digitCount == 0 { return 0 }
        guard digitCount <= 39 else { return nil }
        var value = UInt128(0)
        var isTooLarge = false
        forEachDigit { digit in
            let (tens, overflows) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflowsToo) = tens.addingReportingOverflow(UInt128(digit))
            isTooLarge = isTooLarge || overflows || overflowsToo
            value = sum
        }
        if isTooLarge { return nil }
        // From here on, the decimal point follows the last digit. Trailing zeros cannot compensate
        // for an exponent that is too large: `Decimal` removes them.
        let exponent = exponent - digitCount
        guard exponent >= -128, exponent <= 127 else { return nil }
        var mantissa = Decimal(UInt64(truncatingIfNeeded: value >> 64))
        if mantissa != 0 {
            // 2⁶⁴ as the product of two exact factors.
            mantissa *= Decimal(UInt64(1) << 32)
            mantissa *= Decimal(UInt64(1) << 32)
        }
        mantissa += Decimal(UInt64(truncatingIfNeeded: value))
        return Decimal(
            sign: isNegative ? .minus : .plus, exponent: exponent, significand: mantissa)
    }
}

// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension Document {
    /// Reads JSON text (RFC 8259) in UTF-8, strictly.
    ///
    /// - Throws: ``DocumentError`` with the place.
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
    /// The number's exact value; `nil` when `Decimal` cannot hold it exactly.
    ///
    /// `Decimal` has 38 digits and exponents from -128 to 127.
    public var decimal: Decimal? { withView { $0.decimal } }
}

extension NodeView {
    /// The number's exact value; `nil` when `Decimal` cannot hold it exactly.
    public var decimal: Decimal? {
        guard kind.isNumber else { return nil }
        return DecimalText(self).decimal
    }
}

extension DecimalText {
    /// The exact value, when `Decimal` can hold it.
    var decimal: Decimal? {
        guard digitCount <= 38 else { return nil }
        if digitCount == 0 { return 0 }
        var value = UInt128(0)
        forEachDigit { value = value * 10 + UInt128($0) }
        // Below, the decimal point is behind the last digit.
        var exponent = exponent - digitCount
        while exponent > 127, value <= (UInt128.max - 9) / 10 {
            value *= 10
            exponent -= 1
        }
        guard exponent >= -128, exponent <= 127 else { return nil }
        var mantissa = Decimal(UInt64(truncatingIfNeeded: value >> 64))
        if mantissa != 0 {
            // 2⁶⁴ in two factors that are exact.
            mantissa *= Decimal(UInt64(1) << 32)
            mantissa *= Decimal(UInt64(1) << 32)
        }
        mantissa += Decimal(UInt64(truncatingIfNeeded: value))
        return Decimal(
            sign: isNegative ? .minus : .plus, exponent: exponent, significand: mantissa)
    }
}

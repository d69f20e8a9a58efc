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
    /// `Decimal` has 128 bits, which are at least 38 digits, and exponents from -128 to 127. A text of more than 4,096 bytes is
    /// not looked into.
    public var decimal: Decimal? { withView { $0.decimal } }
}

extension NodeView {
    /// The number's exact value; `nil` when `Decimal` cannot hold it exactly.
    public var decimal: Decimal? {
        guard kind.isNumber, unsafe numberBytes.count <= 4_096 else { return nil }
        return DecimalText(self).decimal
    }
}

extension DecimalText {
    /// The exact value, when `Decimal` can hold it.
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
        // Below, the decimal point is behind the last digit. Zeros behind it would be of no use where
        // the exponent is too large: `Decimal` takes them off again.
        let exponent = exponent - digitCount
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

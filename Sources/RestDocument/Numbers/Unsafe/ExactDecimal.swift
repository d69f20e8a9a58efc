// SPDX-License-Identifier: Apache-2.0

/// The exact value of a number's text: ±0.d₁d₂d₃… × 10^exponent.
///
/// The digits are those of the text without the decimal point and without leading and trailing
/// zeros.
///
/// Invariant: `digitCount` digits begin at `first`, with at most one decimal point between them.
/// The value is not used after the call that keeps the document alive.
@safe
struct ExactDecimal {
    let isNegative: Bool
    /// The position of the decimal point, counted from the first nonzero digit.
    let exponent: Int
    /// The number of digits from the first to the last nonzero one.
    let digitCount: Int
    private let first: UnsafePointer<UInt8>

    /// Creates the exact value of a number's text.
    init(_ start: UnsafePointer<UInt8>, count: Int) {
        let text = unsafe UnsafeBufferPointer(start: start, count: count)
        var position = 0
        isNegative = unsafe text[0] == UInt8(ascii: "-")
        if isNegative { position = 1 }
        var firstDigit = -1
        var lastDigit = -1
        var point = -1
        scan: while position < text.count {
            switch unsafe text[position] {
            case UInt8(ascii: "0"):
                break
            case UInt8(ascii: "1")...UInt8(ascii: "9"):
                if firstDigit < 0 { firstDigit = position }
                lastDigit = position
            case UInt8(ascii: "."):
                point = position
            default:
                break scan
            }
            position += 1
        }
        countNumberWork(position)
        let mantissaEnd = position
        guard firstDigit >= 0 else {
            unsafe first = start
            exponent = 0
            digitCount = 0
            return
        }
        var shift = 0
        if position < text.count {
            let isNegativeExponent = unsafe text[position + 1] == UInt8(ascii: "-")
            position += 1
            while position < text.count {
                let digit = unsafe text[position] &- 0x30
                // A larger exponent than the length of any text decides the result.
                if digit < 10, shift < 1 << 48 { shift = shift * 10 + Int(digit) }
                position += 1
            }
            countNumberWork(position - mantissaEnd)
            if isNegativeExponent { shift = -shift }
        }
        let pointPosition = point < 0 ? mantissaEnd : point
        let whole = pointPosition - firstDigit
        exponent = (whole > 0 ? whole : whole + 1) + shift
        let span = lastDigit - firstDigit + 1
        digitCount = point > firstDigit && point < lastDigit ? span - 1 : span
        unsafe first = start + firstDigit
    }

    /// The magnitude, if it is an integer within `UInt64`; otherwise `nil`.
    var integerMagnitude: UInt64? {
        guard digitCount > 0 else { return 0 }
        guard exponent >= digitCount, exponent <= 20 else { return nil }
        var value: UInt64 = 0
        var next = unsafe first
        countNumberWork(exponent)
        for position in 0..<exponent {
            var digit: UInt64 = 0
            if position < digitCount { digit = UInt64(unsafe takeDigit(&next)) }
            let (tens, overflows) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflowsToo) = tens.addingReportingOverflow(digit)
            if overflows || overflowsToo { return nil }
            value = sum
        }
        return value
    }

    /// Returns the exact value, if it is an integer of a type of up to 128 bits; otherwise `nil`.
    func integer<Integer: FixedWidthInteger>(as type: Integer.Type) -> Integer? {
        guard digitCount > 0 else { return 0 }
        guard exponent >= digitCount, exponent <= 39 else { return nil }
        var magnitude = UInt128(0)
        var isTooLarge = false
        func append(_ digit: UInt8) {
            let (tens, overflows) = magnitude.multipliedReportingOverflow(by: 10)
            let (sum, overflowsToo) = tens.addingReportingOverflow(UInt128(digit))
            isTooLarge = isTooLarge || overflows || overflowsToo
            magnitude = sum
        }
        forEachDigit(append)
        for _ in digitCount..<exponent { append(0) }
        if isTooLarge { return nil }
        guard isNegative else { return Integer(exactly: magnitude) }
        guard magnitude <= UInt128(1) << 127 else { return nil }
        return Integer(exactly: Int128(truncatingIfNeeded: 0 &- magnitude))
    }

    /// Returns a Boolean value that indicates whether two numbers have the same exact value.
    func isEqual(to other: ExactDecimal) -> Bool {
        guard digitCount == other.digitCount else { return false }
        guard digitCount > 0 else { return true }
        guard isNegative == other.isNegative, exponent == other.exponent else { return false }
        var left = unsafe first
        var right = unsafe other.first
        countNumberWork(digitCount)
        for _ in 0..<digitCount where unsafe takeDigit(&left) != takeDigit(&right) {
            return false
        }
        return true
    }

    /// Calls a closure for each digit, most significant first.
    func forEachDigit(_ body: (UInt8) -> Void) {
        var next = unsafe first
        countNumberWork(digitCount)
        for _ in 0..<digitCount { body(unsafe takeDigit(&next)) }
    }

    private func takeDigit(_ next: inout UnsafePointer<UInt8>) -> UInt8 {
        if unsafe next.pointee == UInt8(ascii: ".") { unsafe next += 1 }
        let digit = unsafe next.pointee &- 0x30
        unsafe next += 1
        return digit
    }
}

// SPDX-License-Identifier: Apache-2.0

extension NodeView {
    @usableFromInline @inline(never)
    func int64FromText() -> Int64? {
        let decimal = DecimalText(self)
        guard let magnitude = decimal.wholeMagnitude else { return nil }
        guard decimal.isNegative else { return Int64(exactly: magnitude) }
        return magnitude <= 1 << 63 ? Int64(truncatingIfNeeded: 0 &- magnitude) : nil
    }

    @usableFromInline @inline(never)
    func uint64FromText() -> UInt64? {
        let decimal = DecimalText(self)
        guard let magnitude = decimal.wholeMagnitude else { return nil }
        return decimal.isNegative && magnitude != 0 ? nil : magnitude
    }
}

/// A number's exact value, read from its text: ±0.d₁d₂d₃… × 10^exponent.
///
/// The digits are those of the text without its dot, without zeros at either end.
///
/// Invariant: from `first` on there are `digitCount` digits, with one dot at most between two of
/// them. As with the view it was made of, nobody keeps one beyond the call that keeps the document
/// alive.
@safe
struct DecimalText {
    let isNegative: Bool
    /// Where the decimal point stands, counted from the first digit that is not zero.
    let exponent: Int
    /// How many digits there are from the first to the last that is not zero.
    let digitCount: Int
    private let first: UnsafePointer<UInt8>

    /// Reads the text of a number.
    init(_ view: NodeView) {
        let text = unsafe view.numberBytes
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
        let mantissaEnd = position
        guard firstDigit >= 0 else {
            unsafe first = UnsafePointer(view.contentPointer)
            exponent = 0
            digitCount = 0
            return
        }
        var shift = 0
        if position < text.count {
            let isDown = unsafe text[position + 1] == UInt8(ascii: "-")
            position += 1
            while position < text.count {
                let digit = unsafe text[position] &- 0x30
                // A shift beyond any text's length already decides everything.
                if digit < 10, shift < 1 << 48 { shift = shift * 10 + Int(digit) }
                position += 1
            }
            if isDown { shift = -shift }
        }
        let pointPosition = point < 0 ? mantissaEnd : point
        let whole = pointPosition - firstDigit
        exponent = (whole > 0 ? whole : whole + 1) + shift
        let span = lastDigit - firstDigit + 1
        digitCount = point > firstDigit && point < lastDigit ? span - 1 : span
        unsafe first = view.contentPointer + firstDigit
    }

    /// The magnitude, when it is whole and within `UInt64`.
    var wholeMagnitude: UInt64? {
        guard digitCount > 0 else { return 0 }
        guard exponent >= digitCount, exponent <= 20 else { return nil }
        var value: UInt64 = 0
        var next = unsafe first
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

    /// The exact value, when it is whole and fits a type of any width up to 128 bits.
    func whole<Whole: FixedWidthInteger>(_ type: Whole.Type) -> Whole? {
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
        guard isNegative else { return Whole(exactly: magnitude) }
        guard magnitude <= UInt128(1) << 127 else { return nil }
        return Whole(exactly: Int128(truncatingIfNeeded: 0 &- magnitude))
    }

    /// Whether two numbers have the same exact value.
    func isEqual(to other: DecimalText) -> Bool {
        guard digitCount == other.digitCount else { return false }
        guard digitCount > 0 else { return true }
        guard isNegative == other.isNegative, exponent == other.exponent else { return false }
        var left = unsafe first
        var right = unsafe other.first
        for _ in 0..<digitCount where unsafe takeDigit(&left) != takeDigit(&right) {
            return false
        }
        return true
    }

    /// Calls a closure with every digit, the most significant first.
    func forEachDigit(_ body: (UInt8) -> Void) {
        var next = unsafe first
        for _ in 0..<digitCount { body(unsafe takeDigit(&next)) }
    }

    private func takeDigit(_ next: inout UnsafePointer<UInt8>) -> UInt8 {
        if unsafe next.pointee == UInt8(ascii: ".") { unsafe next += 1 }
        let digit = unsafe next.pointee &- 0x30
        unsafe next += 1
        return digit
    }
}

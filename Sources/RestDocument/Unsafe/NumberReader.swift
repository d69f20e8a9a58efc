// SPDX-License-Identifier: Apache-2.0

/// What reading a number gave: a node without its offset, and the place after the text.
///
/// Invariant: `end` is used while the text is there that was read.
@safe
struct ReadNumber {
    /// The place after the number, or where it stopped being one.
    let end: UnsafePointer<UInt8>
    /// ``TapeKind/null`` when the text is not a number.
    let kind: TapeKind
    /// The node's second word.
    let payload: UInt64
}

/// Reads the part of a number from its dot, its exponent, or its 19th digit on.
///
/// Invariant: the padding follows the text. Each loop stops at what is no digit, at a zero of the
/// padding at the latest, and loads of 8 begin there at the latest. The table of powers is never
/// freed, and has two words for every exponent that gets as far as looking one up.
///
/// - Parameters:
///   - start: The first byte of the number, its sign included.
///   - digits: The first digit.
///   - pointer: The first byte that does not belong to the whole part.
///   - whole: The whole part; wrapped around when it has 20 digits or more.
///   - powers: The words of ``DecimalPowers``.
/// - Returns: The node's parts and the place after the number.
/// - Complexity: O(*n*) in the length of the text.
@inline(never)
func readNumber(
    _ start: UnsafePointer<UInt8>, digits: UnsafePointer<UInt8>, from pointer: UnsafePointer<UInt8>,
    whole: UInt64, powers: UnsafePointer<UInt64>
) -> ReadNumber {
    var p = unsafe pointer
    var value = whole
    var digitCount = unsafe p - digits
    let sign: UInt64 = unsafe digits == start ? 0 : 1 << 63
    var exponent = 0
    if unsafe p.pointee == UInt8(ascii: ".") {
        unsafe p += 1
        let fraction = unsafe p
        while true {
            let word = unsafe eightBytes(p)
            guard isEightDigits(word) else { break }
            value = value &* 100_000_000 &+ eightDigits(word)
            unsafe p += 8
        }
        while true {
            let digit = unsafe p.pointee &- 0x30
            guard digit < 10 else { break }
            value = value &* 10 &+ UInt64(digit)
            unsafe p += 1
        }
        exponent = unsafe fraction - p
        guard exponent != 0 else { return unsafe ReadNumber(end: p, kind: .null, payload: 0) }
        digitCount &-= exponent
    } else if unsafe p.pointee | 0x20 != UInt8(ascii: "e") {
        // Only digits, 19 or more of them.
        if let integer = unsafe integer(digits, digitCount, isNegative: sign != 0, end: p) {
            return integer
        }
    }
    let mantissaEnd = unsafe p
    if unsafe p.pointee | 0x20 == UInt8(ascii: "e") {
        unsafe p += 1
        let isDown = unsafe p.pointee == UInt8(ascii: "-")
        if unsafe isDown || p.pointee == UInt8(ascii: "+") { unsafe p += 1 }
        let first = unsafe p
        var shift = 0
        while true {
            let digit = unsafe p.pointee &- 0x30
            guard digit < 10 else { break }
            // Beyond 2⁴⁸ nothing that fits in memory brings the number back into range.
            if shift < 1 << 48 { shift = shift &* 10 &+ Int(digit) }
            unsafe p += 1
        }
        guard unsafe p != first else { return unsafe ReadNumber(end: p, kind: .null, payload: 0) }
        exponent &+= isDown ? 0 &- shift : shift
    }
    var bits: UInt64
    if digitCount <= 19 {
        bits = unsafe nearestDouble(value, exponent, powers)
    } else {
        let number = unsafe LongNumber(
            digits, count: digitCount, mantissaEnd: mantissaEnd, exponent: exponent, powers: powers)
        bits = number.nearestDouble()
    }
    guard bits != infinityBits else {
        return unsafe ReadNumber(end: p, kind: .numberText, payload: 0)
    }
    bits |= sign
    return unsafe ReadNumber(end: p, kind: .double, payload: bits)
}

let infinityBits: UInt64 = 0x7FF0_0000_0000_0000

/// A number of only digits, when it fits one of the 64-bit types.
private func integer(
    _ digits: UnsafePointer<UInt8>, _ count: Int, isNegative: Bool, end: UnsafePointer<UInt8>
) -> ReadNumber? {
    guard count <= 20 else { return nil }
    var value: UInt64 = 0
    for position in 0..<count {
        let (tens, overflows) = value.multipliedReportingOverflow(by: 10)
        let digit = unsafe UInt64(digits[position] &- 0x30)
        let (sum, overflowsToo) = tens.addingReportingOverflow(digit)
        if overflows || overflowsToo { return nil }
        value = sum
    }
    if isNegative {
        guard value <= 1 << 63, value != 0 else { return nil }
        return unsafe ReadNumber(end: end, kind: .integer, payload: 0 &- value)
    }
    return unsafe ReadNumber(
        end: end, kind: value >> 63 == 0 ? .integer : .unsigned, payload: value)
}

/// The next bytes, the first of them the least significant.
@inline(__always)
func eightBytes(_ p: UnsafePointer<UInt8>) -> UInt64 {
    unsafe UInt64(littleEndian: UnsafeRawPointer(p).loadUnaligned(as: UInt64.self))
}

/// Whether eight bytes are digits all.
@inline(__always)
func isEightDigits(_ word: UInt64) -> Bool {
    let high = word & 0xF0F0_F0F0_F0F0_F0F0
    let carried = (word &+ 0x0606_0606_0606_0606) & 0xF0F0_F0F0_F0F0_F0F0
    return high | (carried >> 4) == 0x3333_3333_3333_3333
}

/// The value of eight digits.
@inline(__always)
func eightDigits(_ word: UInt64) -> UInt64 {
    var value = word &- 0x3030_3030_3030_3030
    value = (value &* 10) &+ (value >> 8)
    let low = (value & 0x0000_00FF_0000_00FF) &* 0x000F_4240_0000_0064
    let high = ((value >> 16) & 0x0000_00FF_0000_00FF) &* 0x0000_2710_0000_0001
    return (low &+ high) >> 32
}

/// The bits of the double nearest to value × 10^exponent, ties to even.
///
/// Source: Lemire, "Number parsing at a gigabyte per second", 2021, algorithm 1; Mushtak and
/// Lemire, "Fast number parsing without fallback", 2022, for why it needs no fallback.
@inline(__always)
func nearestDouble(_ value: UInt64, _ exponent: Int, _ powers: UnsafePointer<UInt64>) -> UInt64 {
    if value == 0 || exponent < DecimalPowers.smallest { return 0 }
    if exponent > DecimalPowers.largest { return infinityBits }
    let shift = value.leadingZeroBitCount
    let normal = value &<< UInt64(truncatingIfNeeded: shift)
    let slot = (exponent &- DecimalPowers.smallest) &* 2
    var (high, low) = unsafe normal.multipliedFullWidth(by: powers[slot])
    if high & 0x1FF == 0x1FF {
        let more = unsafe normal.multipliedFullWidth(by: powers[slot &+ 1]).high
        let (sum, overflow) = low.addingReportingOverflow(more)
        low = sum
        if overflow { high &+= 1 }
    }
    let upper = Int(truncatingIfNeeded: high >> 63)
    let dropped = UInt64(truncatingIfNeeded: upper &+ 9)
    var mantissa = high &>> dropped
    var binary = ((152_170 &+ 65_536) &* exponent) >> 16 &+ 63 &+ upper &- shift &+ 1_023
    if binary <= 0 {
        guard binary > -63 else { return 0 }
        mantissa >>= UInt64(1 &- binary)
        mantissa &+= mantissa & 1
        // Rounding up to 2⁵² makes it the smallest normal number by itself.
        return mantissa >> 1
    }
    if low <= 1, exponent >= -4, exponent <= 23, mantissa & 3 == 1, mantissa &<< dropped == high {
        mantissa &= ~1
    }
    mantissa &+= mantissa & 1
    mantissa >>= 1
    if mantissa >= 1 << 53 {
        mantissa = 1 << 52
        binary &+= 1
    }
    guard binary < 0x7FF else { return infinityBits }
    return (mantissa & ~(1 << 52)) | UInt64(truncatingIfNeeded: binary) << 52
}

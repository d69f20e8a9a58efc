// SPDX-License-Identifier: Apache-2.0

/// The result of parsing a number: a node without an offset, and the end of the text.
///
/// Invariant: `end` is used only while the parsed text is alive.
@safe
struct ParsedNumber {
    /// The end of the number, or the position at which it is malformed.
    let end: UnsafePointer<UInt8>
    /// The kind of the node; ``TapeKind/null`` if the text is not a number.
    let kind: TapeKind
    /// The payload of the node.
    let payload: UInt64
}

/// Parses the rest of a number from its decimal point, its exponent, or its 19th digit on.
///
/// Invariant: the padding follows the text. Each loop stops at a non-digit, at the first padding
/// byte at the latest, and loads of 8 bytes begin there at the latest. The table of powers is never
/// deallocated, and has two words for every exponent that is looked up.
///
/// - Parameters:
///   - start: The first byte of the number, including its sign.
///   - digits: The first digit.
///   - pointer: The first byte after the integer part.
///   - integerPart: The integer part, modulo 2⁶⁴ if it has 20 digits or more.
///   - powers: The words of ``DecimalPowers``.
/// - Returns: The parts of the node and the end of the number.
/// - Complexity: O(*n*) in the length of the text.
@inline(never)
func parseNumber(
    _ start: UnsafePointer<UInt8>, digits: UnsafePointer<UInt8>, from pointer: UnsafePointer<UInt8>,
    integerPart: UInt64, powers: UnsafePointer<UInt64>
) -> ParsedNumber {
    var p = unsafe pointer
    defer { countNumberWork(unsafe p - start) }
    var value = integerPart
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
        guard exponent != 0 else { return unsafe ParsedNumber(end: p, kind: .null, payload: 0) }
        digitCount &-= exponent
    } else if unsafe p.pointee | 0x20 != UInt8(ascii: "e") {
        // The number is an integer with 19 or more digits.
        if let integer = unsafe integer(digits, digitCount, isNegative: sign != 0, end: p) {
            return integer
        }
    }
    let mantissaEnd = unsafe p
    if unsafe p.pointee | 0x20 == UInt8(ascii: "e") {
        unsafe p += 1
        let isNegativeExponent = unsafe p.pointee == UInt8(ascii: "-")
        if unsafe isNegativeExponent || p.pointee == UInt8(ascii: "+") { unsafe p += 1 }
        let first = unsafe p
        var shift = 0
        while true {
            let digit = unsafe p.pointee &- 0x30
            guard digit < 10 else { break }
            // No number that fits into memory is within range with an exponent beyond 2⁴⁸.
            if shift < 1 << 48 { shift = shift &* 10 &+ Int(digit) }
            unsafe p += 1
        }
        guard unsafe p != first else { return unsafe ParsedNumber(end: p, kind: .null, payload: 0) }
        exponent &+= isNegativeExponent ? 0 &- shift : shift
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
        return unsafe ParsedNumber(end: p, kind: .numberText, payload: 0)
    }
    bits |= sign
    return unsafe ParsedNumber(end: p, kind: .double, payload: bits)
}

/// Returns the node of an integer, if it fits one of the 64-bit types; otherwise `nil`.
private func integer(
    _ digits: UnsafePointer<UInt8>, _ count: Int, isNegative: Bool, end: UnsafePointer<UInt8>
) -> ParsedNumber? {
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
        return unsafe ParsedNumber(end: end, kind: .integer, payload: 0 &- value)
    }
    return unsafe ParsedNumber(
        end: end, kind: value >> 63 == 0 ? .integer : .unsigned, payload: value)
}

// SPDX-License-Identifier: Apache-2.0

/// Finds the first quote, backslash or control character.
///
/// - Parameter start: Bytes that end with zeros, wide enough for a load of 16.
/// - Returns: The place; at the end of the input the first zero of the padding.
@inline(__always)
func endOfPlainText(_ start: UnsafePointer<UInt8>) -> UnsafePointer<UInt8> {
    var p = unsafe start
    while true {
        let x = unsafe UnsafeRawPointer(p).loadUnaligned(as: SIMD16<UInt8>.self)
        let words = specialBytes(x)
        if words[0] != 0 { return unsafe p + words[0].trailingZeroBitCount >> 3 }
        if words[1] != 0 { return unsafe p + (8 &+ words[1].trailingZeroBitCount >> 3) }
        unsafe p += 16
    }
}

/// Marks quotes, backslashes and control characters with bit 7 of their byte.
///
/// Only arithmetic on the lanes: SIMD comparisons are compiled to loops through memory. `x - 1`
/// has bit 7 set where x was 0, `x - 0x20` where x was a control character, and bytes that had bit
/// 7 before are taken out at the end.
@inline(__always)
func specialBytes(_ x: SIMD16<UInt8>) -> SIMD2<UInt64> {
    let quote = (x ^ 0x22) &- 1
    let backslash = (x ^ 0x5C) &- 1
    let control = x &- 0x20
    let marks = (quote | backslash | control) & (~x & 0x80)
    // Invariant: both types are 16 bytes without padding.
    return unsafe unsafeBitCast(marks, to: SIMD2<UInt64>.self)
}

/// The closing quote of a string with escapes, or the place and nature of a mistake.
@safe
struct StringEnd {
    let place: UnsafePointer<UInt8>
    let fault: ParseFault
}

/// Finishes a string from the first place that is not plain text.
@inline(never)
func endOfEscapedText(_ start: UnsafePointer<UInt8>) -> StringEnd {
    var p = unsafe start
    while true {
        switch unsafe p.pointee {
        case UInt8(ascii: "\""):
            return unsafe StringEnd(place: p, fault: .none)
        case UInt8(ascii: "\\"):
            switch unsafe p[1] {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
                UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
                unsafe p += 2
            case UInt8(ascii: "u"):
                guard let unit = unsafe codeUnit(p + 2) else {
                    return unsafe StringEnd(place: p, fault: .escape)
                }
                if unit & 0xF800 != 0xD800 {
                    unsafe p += 6
                    break
                }
                guard unit < 0xDC00, unsafe p[6] == UInt8(ascii: "\\"),
                    unsafe p[7] == UInt8(ascii: "u"), let low = unsafe codeUnit(p + 8),
                    low & 0xFC00 == 0xDC00
                else { return unsafe StringEnd(place: p, fault: .surrogate) }
                unsafe p += 12
            default:
                return unsafe StringEnd(place: p, fault: .escape)
            }
        default:
            return unsafe StringEnd(place: p, fault: .control)
        }
        unsafe p = endOfPlainText(p)
    }
}

/// The value of four hexadecimal digits.
private func codeUnit(_ p: UnsafePointer<UInt8>) -> UInt32? {
    var value: UInt32 = 0
    for position in 0..<4 {
        let byte = unsafe p[position]
        let digit: UInt8
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte &- 0x30
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte &- 0x57
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte &- 0x37
        default: return nil
        }
        value = value << 4 | UInt32(digit)
    }
    return value
}

/// The first place that is not white space.
@inline(__always)
func skippingSpace(_ start: UnsafePointer<UInt8>) -> UnsafePointer<UInt8> {
    guard unsafe start.pointee <= 0x20 else { return unsafe start }
    // Behind a colon mostly comes one blank.
    if unsafe start.pointee == 0x20 && start[1] > 0x20 { return unsafe start + 1 }
    return unsafe skippingRun(start)
}

@inline(__always)
private func skippingRun(_ start: UnsafePointer<UInt8>) -> UnsafePointer<UInt8> {
    var p = unsafe start
    while true {
        let byte = unsafe p.pointee
        if byte == 0x20 || byte == 0x0A {
            unsafe p += 1
            // After a line break mostly comes a run of blanks.
            while true {
                let word = unsafe UInt64(
                    littleEndian: UnsafeRawPointer(p).loadUnaligned(as: UInt64.self))
                let other = word ^ 0x2020_2020_2020_2020
                if other == 0 {
                    unsafe p += 8
                    continue
                }
                unsafe p += other.trailingZeroBitCount >> 3
                break
            }
            if unsafe p.pointee > 0x20 { return unsafe p }
        } else if byte == 0x0D || byte == 0x09 {
            unsafe p += 1
        } else {
            return unsafe p
        }
    }
}

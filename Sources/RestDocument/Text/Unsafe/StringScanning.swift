// SPDX-License-Identifier: Apache-2.0

/// Returns the position of the first quote, backslash or control character.
///
/// - Parameter start: Bytes followed by enough zeros for a load of 16 bytes.
/// - Returns: The position; at the end of the input the first padding byte.
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
/// The function uses only arithmetic, because SIMD comparisons compile to loops through memory. `x
/// - 1` sets bit 7 if x was 0, `x - 0x20` if x was a control character; bytes that had bit 7 set
/// before are masked out.
@inline(__always)
func specialBytes(_ x: SIMD16<UInt8>) -> SIMD2<UInt64> {
    let quote = (x ^ 0x22) &- 1
    let backslash = (x ^ 0x5C) &- 1
    let control = x &- 0x20
    let marks = (quote | backslash | control) & (~x & 0x80)
    // Invariant: both types are 16 bytes without padding.
    return unsafe unsafeBitCast(marks, to: SIMD2<UInt64>.self)
}

/// Returns the position of the first byte that is not white space.
@inline(__always)
func skippingSpace(_ start: UnsafePointer<UInt8>) -> UnsafePointer<UInt8> {
    guard unsafe start.pointee <= 0x20 else { return unsafe start }
    // A colon is usually followed by one space.
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
            // A line break is usually followed by a run of spaces.
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

// SPDX-License-Identifier: Apache-2.0

/// Returns the offset of the first sequence that is not well-formed UTF-8.
///
/// ASCII is skipped 64 or 16 bytes at a time. Other bytes are compared with the table of the
/// Unicode standard (chapter 3, table 3-7).
///
/// - Parameters:
///   - start: The bytes, followed by at least 16 zero bytes.
///   - count: The number of bytes.
/// - Returns: The offset, or `nil` if all bytes are well-formed.
func firstInvalidUTF8(_ start: UnsafePointer<UInt8>, count: Int) -> Int? {
    let end = unsafe start + count
    var p = unsafe start
    while unsafe p < end {
        let lanes = unsafe UnsafeRawPointer(p).loadUnaligned(as: SIMD16<UInt8>.self)
        // Invariant: both types are 16 bytes without padding.
        let words = unsafe unsafeBitCast(lanes, to: SIMD2<UInt64>.self) & 0x8080_8080_8080_8080
        if words[0] | words[1] == 0 {
            unsafe p += 16
            while unsafe end - p >= 64, unsafe isASCII(p) { unsafe p += 64 }
            continue
        }
        unsafe p +=
            words[0] != 0
            ? words[0].trailingZeroBitCount >> 3 : 8 &+ words[1].trailingZeroBitCount >> 3
        // The padding is ASCII, so this loop ends at the end of the input at the latest.
        while unsafe p.pointee >= 0x80 {
            let word = unsafe eightBytes(p)
            if isPairOfThrees(word) {
                unsafe p += 6
                continue
            }
            let length = sequenceLength(UInt32(truncatingIfNeeded: word))
            if length == 0 { return unsafe p - start }
            unsafe p += length
        }
    }
    return nil
}

/// Returns a Boolean value that indicates whether 64 bytes are ASCII.
@inline(__always)
private func isASCII(_ start: UnsafePointer<UInt8>) -> Bool {
    let raw = unsafe UnsafeRawPointer(start)
    var lanes = SIMD16<UInt8>.zero
    for offset in stride(from: 0, to: 64, by: 16) {
        lanes |= unsafe raw.loadUnaligned(fromByteOffset: offset, as: SIMD16<UInt8>.self)
    }
    // Invariant: both types are 16 bytes without padding.
    let words = unsafe unsafeBitCast(lanes, to: SIMD2<UInt64>.self)
    return (words[0] | words[1]) & 0x8080_8080_8080_8080 == 0
}

/// Returns a Boolean value that indicates whether eight bytes begin with two well-formed three-byte
/// sequences, as in most East Asian text.
@inline(__always)
private func isPairOfThrees(_ word: UInt64) -> Bool {
    guard word & 0x0000_C0C0_F0C0_C0F0 == 0x0000_8080_E080_80E0 else { return false }
    // Not every second byte is valid after the leads E0 and ED, which are rare and checked one by
    // one.
    let others: UInt64 = 0xDFFE
    return others >> (word & 0xF) & (others >> (word >> 24 & 0xF)) & 1 != 0
}

/// Returns the number of bytes of the well-formed multibyte sequence that four bytes begin with, or
/// 0.
@inline(__always)
private func sequenceLength(_ word: UInt32) -> Int {
    if word & 0x00C0_C0F0 == 0x0080_80E0 {
        // The sequence is neither overlong nor a surrogate, which the last four bits of the lead
        // and bit 5 of the second byte decide.
        let deciding = word & 0x0000_200F
        return deciding != 0 && deciding != 0x200D ? 3 : 0
    }
    if word & 0x0000_C0E0 == 0x0000_80C0 {
        return word & 0x1E != 0 ? 2 : 0
    }
    if word & 0xC0C0_C0F8 == 0x8080_80F0 {
        let second = word >> 8 & 0x30
        let lead = word & 0x07
        return (lead == 0 && second != 0) || (lead > 0 && lead < 4) || (lead == 4 && second == 0)
            ? 4 : 0
    }
    return 0
}

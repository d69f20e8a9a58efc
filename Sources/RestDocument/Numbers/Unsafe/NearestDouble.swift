// SPDX-License-Identifier: Apache-2.0

let infinityBits: UInt64 = 0x7FF0_0000_0000_0000

/// Returns the bits of the double nearest to value × 10^exponent, ties to even.
///
/// Source: Lemire, "Number parsing at a gigabyte per second", 2021, algorithm 1; Mushtak and
/// Lemire, "Fast number parsing without fallback", 2022, for the proof that no fallback is needed.
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
        // Rounding up to 2⁵² results in the smallest normal number.
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

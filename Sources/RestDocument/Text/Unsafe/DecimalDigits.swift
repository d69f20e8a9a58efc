// SPDX-License-Identifier: Apache-2.0

/// Returns the number of decimal digits.
@inline(__always)
func digitCount(_ value: UInt64) -> Int {
    var count = 1
    var limit: UInt64 = 10
    while count < 20, value >= limit {
        count &+= 1
        if count == 20 { break }
        limit &*= 10
    }
    return count
}

/// Writes the last digits of a number.
@inline(__always)
func writeDigits(_ value: UInt64, _ count: Int, to out: UnsafeMutablePointer<UInt8>) {
    let pairs: StaticString = """
        0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849\
        5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899
        """
    var value = value
    var position = count
    while position >= 2 {
        let pair = Int(truncatingIfNeeded: value % 100) &* 2
        value /= 100
        position &-= 2
        unsafe out[position] = pairs.utf8Start[pair]
        unsafe out[position &+ 1] = pairs.utf8Start[pair &+ 1]
    }
    if position == 1 { unsafe out[0] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value % 10) }
}

/// Returns the next eight bytes as a little-endian integer.
@inline(__always)
func eightBytes(_ p: UnsafePointer<UInt8>) -> UInt64 {
    unsafe UInt64(littleEndian: UnsafeRawPointer(p).loadUnaligned(as: UInt64.self))
}

/// Returns a Boolean value that indicates whether eight bytes are digits.
@inline(__always)
func isEightDigits(_ word: UInt64) -> Bool {
    let high = word & 0xF0F0_F0F0_F0F0_F0F0
    let carried = (word &+ 0x0606_0606_0606_0606) & 0xF0F0_F0F0_F0F0_F0F0
    return high | (carried >> 4) == 0x3333_3333_3333_3333
}

/// Returns the value of eight digits.
@inline(__always)
func eightDigits(_ word: UInt64) -> UInt64 {
    var value = word &- 0x3030_3030_3030_3030
    value = (value &* 10) &+ (value >> 8)
    let low = (value & 0x0000_00FF_0000_00FF) &* 0x000F_4240_0000_0064
    let high = ((value >> 16) & 0x0000_00FF_0000_00FF) &* 0x0000_2710_0000_0001
    return (low &+ high) >> 32
}

/// Returns a Boolean value that indicates whether a byte may be part of a number.
@inline(__always)
func isNumberByte(_ byte: UInt8) -> Bool {
    byte &- 0x30 < 10 || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
        || byte == UInt8(ascii: "+") || byte | 0x20 == UInt8(ascii: "e")
}

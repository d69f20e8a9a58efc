// SPDX-License-Identifier: Apache-2.0

// Text as it stands between the quotes of JSON: quotes, backslashes and control characters are
// escaped, nothing else.
//
// Invariant: source and target are alive during the call and do not overlap. Loads end where the
// text ends; stores stay in the room that each function asks for, as no byte becomes more than six.

/// Copies bytes, none of which needs an escape.
///
/// - Parameters:
///   - bytes: UTF-8.
///   - out: Room for as many bytes.
/// - Returns: Whether that is so; if not, what was written is of no use.
@inline(__always)
func copyPlain(_ bytes: UnsafeBufferPointer<UInt8>, to out: UnsafeMutablePointer<UInt8>) -> Bool {
    guard let start = bytes.baseAddress else { return true }
    let source = unsafe UnsafeRawPointer(start)
    let target = UnsafeMutableRawPointer(out)
    let count = bytes.count
    if count >= 16 {
        var special = SIMD2<UInt64>()
        var position = 0
        // The last step goes back as far as is needed to end where the text ends.
        while true {
            let lanes = unsafe source.loadUnaligned(
                fromByteOffset: position, as: SIMD16<UInt8>.self)
            unsafe target.storeBytes(of: lanes, toByteOffset: position, as: SIMD16<UInt8>.self)
            special |= specialBytes(lanes)
            if position &+ 16 == count { break }
            position = min(position &+ 16, count &- 16)
        }
        return special[0] | special[1] == 0
    }
    if count >= 8 {
        let first = unsafe source.loadUnaligned(as: UInt64.self)
        let last = unsafe source.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
        unsafe target.storeBytes(of: first, as: UInt64.self)
        unsafe target.storeBytes(of: last, toByteOffset: count &- 8, as: UInt64.self)
        return !hasSpecialByte(first) && !hasSpecialByte(last)
    }
    var isPlain = true
    for position in 0..<count {
        let byte = unsafe start[position]
        unsafe out[position] = byte
        if needsEscape(byte) { isPlain = false }
    }
    return isPlain
}

@inline(__always)
private func needsEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
}

/// Whether one of eight bytes needs an escape.
@inline(__always)
private func hasSpecialByte(_ word: UInt64) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quote = word ^ (ones &* 0x22)
    let backslash = word ^ (ones &* 0x5C)
    let found =
        ((word &- ones &* 0x20) & ~word) | ((quote &- ones) & ~quote)
        | ((backslash &- ones) & ~backslash)
    return found & (ones &* 0x80) != 0
}

/// Copies bytes and escapes what must be.
///
/// - Parameters:
///   - bytes: UTF-8.
///   - out: Room for six times as many bytes.
/// - Returns: The end of what was written.
func writeEscaped(
    _ bytes: UnsafeBufferPointer<UInt8>, to out: UnsafeMutablePointer<UInt8>
) -> UnsafeMutablePointer<UInt8> {
    var out = unsafe out
    var index = 0
    while index < bytes.count {
        // Sixteen at a time up to the next one that needs an escape.
        while index &+ 16 <= bytes.count {
            let lanes = unsafe UnsafeRawBufferPointer(bytes).loadUnaligned(
                fromByteOffset: index, as: SIMD16<UInt8>.self)
            unsafe UnsafeMutableRawPointer(out).storeBytes(of: lanes, as: SIMD16<UInt8>.self)
            let words = specialBytes(lanes)
            var plain = 16
            if words[0] != 0 {
                plain = words[0].trailingZeroBitCount >> 3
            } else if words[1] != 0 {
                plain = 8 &+ words[1].trailingZeroBitCount >> 3
            }
            unsafe out += plain
            index &+= plain
            if plain < 16 { break }
        }
        guard index < bytes.count else { break }
        let byte = unsafe bytes[index]
        index &+= 1
        guard needsEscape(byte) else {
            unsafe out.pointee = byte
            unsafe out += 1
            continue
        }
        unsafe out[0] = UInt8(ascii: "\\")
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): unsafe out[1] = byte
        case 0x08: unsafe out[1] = UInt8(ascii: "b")
        case 0x09: unsafe out[1] = UInt8(ascii: "t")
        case 0x0A: unsafe out[1] = UInt8(ascii: "n")
        case 0x0C: unsafe out[1] = UInt8(ascii: "f")
        case 0x0D: unsafe out[1] = UInt8(ascii: "r")
        default:
            let low = byte & 0xF
            unsafe out[1] = UInt8(ascii: "u")
            unsafe out[2] = UInt8(ascii: "0")
            unsafe out[3] = UInt8(ascii: "0")
            unsafe out[4] = byte < 0x10 ? UInt8(ascii: "0") : UInt8(ascii: "1")
            unsafe out[5] = low < 10 ? UInt8(ascii: "0") + low : UInt8(ascii: "a") + low - 10
            unsafe out += 4
        }
        unsafe out += 2
    }
    return unsafe out
}

/// Appends text as it stands between quotes.
///
/// - Returns: Whether anything had to be escaped.
func appendEscaped(_ text: String, to output: inout [UInt8]) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
        let piece = unsafe [UInt8](unsafeUninitializedCapacity: bytes.count * 6) { room, count in
            guard let start = room.baseAddress else { return }
            count = unsafe writeEscaped(bytes, to: start) - start
        }
        output += piece
        return piece.count != bytes.count
    }
}

// MARK: - Digits

/// How many digits a number has.
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

// SPDX-License-Identifier: Apache-2.0

// Functions for the text between the quotes of a JSON string. They escape only quotes, backslashes
// and control characters.
//
// Invariant: source and target are alive during the call and do not overlap. Loads end where the
// text ends. Stores stay within the memory that each function requires, as a byte expands to at
// most six.

/// Copies bytes, assuming that none of them needs an escape.
///
/// - Parameters:
///   - bytes: UTF-8.
///   - out: Memory for as many bytes.
/// - Returns: A Boolean value that indicates whether the assumption holds. Otherwise, the output is
///   unusable.
@inline(__always)
func copyPlain(_ bytes: UnsafeBufferPointer<UInt8>, to out: UnsafeMutablePointer<UInt8>) -> Bool {
    guard let start = bytes.baseAddress else { return true }
    let source = unsafe UnsafeRawPointer(start)
    let target = UnsafeMutableRawPointer(out)
    let count = bytes.count
    if count >= 16 {
        var special = SIMD2<UInt64>()
        var position = 0
        // The last step overlaps the one before it, so that it ends where the text ends.
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

/// Returns a Boolean value that indicates whether one of eight bytes needs an escape.
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

/// Copies bytes and escapes them where necessary.
///
/// - Parameters:
///   - bytes: UTF-8.
///   - out: Memory for six times as many bytes.
/// - Returns: The end of the output.
func writeEscaped(
    _ bytes: UnsafeBufferPointer<UInt8>, to out: UnsafeMutablePointer<UInt8>
) -> UnsafeMutablePointer<UInt8> {
    var out = unsafe out
    var index = 0
    while index < bytes.count {
        // Copy 16 bytes at a time up to the next byte that needs an escape.
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

/// Appends the escaped text of a string.
///
/// - Returns: A Boolean value that indicates whether an escape was necessary.
func appendEscaped(_ text: String, to output: inout [UInt8]) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
        let piece = unsafe [UInt8](unsafeUninitializedCapacity: bytes.count * 6) { buffer, count in
            guard let start = buffer.baseAddress else { return }
            count = unsafe writeEscaped(bytes, to: start) - start
        }
        output += piece
        return piece.count != bytes.count
    }
}

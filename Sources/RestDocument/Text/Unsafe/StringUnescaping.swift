// SPDX-License-Identifier: Apache-2.0

/// Replaces the escapes in the content of a string.
///
/// All escapes are valid.
///
/// - Parameters:
///   - content: The bytes between the quotes; the closing quote follows them.
///   - output: Memory for at least as many bytes.
/// - Returns: The number of written bytes.
func unescape(
    _ content: UnsafeBufferPointer<UInt8>, into output: UnsafeMutableBufferPointer<UInt8>
) -> Int {
    guard let base = content.baseAddress, let outputStart = output.baseAddress else {
        return 0
    }
    var source = 0
    var target = 0
    while source < content.count {
        let start = unsafe base + source
        let plain = unsafe min(endOfPlainText(start) - start, content.count &- source)
        unsafe (outputStart + target).update(from: start, count: plain)
        source &+= plain
        target &+= plain
        if source == content.count { break }
        source &+= 1
        let escape = unsafe content[source]
        source &+= 1
        guard escape == UInt8(ascii: "u") else {
            unsafe output[target] = unescaped(escape)
            target &+= 1
            continue
        }
        var scalar = unsafe hexadecimal(content, at: source)
        source &+= 4
        if scalar & 0xFC00 == 0xD800 {
            let low = unsafe hexadecimal(content, at: source &+ 2)
            scalar = 0x10000 &+ (scalar & 0x3FF) << 10 | (low & 0x3FF)
            source &+= 6
        }
        if scalar < 0x80 {
            unsafe output[target] = UInt8(truncatingIfNeeded: scalar)
            target &+= 1
            continue
        }
        let length = scalar < 0x800 ? 2 : scalar < 0x10000 ? 3 : 4
        var rest = scalar
        for position in (1..<length).reversed() {
            unsafe output[target &+ position] = 0x80 | UInt8(truncatingIfNeeded: rest & 0x3F)
            rest >>= 6
        }
        let lead: UInt8 = length == 2 ? 0xC0 : length == 3 ? 0xE0 : 0xF0
        unsafe output[target] = lead | UInt8(truncatingIfNeeded: rest)
        target &+= length
    }
    return target
}

/// Returns the character that a one-letter escape represents.
private func unescaped(_ escape: UInt8) -> UInt8 {
    switch escape {
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: escape
    }
}

private func hexadecimal(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> UInt32 {
    var value: UInt32 = 0
    for position in start..<start &+ 4 {
        let byte = unsafe bytes[position]
        let digit = byte <= UInt8(ascii: "9") ? byte &- 0x30 : (byte | 0x20) &- 0x57
        value = value << 4 | UInt32(digit)
    }
    return value
}

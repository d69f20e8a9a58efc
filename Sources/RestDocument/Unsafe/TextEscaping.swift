// SPDX-License-Identifier: Apache-2.0

/// Appends text as it stands between the quotes of JSON.
///
/// Quotes, backslashes and control characters are escaped, nothing else.
///
/// - Parameters:
///   - text: Any text.
///   - output: Where to append.
/// - Returns: Whether anything had to be escaped.
func appendEscaped(_ text: String, to output: inout [UInt8]) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
        var isEscaped = false
        var position = 0
        while position < bytes.count {
            let end = unsafe endOfPlainText(bytes, from: position)
            if end > position {
                unsafe output.append(
                    contentsOf: UnsafeBufferPointer(rebasing: bytes[position..<end]))
            }
            guard end < bytes.count else { break }
            isEscaped = true
            unsafe appendEscape(bytes[end], to: &output)
            position = end + 1
        }
        return isEscaped
    }
}

/// The first place from one on that holds a quote, backslash or control character, or the end.
private func endOfPlainText(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    var position = start
    while position &+ 16 <= bytes.count {
        let lanes = unsafe UnsafeRawBufferPointer(bytes).loadUnaligned(
            fromByteOffset: position, as: SIMD16<UInt8>.self)
        let words = specialBytes(lanes)
        if words[0] != 0 { return position &+ words[0].trailingZeroBitCount >> 3 }
        if words[1] != 0 { return position &+ 8 &+ words[1].trailingZeroBitCount >> 3 }
        position &+= 16
    }
    while position < bytes.count {
        let byte = unsafe bytes[position]
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 {
            return position
        }
        position &+= 1
    }
    return position
}

private func appendEscape(_ byte: UInt8, to output: inout [UInt8]) {
    output.append(UInt8(ascii: "\\"))
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): output.append(byte)
    case 0x08: output.append(UInt8(ascii: "b"))
    case 0x09: output.append(UInt8(ascii: "t"))
    case 0x0A: output.append(UInt8(ascii: "n"))
    case 0x0C: output.append(UInt8(ascii: "f"))
    case 0x0D: output.append(UInt8(ascii: "r"))
    default:
        let low = byte & 0xF
        output += "u00".utf8
        output.append(byte < 0x10 ? UInt8(ascii: "0") : UInt8(ascii: "1"))
        output.append(low < 10 ? UInt8(ascii: "0") + low : UInt8(ascii: "a") + low - 10)
    }
}

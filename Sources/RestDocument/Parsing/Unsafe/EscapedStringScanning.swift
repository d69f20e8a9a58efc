// SPDX-License-Identifier: Apache-2.0

/// The result of scanning a string with escapes: its closing quote, or the position of a failure.
@safe
struct ScannedString {
    let end: UnsafePointer<UInt8>
    let failure: ParseFailure
}

/// Scans the rest of a string, beginning with an escape or control character.
@inline(never)
func endOfEscapedText(_ start: UnsafePointer<UInt8>) -> ScannedString {
    var p = unsafe start
    while true {
        switch unsafe p.pointee {
        case UInt8(ascii: "\""):
            return unsafe ScannedString(end: p, failure: .none)
        case UInt8(ascii: "\\"):
            switch unsafe p[1] {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
                UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
                unsafe p += 2
            case UInt8(ascii: "u"):
                guard let unit = unsafe codeUnit(p + 2) else {
                    return unsafe ScannedString(end: p, failure: .escape)
                }
                if unit & 0xF800 != 0xD800 {
                    unsafe p += 6
                    break
                }
                guard unit < 0xDC00, unsafe p[6] == UInt8(ascii: "\\"),
                    unsafe p[7] == UInt8(ascii: "u"), let low = unsafe codeUnit(p + 8),
                    low & 0xFC00 == 0xDC00
                else { return unsafe ScannedString(end: p, failure: .surrogate) }
                unsafe p += 12
            default:
                return unsafe ScannedString(end: p, failure: .escape)
            }
        default:
            return unsafe ScannedString(end: p, failure: .control)
        }
        unsafe p = endOfPlainText(p)
    }
}

/// Returns the value of four hexadecimal digits; `nil` for other bytes.
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

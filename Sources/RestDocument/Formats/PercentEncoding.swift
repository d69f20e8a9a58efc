// SPDX-License-Identifier: Apache-2.0

/// The percent-encoding of RFC 3986 on bytes.
package enum PercentEncoding {
    /// Appends bytes with everything but the unreserved characters encoded.
    package static func appendEncoded(_ text: some Sequence<UInt8>, to bytes: inout [UInt8]) {
        for byte in text {
            if isUnreserved(byte) {
                bytes.append(byte)
            } else {
                appendTriplet(byte, to: &bytes)
            }
        }
    }

    /// Appends bytes that are encoded already, making good what may not stand in a URL: other
    /// bytes are encoded, hexadecimal digits become capital, a lone percent sign `%25`.
    package static func appendNormalized(_ text: some Collection<UInt8>, to bytes: inout [UInt8]) {
        var rest = text[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                if let value = hexadecimalPair(rest.prefix(2)) {
                    appendTriplet(value, to: &bytes)
                    rest = rest.dropFirst(2)
                } else {
                    appendTriplet(byte, to: &bytes)
                }
            case 0...0x20, 0x7F..., UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"),
                UInt8(ascii: "\\"), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"),
                UInt8(ascii: "|"), UInt8(ascii: "}"):
                appendTriplet(byte, to: &bytes)
            default:
                bytes.append(byte)
            }
        }
    }

    /// The text that encoded bytes stand for, or the bytes' own text where they are no valid
    /// encoding of UTF-8.
    package static func decoded(_ text: some Collection<UInt8>) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let value = hexadecimalPair(rest.prefix(2)) else {
                return String(decoding: text, as: UTF8.self)
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self) ?? String(decoding: text, as: UTF8.self)
    }

    /// What the first bytes of a name or value of a URL-encoded form stand for: a plus is a blank,
    /// and a percent sign that begins no escape is itself.
    static func formByte(of text: ArraySlice<UInt8>) -> (byte: UInt8, length: Int) {
        let byte = text[text.startIndex]
        if byte == UInt8(ascii: "+") { return (UInt8(ascii: " "), 1) }
        guard byte == UInt8(ascii: "%"), let value = hexadecimalPair(text.dropFirst().prefix(2))
        else { return (byte, 1) }
        return (value, 3)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    private static func appendTriplet(_ byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "%"))
        bytes.append(hexadecimalDigit(byte >> 4))
        bytes.append(hexadecimalDigit(byte & 0xF))
    }

    private static func hexadecimalPair(_ digits: some Collection<UInt8>) -> UInt8? {
        guard digits.count == 2 else { return nil }
        var value: UInt8 = 0
        for digit in digits {
            guard let digit = hexadecimalValue(digit) else { return nil }
            value = value << 4 | digit
        }
        return value
    }

    private static func hexadecimalDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }

    private static func hexadecimalValue(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

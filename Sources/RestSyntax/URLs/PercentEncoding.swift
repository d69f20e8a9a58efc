// SPDX-License-Identifier: Apache-2.0

/// Percent-encoding of bytes.
///
/// - Source: RFC 3986 §2.1.
package enum PercentEncoding {
    // Generic text is copied first: a loop over it would call a function for each byte, because other
    // modules do not specialize these functions.

    /// Appends bytes, encoding all but the unreserved characters.
    package static func appendEncoded(_ text: some Sequence<UInt8>, to bytes: inout [UInt8]) {
        for byte in Array(text) { appendEncoded(byte, to: &bytes) }
    }

    /// Appends a byte, encoded unless it is an unreserved character.
    package static func appendEncoded(_ byte: UInt8, to bytes: inout [UInt8]) {
        if byte.isUnreserved {
            bytes.append(byte)
        } else {
            appendTriplet(byte, to: &bytes)
        }
    }

    /// Appends text that may be encoded already, in one spelling.
    ///
    /// Bytes that may not occur in a URL are encoded, hexadecimal digits become upper case, and a
    /// percent sign that begins no triplet becomes `%25`.
    package static func appendNormalized(_ text: some Sequence<UInt8>, to bytes: inout [UInt8]) {
        let text = Array(text)
        var index = 0
        while index < text.count {
            let byte = text[index]
            index += 1
            switch byte {
            case UInt8(ascii: "%"):
                if let value = hexadecimalPair(text[index...].prefix(2)) {
                    appendTriplet(value, to: &bytes)
                    index += 2
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

    /// Returns a path, query or fragment with everything encoded that RFC 3986 does not allow
    /// there.
    ///
    /// Triplets stay as written; a percent sign that begins no triplet becomes `%25`.
    package static func canonical(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        if bytes.allSatisfy({ $0.isAllowedInPathOrQuery }) { return bytes }
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count + 16)
        for (index, byte) in zip(bytes.indices, bytes) {
            let isAllowed =
                byte == UInt8(ascii: "%")
                ? hexadecimalPair(bytes[(index + 1)...].prefix(2)) != nil
                : byte.isAllowedInPathOrQuery
            if isAllowed {
                output.append(byte)
            } else {
                appendTriplet(byte, to: &output)
            }
        }
        return output[...]
    }

    /// Returns decoded text, or the text unchanged if it is no valid encoding of UTF-8.
    package static func decoded(_ text: some Sequence<UInt8>) -> String {
        let text = Array(text)
        return decodedBytes(text).flatMap { String(validating: $0, as: UTF8.self) }
            ?? String(decoding: text, as: UTF8.self)
    }

    /// Returns decoded bytes, or `nil` if a percent sign begins no triplet.
    private static func decodedBytes(_ text: [UInt8]) -> [UInt8]? {
        guard var index = text.firstIndex(of: UInt8(ascii: "%")) else { return text }
        var bytes = Array(text[..<index])
        bytes.reserveCapacity(text.count)
        while index < text.count {
            let byte = text[index]
            index += 1
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let value = hexadecimalPair(text[index...].prefix(2)) else { return nil }
            bytes.append(value)
            index += 2
        }
        return bytes
    }

    /// Returns the first byte of a name or value in a URL-encoded form, decoded, and its length in
    /// the encoded text.
    ///
    /// A plus sign is a space, and a percent sign that begins no triplet stands for itself.
    @inlinable
    package static func formByte(of text: ArraySlice<UInt8>) -> (byte: UInt8, length: Int) {
        let byte = text[text.startIndex]
        if byte == UInt8(ascii: "+") { return (UInt8(ascii: " "), 1) }
        guard byte == UInt8(ascii: "%"), let value = hexadecimalPair(text.dropFirst().prefix(2))
        else { return (byte, 1) }
        return (value, 3)
    }

    private static func appendTriplet(_ byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "%"))
        bytes.append(Hexadecimal.uppercaseDigit(byte >> 4))
        bytes.append(Hexadecimal.uppercaseDigit(byte & 0xF))
    }

    @inlinable
    static func hexadecimalPair(_ digits: ArraySlice<UInt8>) -> UInt8? {
        guard digits.count == 2 else { return nil }
        var value: UInt8 = 0
        for digit in digits {
            guard let digit = digit.hexDigitValue else { return nil }
            value = value << 4 | digit
        }
        return value
    }
}

extension UInt8 {
    /// A Boolean value that indicates whether the byte is an unreserved character.
    ///
    /// - Source: RFC 3986 §2.3.
    fileprivate var isUnreserved: Bool {
        isDigit || isLetter || self == UInt8(ascii: "-") || self == UInt8(ascii: ".")
            || self == UInt8(ascii: "_") || self == UInt8(ascii: "~")
    }

    /// A Boolean value that indicates whether the byte is a `pchar`, a slash or a question mark.
    ///
    /// - Source: RFC 3986 §3.3, §3.4.
    fileprivate var isAllowedInPathOrQuery: Bool {
        if isUnreserved { return true }
        switch self {
        case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "'"),
            UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "*"), UInt8(ascii: "+"),
            UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "="), UInt8(ascii: ":"),
            UInt8(ascii: "@"), UInt8(ascii: "/"), UInt8(ascii: "?"):
            return true
        default:
            return false
        }
    }
}

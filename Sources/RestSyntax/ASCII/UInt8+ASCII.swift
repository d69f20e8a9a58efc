// SPDX-License-Identifier: Apache-2.0

extension UInt8 {
    /// A Boolean value that indicates whether the byte is a decimal digit.
    @inlinable package var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }

    /// A Boolean value that indicates whether the byte is a letter from A to Z in either case.
    @inlinable package var isLetter: Bool { (self | 0x20) &- UInt8(ascii: "a") < 26 }

    /// A Boolean value that indicates whether the byte is a hexadecimal digit in either case.
    @inlinable package var isHexDigit: Bool {
        isDigit || (self | 0x20) &- UInt8(ascii: "a") < 6
    }

    /// The value of a hexadecimal digit in either case, or `nil` for any other byte.
    @inlinable package var hexDigitValue: UInt8? {
        if isDigit { return self &- UInt8(ascii: "0") }
        let letter = (self | 0x20) &- UInt8(ascii: "a")
        return letter < 6 ? letter &+ 10 : nil
    }

    /// The byte with the letters A to Z in lower case.
    @inlinable package var asciiLowercased: UInt8 {
        self &- UInt8(ascii: "A") < 26 ? self | 0x20 : self
    }

    /// A Boolean value that indicates whether the byte may occur in a token.
    ///
    /// - Source: RFC 9110 §5.6.2.
    package var isTokenCharacter: Bool {
        isDigit || isLetter || "!#$%&'*+-.^_`|~".utf8.contains(self)
    }
}

// SPDX-License-Identifier: Apache-2.0

import RestSyntax
import Testing

@Suite struct UInt8ASCIITests {
    @Test func classifiesAllBytes() {
        for byte in UInt8.min ... .max {
            let character = Character(Unicode.Scalar(byte))
            let isASCII = byte < 0x80
            #expect(byte.isDigit == (isASCII && character.isNumber))
            #expect(byte.isLetter == (isASCII && character.isLetter))
            #expect(byte.isHexDigit == (isASCII && character.isHexDigit))
            #expect(byte.hexDigitValue.map { Int($0) } == (isASCII ? character.hexDigitValue : nil))
            #expect(
                !isASCII || "\(character)".lowercased() == "\(Unicode.Scalar(byte.asciiLowercased))"
            )
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import RestSyntax
import Testing

@Suite struct HexadecimalTests {
    @Test func writesBytes() {
        #expect(Hexadecimal.text(of: [0, 0x1F, 0xA0, 0xFF]) == "001fa0ff")
        #expect(Hexadecimal.text(of: [UInt8]()) == "")
    }

    @Test func writesNumbersWithLeadingZeros() {
        #expect(Hexadecimal.text(of: 0xAB as UInt64) == "00000000000000ab")
        #expect(Hexadecimal.text(of: UInt128.max) == String(repeating: "f", count: 32))
    }
}

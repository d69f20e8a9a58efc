// SPDX-License-Identifier: Apache-2.0

import RestSyntax
import TestSupport
import Testing

@testable import RestTransport

@Suite struct SipHashTests {
    /// The test vectors of the reference implementation: key 00 01 … 0f, input 00 01 …, output in
    /// little-endian order.
    @Test(
        .tags(.specification),
        arguments: zip(
            [0, 1, 7, 8, 15, 16, 63],
            [
                "a3817f04ba25a8e66df67214c7550293", "da87c1d86b99af44347659119b22fc45",
                "a1f1ebbed8dbc153c0b84aa61ff08239", "3b62a9ba6258f5610f83e264f31497b4",
                "5493e99933b0a8117e08ec0f97cfc3d9", "6ee2a4ca67b054bbfd3315bf85230577",
                "5150d1772f50834a503e069a973fbd7c",
            ]))
    func matchesVectorsOfTheReference(count: Int, expected: String) {
        let hash = SipHash(key: 0x0F0E_0D0C_0B0A_0908_0706_0504_0302_0100)
        let input = (0..<UInt8(count)).map { $0 }
        #expect(Hexadecimal.text(of: hash.hash(input[...]).byteSwapped) == expected)
        // A slice with another start index.
        #expect(hash.hash(([9, 9, 9] + input)[3...]) == hash.hash(input[...]))
    }

    @Test func hashesTextAsUTF8() {
        let hash = SipHash(key: 1)
        #expect(hash.hash("é") == hash.hash([0xC3, 0xA9]))
        #expect(hash.hash("é") != hash.hash("e\u{301}"))
        #expect(SipHash(key: 2).hash("é") != hash.hash("é"))
    }
}

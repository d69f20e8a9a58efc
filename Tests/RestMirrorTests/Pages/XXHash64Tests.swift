// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RestMirror

@Suite struct XXHash64Tests {
    /// The values that the reference implementation returns for the seed 0.
    @Test(
        arguments: [
            ("", 0xEF46_DB37_51D8_E999), ("a", 0xD24E_C4F1_A98C_6E5B),
            ("abc", 0x44BC_2CF5_AD77_0999), ("message digest", 0x066E_D728_FCEE_B3BE),
            ("abcdefghijklmnopqrstuvwxyz", 0xCFE1_F278_FA89_835C),
            (
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
                0xAAA4_6907_D304_7814
            ),
            (
                "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
                0xE04A_477F_19EE_145D
            ),
        ] as [(String, UInt64)])
    func equalsTheReference(_ text: String, _ expected: UInt64) {
        #expect(XXHash64.hash(of: Array(text.utf8)) == expected)
    }

    @Test func digestHasTheMostSignificantByteFirst() {
        #expect(XXHash64.digest(of: []) == [0xEF, 0x46, 0xDB, 0x37, 0x51, 0xD8, 0xE9, 0x99])
    }
}

// SPDX-License-Identifier: Apache-2.0

import Testing

/// A hash of 32 bits that takes one byte after the other, as languages and servers use for keys, and
/// blocks of characters that collide in it.
struct UnseededHash: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let start: UInt32
    let step: @Sendable (UInt32, UInt8) -> UInt32

    /// Two blocks for each position that lead from the state before them to the same state.
    let blocks: [(String, String)]

    static let all = [
        UnseededHash(
            testDescription: "h × 31 + c", start: 7, step: { $0 &* 31 &+ UInt32($1) },
            blocks: Array(repeating: ("Aa", "BB"), count: 17)),
        UnseededHash(
            testDescription: "h × 33 + c", start: 5381, step: { $0 &* 33 &+ UInt32($1) },
            blocks: Array(repeating: ("Ab", "BA"), count: 17)),
        // Found by a search for each position.
        UnseededHash(
            testDescription: "FNV-1a", start: 2_166_136_261,
            step: { ($0 ^ UInt32($1)) &* 16_777_619 },
            blocks: [("S3cC", "wBAD"), ("s0gC", "WAAD")]
                + Array(repeating: ("v0gC", "RAAD"), count: 15)),
    ]

    func value(_ text: String) -> UInt32 {
        text.utf8.reduce(start, step)
    }

    /// Returns distinct keys with the same hash, at most 2¹⁷.
    func collidingKeys(_ count: Int) -> [String] {
        (0..<count).map { number in
            blocks.indices.map { number >> $0 & 1 == 0 ? blocks[$0].0 : blocks[$0].1 }.joined()
        }
    }
}

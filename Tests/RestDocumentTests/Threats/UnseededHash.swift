// SPDX-License-Identifier: Apache-2.0

import Testing

/// A hash of 32 bits that takes one byte after the other, as languages and servers use for keys.
struct UnseededHash: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let start: UInt32
    let step: @Sendable (UInt32, UInt8) -> UInt32

    static let all = [
        UnseededHash(testDescription: "h × 31 + c", start: 7) { $0 &* 31 &+ UInt32($1) },
        UnseededHash(testDescription: "h × 33 + c", start: 5381) { $0 &* 33 &+ UInt32($1) },
        UnseededHash(testDescription: "FNV-1a", start: 2_166_136_261) {
            ($0 ^ UInt32($1)) &* 16_777_619
        },
    ]

    func value(_ text: String) -> UInt32 {
        text.utf8.reduce(start, step)
    }

    /// Returns distinct keys with the same hash.
    ///
    /// From each state, two blocks lead to the same next state. A sequence of n pairs makes 2ⁿ keys.
    func collidingKeys(_ count: Int) -> [String] {
        var pairs: [(String, String)] = []
        var state = start
        while 1 << pairs.count < count {
            let pair = collidingBlocks(from: state)
            state = pair.0.utf8.reduce(state, step)
            pairs.append(pair)
        }
        return (0..<count).map { number in
            pairs.indices.map { number >> $0 & 1 == 0 ? pairs[$0].0 : pairs[$0].1 }.joined()
        }
    }

    /// Returns two blocks of four letters after which the state is the same.
    private func collidingBlocks(from state: UInt32) -> (String, String) {
        var blocks: [UInt32: Int] = [:]
        for number in 0... {
            let block = Self.block(number)
            if let other = blocks.updateValue(number, forKey: block.reduce(state, step)) {
                return (
                    String(decoding: Self.block(other), as: UTF8.self),
                    String(decoding: block, as: UTF8.self)
                )
            }
        }
        fatalError("unreachable: the range has no end")
    }

    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// The block of a number, in characters that JSON does not escape.
    private static func block(_ number: Int) -> [UInt8] {
        (0..<4).map { alphabet[number >> (6 * $0) & 63] }
    }
}

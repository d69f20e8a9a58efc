// SPDX-License-Identifier: Apache-2.0

/// The ordinals of an object's steps that had a value.
struct AssignedSteps {
    private var words: [UInt64]

    init(count: Int) {
        words = Array(repeating: 0, count: (count + 63) / 64)
    }

    var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

    mutating func insert(_ ordinal: Int) {
        let word = ordinal >> 6
        if word < words.count { words[word] |= 1 << UInt64(ordinal & 63) }
    }

    func contains(_ ordinal: Int) -> Bool {
        ordinal >> 6 < words.count && words[ordinal >> 6] & 1 << UInt64(ordinal & 63) != 0
    }
}

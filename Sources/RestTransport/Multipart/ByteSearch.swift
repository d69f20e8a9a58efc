// SPDX-License-Identifier: Apache-2.0

/// Looks for a short text in many bytes, by Horspool's method: most bytes are not looked at.
struct ByteSearch {
    private let pattern: [UInt8]
    private let skips: [Int]

    /// Makes a search.
    ///
    /// - Parameter pattern: What to look for, at least one byte.
    init(_ pattern: [UInt8]) {
        self.pattern = pattern
        var skips = [Int](repeating: pattern.count, count: 256)
        for (index, byte) in pattern.dropLast().enumerated() {
            skips[Int(byte)] = pattern.count - 1 - index
        }
        self.skips = skips
    }

    /// Whether the pattern occurs.
    ///
    /// - Complexity: O(*n*) for patterns that are random, at worst O(*nm*).
    func occurs(in bytes: [UInt8]) -> Bool {
        var end = pattern.count - 1
        while end < bytes.count {
            if bytes[(end - pattern.count + 1)...end].elementsEqual(pattern) { return true }
            end += skips[Int(bytes[end])]
        }
        return false
    }
}

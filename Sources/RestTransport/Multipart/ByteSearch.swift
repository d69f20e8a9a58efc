// SPDX-License-Identifier: Apache-2.0

/// A search for a short pattern in many bytes with the Boyer–Moore–Horspool algorithm, which skips
/// most bytes.
struct ByteSearch {
    private let pattern: [UInt8]
    private let skips: [Int]

    /// Creates a search.
    ///
    /// - Parameter pattern: The pattern, at least one byte.
    init(_ pattern: [UInt8]) {
        self.pattern = pattern
        var skips = [Int](repeating: pattern.count, count: 256)
        for (index, byte) in pattern.dropLast().enumerated() {
            skips[Int(byte)] = pattern.count - 1 - index
        }
        self.skips = skips
    }

    /// Returns a Boolean value that indicates whether the pattern occurs in bytes.
    ///
    /// - Complexity: O(*n*) for random patterns, O(*nm*) in the worst case.
    func occurs(in bytes: [UInt8]) -> Bool {
        var end = pattern.count - 1
        while end < bytes.count {
            if bytes[(end - pattern.count + 1)...end].elementsEqual(pattern) { return true }
            end += skips[Int(bytes[end])]
        }
        return false
    }
}

// SPDX-License-Identifier: Apache-2.0

/// A set of column indices; the first 64 need no heap allocation.
struct ColumnMask: Sendable, Hashable {
    private var low: UInt64 = 0
    private var high: [UInt64] = []

    init() {}

    /// Creates a set of the first columns.
    init(first count: Int) {
        for column in 0..<count { insert(column) }
    }

    var isEmpty: Bool { low == 0 && high.allSatisfy { $0 == 0 } }

    func contains(_ column: Int) -> Bool {
        if column < 64 { return low & (1 << UInt64(column)) != 0 }
        let word = column / 64 - 1
        return word < high.count && high[word] & (1 << UInt64(column % 64)) != 0
    }

    mutating func insert(_ column: Int) {
        if column < 64 {
            low |= 1 << UInt64(column)
            return
        }
        let word = column / 64 - 1
        while high.count <= word { high.append(0) }
        high[word] |= 1 << UInt64(column % 64)
    }

    mutating func remove(_ column: Int) {
        if column < 64 {
            low &= ~(1 << UInt64(column))
            return
        }
        let word = column / 64 - 1
        if word < high.count { high[word] &= ~(1 << UInt64(column % 64)) }
    }

    mutating func formUnion(_ other: ColumnMask) {
        low |= other.low
        while high.count < other.high.count { high.append(0) }
        for word in other.high.indices { high[word] |= other.high[word] }
    }

    mutating func formIntersection(_ other: ColumnMask) {
        low &= other.low
        for word in high.indices { high[word] &= word < other.high.count ? other.high[word] : 0 }
    }

    func union(_ other: ColumnMask) -> ColumnMask {
        var union = self
        union.formUnion(other)
        return union
    }

    mutating func subtract(_ other: ColumnMask) {
        low &= ~other.low
        for word in high.indices where word < other.high.count { high[word] &= ~other.high[word] }
    }

    /// The columns in ascending order.
    var columns: [Int] {
        var columns: [Int] = []
        var rest = low
        while rest != 0 {
            columns.append(rest.trailingZeroBitCount)
            rest &= rest - 1
        }
        for (word, bits) in high.enumerated() {
            var rest = bits
            while rest != 0 {
                columns.append((word + 1) * 64 + rest.trailingZeroBitCount)
                rest &= rest - 1
            }
        }
        return columns
    }
}

// SPDX-License-Identifier: Apache-2.0

/// A set of column indices; the first 64 need no heap allocation.
@usableFromInline package struct ColumnMask: Sendable, Hashable {
    @usableFromInline var low: UInt64 = 0
    @usableFromInline var high: [UInt64] = []

    package init() {}

    /// Creates a mask of one column.
    package init(column: Int) { insert(column) }

    /// Creates a set of the first columns.
    package init(first count: Int) {
        for column in 0..<count { insert(column) }
    }

    @inlinable package var isEmpty: Bool { low == 0 && high.allSatisfy { $0 == 0 } }

    @inlinable package func contains(_ column: Int) -> Bool {
        if column < 64 { return low & (1 << UInt64(column)) != 0 }
        let word = column / 64 - 1
        return word < high.count && high[word] & (1 << UInt64(column % 64)) != 0
    }

    @inlinable package mutating func insert(_ column: Int) {
        if column < 64 {
            low |= 1 << UInt64(column)
            return
        }
        let word = column / 64 - 1
        while high.count <= word { high.append(0) }
        high[word] |= 1 << UInt64(column % 64)
    }

    package mutating func remove(_ column: Int) {
        if column < 64 {
            low &= ~(1 << UInt64(column))
            return
        }
        let word = column / 64 - 1
        if word < high.count { high[word] &= ~(1 << UInt64(column % 64)) }
    }

    @inlinable package mutating func formUnion(_ other: ColumnMask) {
        low |= other.low
        while high.count < other.high.count { high.append(0) }
        for word in other.high.indices { high[word] |= other.high[word] }
    }

    mutating func formIntersection(_ other: ColumnMask) {
        low &= other.low
        for word in high.indices { high[word] &= word < other.high.count ? other.high[word] : 0 }
    }

    package func union(_ other: ColumnMask) -> ColumnMask {
        var union = self
        union.formUnion(other)
        return union
    }

    package mutating func subtract(_ other: ColumnMask) {
        low &= ~other.low
        for word in high.indices where word < other.high.count { high[word] &= ~other.high[word] }
    }

    /// The columns in ascending order.
    @inlinable package var columns: [Int] {
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

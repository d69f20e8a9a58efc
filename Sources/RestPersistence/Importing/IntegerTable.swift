// SPDX-License-Identifier: Apache-2.0

/// Indices by integers, in one array.
///
/// A `Dictionary` takes several times as many instructions to hash an integer.
struct IntegerTable {
    private var slots: [(integer: Int64, index: Int)] = []
    private var count = 0
    private let capacity: Int
    private let seed = Self.processSeed

    /// Creates a table with space for a number of integers; it grows with further ones.
    init(capacity: Int = 0) { self.capacity = capacity }

    /// Adds an index, unless the integer has another one.
    ///
    /// - Returns: The index of the integer.
    mutating func insert(_ integer: Int64, _ index: Int) -> Int {
        if slots.isEmpty { resize(capacity) }
        var slot = slot(of: integer)
        if slots[slot].index >= 0 { return slots[slot].index }
        // Half of the slots are free, so that a search is short.
        if count * 2 >= slots.count {
            resize(slots.count)
            slot = self.slot(of: integer)
        }
        slots[slot] = (integer, index)
        count += 1
        return index
    }

    /// Replaces the slots by those of a table with space for a number of integers.
    private mutating func resize(_ capacity: Int) {
        var size = 16
        while size < capacity * 2 { size *= 2 }
        let known = slots
        slots = Array(repeating: (0, -1), count: size)
        for entry in known where entry.index >= 0 { slots[slot(of: entry.integer)] = entry }
    }

    /// The index of an integer.
    subscript(integer: Int64) -> Int? {
        if slots.isEmpty { return nil }
        let index = slots[slot(of: integer)].index
        return index < 0 ? nil : index
    }

    /// Returns the slot of an integer, or the free one that it would have.
    @inline(__always)
    private func slot(of integer: Int64) -> Int {
        let mask = slots.count - 1
        let product = (UInt64(bitPattern: integer) ^ seed.0).multipliedFullWidth(by: seed.1)
        var slot = Int(truncatingIfNeeded: product.high ^ product.low) & mask
        while slots[slot].index >= 0, slots[slot].integer != integer { slot = (slot + 1) & mask }
        return slot
    }

    /// Numbers that a server does not know, so that it cannot choose integers of one slot.
    private static let processSeed: (UInt64, UInt64) = (random(1), random(2) | 1)

    private static func random(_ number: Int) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(number)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}

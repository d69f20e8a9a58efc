// SPDX-License-Identifier: Apache-2.0

/// The slots of changed rows by the key to which a column refers, as linked lists in flat arrays.
///
/// Adding and removing a slot takes constant time, even if all rows refer to the same one.
struct ReferenceIndex: Sendable {
    private struct List: Sendable {
        var first: Int
        var last: Int
    }

    private var lists: [Int64: List] = [:]
    /// The neighbors of each slot in its list; -1 for none.
    private var next: [Int] = []
    private var previous: [Int] = []

    /// Returns the slots that refer to a key, in the order in which they were added.
    func slots(of key: Int64) -> [Int] {
        guard var slot = lists[key]?.first else { return [] }
        var slots: [Int] = []
        while slot >= 0 {
            slots.append(slot)
            slot = next[slot]
        }
        return slots
    }

    /// Adds a slot that is in no list.
    mutating func add(_ slot: Int, to key: Int64) {
        while next.count <= slot {
            next.append(-1)
            previous.append(-1)
        }
        next[slot] = -1
        guard let last = lists[key]?.last else {
            previous[slot] = -1
            lists[key] = List(first: slot, last: slot)
            return
        }
        previous[slot] = last
        next[last] = slot
        lists[key]?.last = slot
    }

    /// Removes a slot from the list of a key, which has it.
    mutating func remove(_ slot: Int, from key: Int64) {
        let (before, after) = (previous[slot], next[slot])
        if before < 0, after < 0 {
            lists[key] = nil
            return
        }
        if before < 0 { lists[key]?.first = after } else { next[before] = after }
        if after < 0 { lists[key]?.last = before } else { previous[after] = before }
    }
}

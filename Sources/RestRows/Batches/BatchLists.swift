// SPDX-License-Identifier: Apache-2.0

/// The destinations that a document assigns to the relationship of objects, compared with the stored ones.
package struct BatchLists {
    /// A destination of a list.
    private struct Member {
        let key: Int64
        /// The position that it must have; `nil` for any.
        let position: Int64?
        let index: Int
    }

    /// The destinations, those of a list together and by key.
    private var members: [Member] = []
    /// The start of each list, and the end of the last one.
    private var starts = [0]
    /// For each destination, in the order of adding, whether the store has it with its position.
    package private(set) var isStored: [Bool] = []
    /// The stored destinations that no list has.
    package private(set) var others: [(list: Int, key: Int64)] = []

    package init() {}

    package var count: Int { starts.count - 1 }

    /// Adds a destination to the list that is being added; with no key, one that does not exist.
    package mutating func append(_ key: Int64?, position: Int64?) {
        if let key { members.append(Member(key: key, position: position, index: isStored.count)) }
        isStored.append(false)
    }

    /// Ends the list that is being added.
    package mutating func endList() {
        let start = starts[starts.count - 1]
        var isSorted = true
        for index in start..<members.count
        where index > start && members[index - 1].key > members[index].key {
            isSorted = false
            break
        }
        if !isSorted { members[start...].sort { $0.key < $1.key } }
        starts.append(members.count)
    }

    /// Compares a stored destination.
    ///
    /// - Parameters:
    ///   - key: The destination.
    ///   - position: Its position; `nil` if it has none.
    ///   - list: The index of the list.
    mutating func compare(_ key: Int64, at position: Int64?, in list: Int) {
        var (start, end) = (starts[list], starts[list + 1])
        while start < end {
            let middle = (start + end) / 2
            if members[middle].key < key { start = middle + 1 } else { end = middle }
        }
        guard start < starts[list + 1], members[start].key == key else {
            return others.append((list, key))
        }
        let expected = members[start].position
        if expected == nil || expected == position { isStored[members[start].index] = true }
    }
}

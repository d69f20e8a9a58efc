// SPDX-License-Identifier: Apache-2.0

/// A priority queue of deadlines, the earliest first.
struct DeadlineHeap {
    /// A deadline and the number of the task that waits for it.
    struct Entry {
        let deadline: ContinuousClock.Instant
        let id: UInt64

        fileprivate static func < (left: Entry, right: Entry) -> Bool {
            (left.deadline, left.id) < (right.deadline, right.id)
        }
    }

    // Invariant: no entry is before its parent, which is at half its index.
    private var entries: [Entry] = []

    /// The earliest entry.
    var first: Entry? { entries.first }

    var count: Int { entries.count }

    /// Inserts an entry.
    ///
    /// - Complexity: O(log *n*).
    mutating func insert(_ entry: Entry) {
        entries.append(entry)
        var index = entries.count - 1
        while index > 0, entries[index] < entries[(index - 1) / 2] {
            entries.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    /// Removes the earliest entry.
    ///
    /// - Complexity: O(log *n*).
    mutating func removeFirst() {
        guard let last = entries.popLast(), !entries.isEmpty else { return }
        entries[0] = last
        sink(0)
    }

    /// Removes the entries that do not satisfy a predicate.
    ///
    /// - Complexity: O(*n*).
    mutating func keep(where isKept: (Entry) -> Bool) {
        entries.removeAll { !isKept($0) }
        for index in (0..<entries.count / 2).reversed() { sink(index) }
    }

    private mutating func sink(_ start: Int) {
        var index = start
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < entries.count {
                if entries[child] < entries[least] { least = child }
            }
            guard least != index else { return }
            entries.swapAt(index, least)
            index = least
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The difference between two results of a fetch.
///
/// Offsets of removed elements, and those from which elements are moved, are of the previous result.
/// All other offsets are of the new result. To turn the previous result into the new one, remove the
/// removed and moved elements, and then insert the inserted and moved ones in ascending order of their
/// new offsets, as table and collection views do in one batch.
public struct ResultDifference: Sendable, Hashable {
    /// An element whose order among the remaining elements changed.
    public struct Move: Sendable, Hashable {
        /// The offset in the previous result.
        public let source: Int
        /// The offset in the new result.
        public let destination: Int

        /// Creates a move.
        public init(from source: Int, to destination: Int) {
            self.source = source
            self.destination = destination
        }
    }

    /// The offsets of removed elements in the previous result, ascending.
    public private(set) var removed: [Int] = []
    /// The offsets of inserted elements in the new result, ascending.
    public private(set) var inserted: [Int] = []
    /// The moved elements, ascending by their new offsets; as few as possible.
    public private(set) var moved: [Move] = []
    /// The offsets of elements in the new result whose values changed, ascending.
    ///
    /// A moved element is included if its values changed as well.
    public private(set) var updated: [Int] = []

    /// A Boolean value that indicates whether the results are equal.
    public var isEmpty: Bool {
        removed.isEmpty && inserted.isEmpty && moved.isEmpty && updated.isEmpty
    }

    /// Creates an empty difference.
    public init() {}

    /// Creates the difference of a first result, all of whose elements are inserted.
    init(ofFirst count: Int) { inserted = Array(0..<count) }

    /// Creates the difference that some elements make, while the others keep their order.
    ///
    /// - Parameters:
    ///   - removed: The offsets of removed elements in the previous result, ascending.
    ///   - inserted: The offsets of inserted elements in the new result, ascending.
    ///   - updated: The offsets of elements with other values in the new result, ascending.
    ///   - kept: The offsets of the changed elements that both results have, ascending by the new ones.
    ///   - shifted: The new offsets of those among them that are before or behind other unchanged elements.
    init(
        removed: [Int], inserted: [Int], updated: [Int], kept: [Move], shifted: Set<Int>
    ) {
        self.removed = removed
        self.inserted = inserted
        self.updated = updated
        let exchanged = Self.moves(among: kept.filter { !shifted.contains($0.destination) })
        let destinations = shifted.union(exchanged.map(\.destination))
        moved = kept.filter { destinations.contains($0.destination) }
    }

    /// A Boolean value that indicates whether the results have the same elements in the same order.
    var hasSameElements: Bool { removed.isEmpty && inserted.isEmpty && moved.isEmpty }

    /// Creates the difference between two results with unique identifiers.
    ///
    /// - Parameters:
    ///   - old: The identifiers of the previous result.
    ///   - new: The identifiers of the new result.
    ///   - isUpdated: A closure that compares the elements at a previous and a new offset.
    /// - Complexity: O(*n* log *n*); O(*n*) if the order has not changed.
    init<ID: Hashable>(
        from old: [ID], to new: [ID], isUpdated: (_ old: Int, _ new: Int) -> Bool
    ) {
        var offsets = Dictionary(minimumCapacity: old.count) as [ID: Int]
        for (offset, id) in old.enumerated() { offsets[id] = offset }
        var kept: [Move] = []
        kept.reserveCapacity(min(old.count, new.count))
        for (offset, id) in new.enumerated() {
            guard let source = offsets.removeValue(forKey: id) else {
                inserted.append(offset)
                continue
            }
            kept.append(Move(from: source, to: offset))
            if isUpdated(source, offset) { updated.append(offset) }
        }
        removed = offsets.values.sorted()
        moved = Self.moves(among: kept)
    }

    /// Returns the elements outside of the longest sequence that has kept its order.
    private static func moves(among kept: [Move]) -> [Move] {
        if zip(kept, kept.dropFirst()).allSatisfy({ $0.source < $1.source }) { return [] }
        // For each length, the index of the sequence's last element with the least source.
        var ends: [Int] = []
        var predecessors = Array(repeating: -1, count: kept.count)
        for index in kept.indices {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if kept[ends[middle]].source < kept[index].source {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            if low > 0 { predecessors[index] = ends[low - 1] }
            if low == ends.count { ends.append(index) } else { ends[low] = index }
        }
        var isMoved = Array(repeating: true, count: kept.count)
        var index = ends.last ?? -1
        while index >= 0 {
            isMoved[index] = false
            index = predecessors[index]
        }
        return kept.indices.filter { isMoved[$0] }.map { kept[$0] }
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The search for the places of changed rows in a list that has the order of a plan.
///
/// SQLite decides where rows belong: their places are searched for by queries for some rows of the list and
/// the changed one, in the order of the request. A comparison in memory would have other rules for text and
/// null.
struct PlaceSearch {
    /// The offsets of the changed rows in the list, ascending.
    let old: [Int]
    /// The indices in ``old`` by key.
    let indices: [Int64: Int]
    private let keys: [Int64]
    private let plan: FetchPlan
    private let rest: UnchangedOffsets

    /// The number of rows that a query compares with a changed one.
    private static var pivotCount: Int { 48 }

    /// Creates a search.
    ///
    /// - Parameters:
    ///   - changed: The keys of the changed rows, also of those that are not in the list.
    ///   - keys: The keys of the list.
    ///   - plan: The plan of the request.
    init(for changed: Set<Int64>, in keys: [Int64], by plan: FetchPlan) {
        self.keys = keys
        self.plan = plan
        let old = keys.offsets(of: changed)
        self.old = old
        rest = UnchangedOffsets(count: keys.count, without: old)
        var indices: [Int64: Int] = [:]
        for (index, offset) in old.enumerated() { indices[keys[offset]] = index }
        self.indices = indices
    }

    /// Returns the number of unchanged rows before each of some changed rows, which have the order of the
    /// plan.
    ///
    /// - Returns: The numbers; `nil` if the unchanged rows do not have the order of the store, or a changed row
    ///   does not exist.
    /// - Throws: ``PersistenceError`` of the database.
    func places(
        of changed: [Int64], in context: ManagedObjectContext
    ) throws(PersistenceError) -> [Int]? {
        var places: [Int] = []
        for key in changed {
            // Most changes do not move the row.
            let former = indices[key].map { old[$0] - $0 }
            guard let place = try search(for: key, from: places.last ?? 0, near: former, context)
            else { return nil }
            places.append(place)
        }
        return places
    }

    private func search(
        for key: Int64, from first: Int, near former: Int?, _ context: ManagedObjectContext
    ) throws(PersistenceError) -> Int? {
        var (low, high) = (first, rest.count)
        if plan.orderings.isEmpty {
            while low < high {
                let middle = (low + high) / 2
                if keys[rest[middle]] < key { low = middle + 1 } else { high = middle }
            }
            return low
        }
        var pivots: [Int] = []
        if let former { pivots = [former - 1, former].filter { low <= $0 && $0 < high } }
        while low < high {
            if pivots.isEmpty { pivots = Self.pivots(low, high) }
            let pivotKeys = pivots.map { keys[rest[$0]] }
            var ordered = try plan.ordered(pivotKeys + [key], in: context)
            guard let index = ordered.firstIndex(of: key) else { return nil }
            ordered.remove(at: index)
            guard ordered == pivotKeys else { return nil }
            if index < pivots.count { high = pivots[index] }
            if index > 0 { low = pivots[index - 1] + 1 }
            pivots = []
        }
        return low
    }

    private static func pivots(_ low: Int, _ high: Int) -> [Int] {
        let count = min(pivotCount, high - low)
        return (0..<count).map { low + (high - low) * (2 * $0 + 1) / (2 * count) }
    }
}

/// The offsets of the elements that have not changed.
private struct UnchangedOffsets {
    let count: Int
    /// The offsets of the other elements, ascending.
    private let changed: [Int]

    init(count: Int, without changed: [Int]) {
        self.count = count - changed.count
        self.changed = changed
    }

    /// Returns the offset of an unchanged element.
    subscript(index: Int) -> Int {
        var offset = index
        for other in changed where other <= offset { offset += 1 }
        return offset
    }
}

extension [Int64] {
    /// Returns the offsets of keys, ascending.
    ///
    /// Few keys are compared with each element, which takes a fraction of the time of hashing all elements.
    package func offsets(of keys: Set<Int64>) -> [Int] {
        if keys.count > 8 { return indices.filter { keys.contains(self[$0]) } }
        return keys.compactMap { firstIndex(of: $0) }.sorted()
    }
}

extension FetchPlan {
    /// Returns keys in the order of the plan, without those of rows that do not exist.
    ///
    /// - Throws: ``PersistenceError`` of the database.
    func ordered(
        _ keys: [Int64], in context: ManagedObjectContext
    ) throws(PersistenceError) -> [Int64] {
        let plan = restricted(to: keys, isFiltered: false)
        return try context.read(plan, { $0.projection() }) { statement throws(PersistenceError) in
            var ordered: [Int64] = []
            ordered.reserveCapacity(keys.count)
            while try statement.step() { ordered.append(statement.integer(0)) }
            return ordered
        }
    }
}

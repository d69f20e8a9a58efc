// SPDX-License-Identifier: Apache-2.0

/// The objects of a fetch in their order, into which changed rows are merged.
///
/// SQLite decides which of the changed rows match, and where they belong: their places are searched for by
/// queries for some rows of the list and the changed one, in the order of the request. A comparison in memory
/// would have other rules for text and null.
struct FetchedList<Object: ManagedEntity> {
    private(set) var objects: [Object] = []
    /// The key of each object when it was fetched.
    private var keys: [Int64] = []
    /// The values of each object when it was fetched.
    private var rows: [RowValues] = []

    /// The number of rows that a query compares with a changed one.
    private static var pivotCount: Int { 48 }

    /// Returns a Boolean value that indicates whether merging rows costs less than fetching all of them.
    func isMergeable(_ count: Int) -> Bool { count <= max(16, keys.count / 512) }

    /// Replaces all objects.
    mutating func replace(by new: [ManagedObject]) -> ResultDifference {
        let typed = new.compactMap { $0 as? Object }
        let newKeys = typed.map(\.objectID.key)
        let newRows = typed.map(\.values)
        // An object can have got the key of a stored row.
        let difference = ResultDifference(from: objects.map(\.objectID.key), to: newKeys) {
            rows[$0] != newRows[$1]
        }
        (objects, keys, rows) = (typed, newKeys, newRows)
        return difference
    }

    // MARK: Merging

    /// Changed rows that match, and their places.
    struct Merge {
        fileprivate let found: [Object]
        /// For each found object, the number of unchanged ones before it.
        fileprivate let places: [Int]
        /// The offsets of the changed rows in the list, ascending.
        fileprivate let old: [Int]
        /// The indices in ``old`` by key.
        fileprivate let indices: [Int64: Int]
    }

    /// Fetches changed rows, and searches for the places of those that match.
    ///
    /// - Parameters:
    ///   - changed: The keys of the rows.
    ///   - plan: The plan of the request, whose rows alone decide their places.
    ///   - paths: The relationships to prefetch.
    ///   - context: The context.
    /// - Returns: The change of the list; `nil` if the list does not have the order of the store, because a
    ///   commit that has not been taken yet has changed it.
    /// - Throws: ``PersistenceError`` of the fetch.
    func merge(
        of changed: Set<Int64>, by plan: FetchPlan, prefetching paths: [String],
        in context: ManagedObjectContext
    ) throws(PersistenceError) -> Merge? {
        let found = try context.fetch(
            plan.restricted(to: changed.sorted(), isFiltered: true), prefetching: paths
        ).compactMap { $0 as? Object }
        let old = offsets(of: changed)
        let rest = UnchangedOffsets(count: keys.count, without: old)
        var indices: [Int64: Int] = [:]
        for (index, offset) in old.enumerated() { indices[keys[offset]] = index }
        var places: [Int] = []
        for object in found {
            let key = object.objectID.key
            // Most changes do not move the object.
            let former = indices[key].map { old[$0] - $0 }
            let place = try search(
                for: key, from: places.last ?? 0, near: former, in: rest, plan, context)
            guard let place else { return nil }
            places.append(place)
        }
        return Merge(found: found, places: places, old: old, indices: indices)
    }

    /// Returns the offsets of rows, ascending.
    private func offsets(of changed: Set<Int64>) -> [Int] {
        if changed.count > 8 {
            return keys.indices.filter { changed.contains(keys[$0]) }
        }
        return changed.compactMap { keys.firstIndex(of: $0) }.sorted()
    }

    /// Returns the number of unchanged objects before a row; `nil` if they do not have the order of the store.
    private func search(
        for key: Int64, from first: Int, near former: Int?, in rest: UnchangedOffsets,
        _ plan: FetchPlan, _ context: ManagedObjectContext
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
            var ordered = try context.ordered(pivotKeys + [key], by: plan)
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

    /// Replaces the changed rows.
    mutating func apply(_ merge: Merge) -> ResultDifference {
        let (old, places) = (merge.old, merge.places)
        var removed = Set(old)
        var (inserted, updated): ([Int], [Int]) = ([], [])
        var kept: [ResultDifference.Move] = []
        var shifted: Set<Int> = []
        for (index, object) in merge.found.enumerated() {
            let offset = places[index] + index
            guard let former = merge.indices[object.objectID.key] else {
                inserted.append(offset)
                continue
            }
            removed.remove(old[former])
            kept.append(ResultDifference.Move(from: old[former], to: offset))
            if old[former] - former != places[index] { shifted.insert(offset) }
            if rows[old[former]] != object.values { updated.append(offset) }
        }
        let difference = ResultDifference(
            removed: removed.sorted(), inserted: inserted, updated: updated, kept: kept,
            shifted: shifted)
        if difference.hasSameElements {
            for offset in updated { rows[offset] = objects[offset].values }
            return difference
        }
        for offset in old.reversed() {
            objects.remove(at: offset)
            keys.remove(at: offset)
            rows.remove(at: offset)
        }
        for (index, object) in merge.found.enumerated() {
            let offset = places[index] + index
            objects.insert(object, at: offset)
            keys.insert(object.objectID.key, at: offset)
            rows.insert(object.values, at: offset)
        }
        return difference
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

extension ManagedObjectContext {
    /// Returns keys in the order of a plan.
    ///
    /// - Throws: ``PersistenceError`` of the database.
    fileprivate func ordered(
        _ keys: [Int64], by plan: FetchPlan
    ) throws(PersistenceError) -> [Int64] {
        try read(plan.restricted(to: keys, isFiltered: false), { $0.projection() }) {
            statement throws(PersistenceError) in
            var ordered: [Int64] = []
            while try statement.step() { ordered.append(statement.integer(0)) }
            return ordered
        }
    }
}

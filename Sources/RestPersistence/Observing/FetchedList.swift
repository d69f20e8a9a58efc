// SPDX-License-Identifier: Apache-2.0

/// The objects of a fetch in their order, into which changed rows are merged.
///
/// SQLite decides which of the changed rows match, and where they belong; see ``PlaceSearch``.
struct FetchedList<Object: ManagedEntity> {
    private(set) var objects: [Object] = []
    /// The key of each object when it was fetched.
    private var keys: [Int64] = []
    /// The values of each object when it was fetched.
    private var rows: [RowValues] = []

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
        let search = PlaceSearch(for: changed, in: keys, by: plan)
        guard let places = try search.places(of: found.map(\.objectID.key), in: context) else {
            return nil
        }
        return Merge(found: found, places: places, old: search.old, indices: search.indices)
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

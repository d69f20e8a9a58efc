// SPDX-License-Identifier: Apache-2.0

/// A change of the order of a list: some elements move, and the others keep their order.
package struct ListMove: Sendable {
    /// The offsets of the elements that move, ascending.
    private let old: [Int]
    /// The index in ``old`` of each of them, in their new order.
    private let sources: [Int]
    /// The number of other elements before each of them, in their new order.
    private let places: [Int]

    fileprivate init(_ search: PlaceSearch, _ moved: [Int64], _ places: [Int]) {
        old = search.old
        sources = moved.compactMap { search.indices[$0] }
        self.places = places
    }

    /// A Boolean value that indicates whether all elements stay where they are.
    package var isEmpty: Bool {
        zip(sources, places).enumerated().allSatisfy { index, move in
            old[move.0] == move.1 + index
        }
    }

    /// Moves the elements of a list.
    package func apply<Element>(to list: inout [Element]) {
        let moved = old.map { list[$0] }
        for offset in old.reversed() { list.remove(at: offset) }
        for index in sources.indices {
            list.insert(moved[sources[index]], at: places[index] + index)
        }
    }
}

/// The order of a request in which a context reads rows, whatever the predicate of the request is.
package struct RowOrder {
    private let plan: FetchPlan
    private let context: ManagedObjectContext

    /// Creates the order of a request.
    ///
    /// - Throws: ``PersistenceError`` of a request that does not match the model.
    package init(
        of request: FetchRequest, in context: ManagedObjectContext
    ) throws(PersistenceError) {
        plan = try FetchPlan(request, in: context.database)
        self.context = context
    }

    /// Returns those of some rows that exist, in their order.
    ///
    /// - Throws: ``PersistenceError`` of the database.
    package func existing(_ keys: [Int64]) throws(PersistenceError) -> [Int64] {
        try plan.ordered(keys, in: context)
    }

    /// Returns the move of rows in a list, whose other rows have this order and have not changed.
    ///
    /// - Complexity: One to four queries for each changed row of a list of 100,000, of at most 49 rows each.
    /// - Parameters:
    ///   - changed: The keys of the changed rows, also of those that are not in the list.
    ///   - keys: The keys of the list.
    /// - Returns: The move; `nil` if the others do not have the order of the store, or a row does not exist.
    /// - Throws: ``PersistenceError`` of the database.
    package func move(
        of changed: Set<Int64>, in keys: [Int64]
    ) throws(PersistenceError) -> ListMove? {
        let search = PlaceSearch(for: changed, in: keys, by: plan)
        let moved = try existing(search.old.map { keys[$0] })
        guard moved.count == search.old.count,
            let places = try search.places(of: moved, in: context)
        else { return nil }
        return ListMove(search, moved, places)
    }

    /// Returns the offsets of the rows of a list in this order.
    ///
    /// - Returns: The offsets; `nil` if a row does not exist.
    /// - Throws: ``PersistenceError`` of the database.
    package func offsets(of keys: [Int64]) throws(PersistenceError) -> [Int]? {
        let ordered = try existing(keys)
        if ordered == keys { return Array(keys.indices) }
        guard ordered.count == keys.count else { return nil }
        let offsets = Dictionary(zip(keys, keys.indices)) { first, _ in first }
        return ordered.compactMap { offsets[$0] }
    }
}

extension StoreContent {
    /// Returns the rows whose places in a list a transaction may have changed, by its named updates.
    ///
    /// A list is read again when it gains a row, so that rows that the transaction inserts have their places.
    ///
    /// - Parameters:
    ///   - request: The request with the order of the list, whose predicate is not evaluated.
    ///   - commit: The transaction.
    /// - Returns: The keys; `nil` if any row may have another place.
    package func movedKeys(in request: FetchRequest, by commit: StoreCommit) -> Set<Int64>? {
        guard let plan = try? FetchPlan(request, in: database) else { return nil }
        let own = plan.layout.table.index
        var columns = ColumnMask()
        for ordering in plan.orderings {
            guard ordering.value.addColumns(of: plan.root, to: &columns) else {
                let isAffected =
                    plan.tables.contains { !commit.tables[$0].isEmpty }
                    || plan.links.contains { !commit.links[$0].isEmpty }
                return isAffected ? nil : []
            }
        }
        let table = commit.tables[own]
        if table.isUnnamed { return nil }
        return Set(
            table.updated.lazy.filter { $1.mask.columns.contains(where: columns.contains) }
                .map(\.key))
    }
}

extension FetchPlan.Value {
    /// Adds the columns of a row that the value reads; returns `false` if it reads other rows as well.
    fileprivate func addColumns(of row: FetchPlan.Row, to columns: inout ColumnMask) -> Bool {
        switch self {
        case .constant, .element: return true
        case .leaf(let other, let hops, .column(let column), _):
            columns.insert(column)
            return other == row && hops.isEmpty
        case .leaf: return false
        case .arithmetic(let left, _, let right):
            return left.addColumns(of: row, to: &columns)
                && right.addColumns(of: row, to: &columns)
        case .elementCount(let value), .member(let value, _):
            return value.addColumns(of: row, to: &columns)
        }
    }
}

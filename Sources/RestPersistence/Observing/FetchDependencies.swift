// SPDX-License-Identifier: Apache-2.0

/// The tables on which the result of a fetch request depends.
struct FetchDependencies {
    /// The tables of the rows, and those that predicate and orderings reach.
    let tables: Set<Int>
    /// The join tables that the predicate reaches.
    let links: Set<Int>
    /// The table of the rows.
    let own: Int
    /// The tables to which rows refer, and whose unsaved deletions clear the references.
    let referred: Set<Int>
    /// A Boolean value that indicates whether the row alone decides whether it belongs to the result, and
    /// where.
    let areMergeable: Bool

    init(_ plan: FetchPlan) {
        let table = plan.layout.table
        own = table.index
        tables = plan.tables.union([table.index])
        links = plan.links
        referred = Set(
            table.references.compactMap { column in
                table.columns[column].destination.map { plan.model.layouts[$0].table.index }
            })
        areMergeable = plan.readsOnlyOwnRows && plan.limit == nil && plan.offset == 0
    }
}

/// A position in the commits and in the unsaved changes of a context.
struct ChangeCursor {
    /// The rows that may differ in a result since a position.
    enum Effect {
        case rows(Set<Int64>)
        case any

        static let none = Effect.rows([])
    }

    private var node: CommitFeed.Node
    private var version: Int

    init(_ context: ManagedObjectContext) {
        node = context.database.feed.last
        version = context.layered.changesVersion
    }

    /// Moves to the present, and returns what may differ in a result.
    mutating func advance(
        in context: ManagedObjectContext, for dependencies: FetchDependencies
    ) -> Effect {
        context.takeCommits()
        var keys: Set<Int64> = []
        var isAny = false
        while let next = node.next {
            node = next
            if let commit = next.commit, !isAny {
                isAny = !Self.add(commit, to: &keys, dependencies)
            }
        }
        if context.layered.changesVersion != version {
            isAny = isAny || !addUnsaved(to: &keys, in: context, dependencies)
            version = context.layered.changesVersion
        }
        return isAny ? .any : .rows(keys)
    }

    /// Adds the rows that a commit has changed; returns `false` if others may differ as well.
    private static func add(
        _ commit: StoreCommit, to keys: inout Set<Int64>, _ dependencies: FetchDependencies
    ) -> Bool {
        if !commit.replacements.isEmpty { return false }
        for index in dependencies.tables where !commit.tables[index].isEmpty {
            let table = commit.tables[index]
            guard index == dependencies.own, dependencies.areMergeable, !table.isUnnamed else {
                return false
            }
            keys.formUnion(table.inserted.lazy.map(\.key))
            keys.formUnion(table.updated.keys)
            keys.formUnion(table.deleted.lazy.map(\.key))
        }
        return dependencies.links.allSatisfy { commit.links[$0].isEmpty }
    }

    /// Adds the rows whose unsaved changes differ; returns `false` if others may differ as well.
    private func addUnsaved(
        to keys: inout Set<Int64>, in context: ManagedObjectContext,
        _ dependencies: FetchDependencies
    ) -> Bool {
        for table in dependencies.tables {
            guard let changed = context.layered.changedKeys(of: table, since: version) else {
                return false
            }
            if changed.isEmpty { continue }
            guard table == dependencies.own, dependencies.areMergeable else { return false }
            keys.formUnion(changed)
        }
        for link in dependencies.links {
            guard context.layered.changedPairs(of: link, since: version)?.isEmpty == true else {
                return false
            }
        }
        for table in dependencies.referred {
            guard let changed = context.layered.changedKeys(of: table, since: version),
                !changed.contains(where: { context.layered.layers.isDeleted($0, table) })
            else { return false }
        }
        return true
    }
}

extension FetchPlan {
    /// A Boolean value that indicates whether predicate and orderings read the columns of the fetched row
    /// and of no other one.
    var readsOnlyOwnRows: Bool {
        readsOnlyOwnRows(condition) && orderings.allSatisfy { readsOnlyOwnRows($0.value) }
    }

    private func readsOnlyOwnRows(_ condition: Condition) -> Bool {
        switch condition {
        case .constant: true
        case .compare(let left, _, let right): readsOnlyOwnRows(left) && readsOnlyOwnRows(right)
        case .isNull(let value), .isIn(let value, _), .text(let value, _): readsOnlyOwnRows(value)
        case .isKey(let row, _), .isEntity(let row, _), .search(let row, _): row == root
        case .some: false
        case .elements(let value, _, let element):
            readsOnlyOwnRows(value) && readsOnlyOwnRows(element)
        case .and(let terms), .or(let terms): terms.allSatisfy(readsOnlyOwnRows)
        case .not(let inner): readsOnlyOwnRows(inner)
        }
    }

    private func readsOnlyOwnRows(_ value: Value) -> Bool {
        switch value {
        case .constant: return true
        case .leaf(let row, let hops, let leaf, _):
            guard row == root, hops.isEmpty, case .column = leaf else { return false }
            return true
        case .arithmetic(let left, _, let right):
            return readsOnlyOwnRows(left) && readsOnlyOwnRows(right)
        case .element: return true
        case .elementCount(let value), .member(let value, _): return readsOnlyOwnRows(value)
        }
    }

    /// Returns the plan for some rows only.
    ///
    /// - Parameters:
    ///   - keys: The keys of the rows.
    ///   - isFiltered: A Boolean value that indicates whether the rows must match the predicate.
    /// - Returns: A plan with the same order.
    func restricted(to keys: [Int64], isFiltered: Bool) -> FetchPlan {
        var plan = self
        let isKey = Condition.isKey(root, keys)
        plan.condition = isFiltered ? .and([isKey, condition]) : isKey
        return plan
    }
}

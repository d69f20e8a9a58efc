// SPDX-License-Identifier: Apache-2.0

/// A deletion predicate of an entity, and the index by which its objects are found.
struct DeletionRule: Sendable {
    let entity: String
    let predicate: FetchPredicate
    /// The index; `nil` if none would help, so that each import reads the whole table.
    let index: LookupIndex?

    /// Creates a rule.
    ///
    /// - Throws: ``PersistenceError`` with code `unknownProperty` or `invalidPredicate`.
    init(
        of entity: String, _ predicate: FetchPredicate, in model: ManagedObjectModel
    ) throws(PersistenceError) {
        self.entity = entity
        self.predicate = predicate
        index = try FetchPlan(FetchRequest(entity, where: predicate), checkedBy: model).lookupIndex
    }
}

extension FetchPlan {
    /// The index that finds the rows of the request by one of its conditions, all of which must hold;
    /// `nil` if no condition is about a column of the request's table.
    fileprivate var lookupIndex: LookupIndex? {
        var conditions = [condition]
        if case .and(let terms) = condition { conditions = terms }
        return conditions.compactMap(Self.lookup).min { $0.rank < $1.rank }?.index
    }

    /// Returns an index for a condition; its rank is lower if the condition leaves fewer rows.
    ///
    /// For an order comparison, SQLite would prefer to read the table in the order of the keys.
    private static func lookup(_ condition: Condition) -> (index: LookupIndex, rank: Int)? {
        switch condition {
        case .compare(.leaf(let row, let hops, .column(let column), _), .equal, let other),
            .compare(let other, .equal, .leaf(let row, let hops, .column(let column), _)):
            guard row.alias == 0, hops.isEmpty, other.isConstant else { return nil }
            return (LookupIndex([column]), 0)
        case .isIn(.leaf(let row, let hops, .column(let column), _), _):
            return row.alias == 0 && hops.isEmpty ? (LookupIndex([column]), 1) : nil
        case .isNull(.leaf(let row, let hops, .column(let column), _)):
            return row.alias == 0 && hops.isEmpty ? (LookupIndex([column]), 2) : nil
        case .not(.isNull(.leaf(let row, let hops, .column(let column), _))):
            return row.alias == 0 && hops.isEmpty
                ? (LookupIndex([column], excludesNull: true), 3) : nil
        default: return nil
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

/// A fetch plan evaluated in memory: the same answers as its SQL, over rows with unsaved changes.
///
/// What the paths lead to is loaded first, one query for each hop and count, not one for each row.
struct FetchEvaluation {
    typealias Row = ManagedObjectContext.FoundRow

    private let plan: FetchPlan
    /// By hop: which row of the destination each row of the origin leads to.
    private var targets: [[Int64: Int64]] = []
    /// By entity: the rows that hops lead to.
    private var rows: [Int: [Int64: [StoredValue]]] = [:]
    /// By name of entity and relationship: how many objects it leads to from a row.
    private var counts: [CountKey: [Int64: Int]] = [:]

    private struct CountKey: Hashable {
        let entity: Int
        let relationship: Int
    }

    init(
        _ plan: FetchPlan, _ candidates: [Row], in context: ManagedObjectContext
    ) throws(PersistenceError) {
        self.plan = plan
        let own = candidates.map(\.key)
        for hop in plan.hops {
            let origins = hop.parent.map { Array(Set(targets[$0].values)) } ?? own
            let layout = context.model.layouts[hop.entity]
            let members = try context.members(of: origins, hop.relationship, in: layout)
            var reached: [Int64: Int64] = [:]
            for (origin, keys) in members { reached[origin] = keys.first }
            let destination = hop.relationship.destination
            let found = try context.rows(
                Set(reached.values), context.model.layouts[destination])
            rows[destination, default: [:]].merge(found) { _, new in new }
            // A hop to a row that is gone leads nowhere.
            targets.append(reached.filter { found[$0.value] != nil })
        }
        for operand in operands(plan.condition) {
            guard case .count(let relationship) = operand.leaf else { continue }
            let origins = operand.hop.map { Array(Set(targets[$0].values)) } ?? own
            let layout = context.model.layouts[operand.entity]
            let members = try context.members(of: origins, relationship, in: layout)
            let key = CountKey(entity: operand.entity, relationship: relationship.index)
            counts[key, default: [:]].merge(members.mapValues(\.count)) { _, new in new }
        }
    }

    private func operands(_ condition: FetchPlan.Condition) -> [FetchPlan.Operand] {
        switch condition {
        case .constant: []
        case .compare(let operand, _, _), .among(let operand, _): [operand]
        case .both(let left, let right), .either(let left, let right):
            operands(left) + operands(right)
        case .negated(let inner): operands(inner)
        }
    }

    /// The rows the predicate finds.
    func found(in rows: [Row]) -> [Row] { rows.filter { holds(plan.condition, $0) } }

    /// Rows in the plan's order, those equal in it by key.
    func ordered(_ rows: [Row]) -> [Row] {
        guard !plan.orderings.isEmpty else { return rows.sorted { $0.key < $1.key } }
        let keyed = rows.map { row in
            (row: row, values: plan.orderings.map { value($0.operand, row) })
        }
        return keyed.sorted { left, right in
            for (index, ordering) in plan.orderings.enumerated() {
                let order = compare(
                    left.values[index], right.values[index], ordering.operand.type)
                if order != 0 { return ordering.isAscending ? order < 0 : order > 0 }
            }
            return left.row.key < right.row.key
        }.map(\.row)
    }

    private func holds(_ condition: FetchPlan.Condition, _ row: Row) -> Bool {
        switch condition {
        case .constant(let value): value
        case .both(let left, let right): holds(left, row) && holds(right, row)
        case .either(let left, let right): holds(left, row) || holds(right, row)
        case .negated(let inner): !holds(inner, row)
        case .among(let operand, let values): values.contains(value(operand, row))
        case .compare(let operand, let kind, let other):
            holds(value(operand, row), kind, other, operand.type)
        }
    }

    private func holds(
        _ value: StoredValue, _ kind: FetchOperator.Kind, _ other: StoredValue,
        _ type: AttributeType
    ) -> Bool {
        switch kind {
        case .equal: return value == other
        case .notEqual: return value != other
        default: break
        }
        if value.isNull || other.isNull { return false }
        let order = compare(value, other, type)
        switch kind {
        case .less: return order < 0
        case .lessOrEqual: return order <= 0
        case .greater: return order > 0
        default: return order >= 0
        }
    }

    private func compare(
        _ left: StoredValue, _ right: StoredValue, _ type: AttributeType
    ) -> Int {
        if type == .decimal, case .text(let left) = left, case .text(let right) = right {
            return DecimalText.compare(left, right)
        }
        return left.compare(right)
    }

    private func value(_ operand: FetchPlan.Operand, _ row: Row) -> StoredValue {
        var key = row.key
        if let hop = operand.hop {
            guard let target = target(of: hop, from: row.key) else {
                if case .count = operand.leaf { return .integer(0) }
                return .null
            }
            key = target
        }
        switch operand.leaf {
        case .key: return .integer(key)
        case .column(let column):
            if operand.hop == nil { return row.values[column] }
            return rows[operand.entity]?[key]?[column] ?? .null
        case .count(let relationship):
            let counted = CountKey(entity: operand.entity, relationship: relationship.index)
            return .integer(Int64(counts[counted]?[key] ?? 0))
        }
    }

    private func target(of hop: Int, from key: Int64) -> Int64? {
        guard let parent = plan.hops[hop].parent else { return targets[hop][key] }
        return target(of: parent, from: key).flatMap { targets[hop][$0] }
    }
}

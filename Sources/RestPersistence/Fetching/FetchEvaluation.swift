// SPDX-License-Identifier: Apache-2.0

/// The evaluation of a fetch plan in memory, for rows with unsaved changes.
///
/// The result equals that of the SQL. Related rows are loaded in advance, by one query for each join
/// and each count.
struct FetchEvaluation {
    typealias Row = ManagedObjectContext.FoundRow

    private let plan: FetchPlan
    /// The destination of each source row, by join.
    private var targets: [[Int64: Int64]] = []
    /// The rows of destinations, by entity.
    private var rows: [Int: [Int64: [StoredValue]]] = [:]
    /// The number of destinations of each row, by entity and relationship.
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
        for join in plan.joins {
            let origins = join.parent.map { Array(Set(targets[$0].values)) } ?? own
            let layout = context.model.layouts[join.entity]
            let members = try context.members(of: origins, join.relationship, in: layout)
            var reached: [Int64: Int64] = [:]
            for (origin, keys) in members { reached[origin] = keys.first }
            let destination = join.relationship.destination
            let found = try context.rows(
                Set(reached.values), context.model.layouts[destination])
            rows[destination, default: [:]].merge(found) { _, new in new }
            // A destination that no longer exists counts as null.
            targets.append(reached.filter { found[$0.value] != nil })
        }
        for operand in operands(plan.condition) {
            guard case .count(let relationship) = operand.leaf else { continue }
            let origins = operand.join.map { Array(Set(targets[$0].values)) } ?? own
            let layout = context.model.layouts[operand.entity]
            let members = try context.members(of: origins, relationship, in: layout)
            let key = CountKey(entity: operand.entity, relationship: relationship.index)
            counts[key, default: [:]].merge(members.mapValues(\.count)) { _, new in new }
        }
    }

    private func operands(_ condition: FetchPlan.Condition) -> [FetchPlan.Operand] {
        switch condition {
        case .constant: []
        case .compare(let operand, _, _), .isIn(let operand, _): [operand]
        case .and(let left, let right), .or(let left, let right):
            operands(left) + operands(right)
        case .not(let inner): operands(inner)
        }
    }

    /// Returns the rows that match the predicate.
    func matches(in rows: [Row]) -> [Row] { rows.filter { isTrue(plan.condition, $0) } }

    /// Returns rows in the order of the plan, or in the order of keys where they are equal.
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

    private func isTrue(_ condition: FetchPlan.Condition, _ row: Row) -> Bool {
        switch condition {
        case .constant(let value): value
        case .and(let left, let right): isTrue(left, row) && isTrue(right, row)
        case .or(let left, let right): isTrue(left, row) || isTrue(right, row)
        case .not(let inner): !isTrue(inner, row)
        case .isIn(let operand, let values): values.contains(value(operand, row))
        case .compare(let operand, let kind, let other):
            isTrue(value(operand, row), kind, other, operand.type)
        }
    }

    private func isTrue(
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
        if type.isNumericText, case .text(let left) = left, case .text(let right) = right {
            return DecimalText.compare(left, right)
        }
        return left.compare(right)
    }

    private func value(_ operand: FetchPlan.Operand, _ row: Row) -> StoredValue {
        var key = row.key
        if let join = operand.join {
            guard let target = target(of: join, from: row.key) else {
                if case .count = operand.leaf { return .integer(0) }
                return .null
            }
            key = target
        }
        switch operand.leaf {
        case .key: return .integer(key)
        case .column(let column):
            if operand.join == nil { return row.values[column] }
            return rows[operand.entity]?[key]?[column] ?? .null
        case .count(let relationship):
            let counted = CountKey(entity: operand.entity, relationship: relationship.index)
            return .integer(Int64(counts[counted]?[key] ?? 0))
        }
    }

    private func target(of join: Int, from key: Int64) -> Int64? {
        guard let parent = plan.joins[join].parent else { return targets[join][key] }
        return target(of: parent, from: key).flatMap { targets[join][$0] }
    }
}

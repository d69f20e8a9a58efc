// SPDX-License-Identifier: Apache-2.0

/// Writes a fetch plan as SQL.
struct FetchCompiler {
    private let plan: FetchPlan
    private var arguments: [StoredValue] = []
    /// Values bound one by one; longer lists go through `json_each`.
    private static let inlineLimit = 500

    init(_ plan: FetchPlan) { self.plan = plan }

    /// The whole request, or the part of it that concerns rows without unsaved changes.
    ///
    /// - Parameters:
    ///   - changed: Keys to leave out; a limit then only bounds what can be among the first.
    ///   - isFiltered: Whether to apply predicate, order and limit at all.
    /// - Returns: The query of whole rows.
    consuming func query(except changed: [Int64]? = nil, isFiltered: Bool = true) -> RowQuery {
        let layout = plan.layout
        var sql = "SELECT \(RowQuery.columns(of: layout, "t0")) FROM \(layout.table) AS t0"
        var conditions: [String] = []
        if isFiltered {
            sql += joins()
            let condition = self.condition(plan.condition, isNegated: false)
            if condition != "1" { conditions.append(condition) }
        }
        if let changed, !changed.isEmpty {
            conditions.append(
                "t0.\(EntityLayout.keyColumn) NOT IN (SELECT value FROM json_each(?))")
            arguments.append(RowQuery.list(changed))
        }
        if !conditions.isEmpty { sql += " WHERE " + conditions.joined(separator: " AND ") }
        if isFiltered { sql += order() + bounds(isWhole: changed == nil) }
        return RowQuery(sql: sql, arguments: arguments)
    }

    // MARK: Clauses

    private func joins() -> String {
        plan.hops.enumerated().map { index, hop in
            let destination = plan.model.layouts[hop.relationship.destination]
            let (parent, own) = (alias(hop.parent), alias(index))
            let key = EntityLayout.keyColumn
            let condition: String
            switch hop.relationship.storage {
            case .column(let column):
                let name = plan.model.layouts[hop.entity].columns[column].quoted
                condition = "\(own).\(key) = \(parent).\(name)"
            case .inverseColumn(let column):
                condition = "\(own).\(destination.columns[column].quoted) = \(parent).\(key)"
            case .link: condition = "0"
            }
            return " LEFT JOIN \(destination.table) AS \(own) ON \(condition)"
        }.joined()
    }

    private func order() -> String {
        let terms = plan.orderings.map { ordering in
            text(ordering.operand) + collation(ordering.operand)
                + (ordering.isAscending ? "" : " DESC")
        }
        return " ORDER BY " + (terms + ["t0.\(EntityLayout.keyColumn)"]).joined(separator: ", ")
    }

    private mutating func bounds(isWhole: Bool) -> String {
        guard plan.limit != nil || (isWhole && plan.offset > 0) else { return "" }
        var (limit, offset) = (Int64(plan.limit ?? -1), Int64(plan.offset))
        if !isWhole {
            // Changed rows may come before, so the skipped ones are needed too.
            let (sum, overflow) = limit.addingReportingOverflow(offset)
            (limit, offset) = (overflow ? -1 : sum, 0)
        }
        arguments += [.integer(limit), .integer(offset)]
        return " LIMIT ? OFFSET ?"
    }

    // MARK: Conditions

    private mutating func condition(_ condition: FetchPlan.Condition, isNegated: Bool) -> String {
        switch condition {
        case .constant(let value): return value != isNegated ? "1" : "0"
        case .both, .either:
            var isConjunction = isNegated
            if case .both = condition { isConjunction = !isNegated }
            let terms = condition.chain.map { self.condition($0, isNegated: isNegated) }
            return Self.joined(terms[...], isConjunction ? " AND " : " OR ")
        case .negated(let inner): return self.condition(inner, isNegated: !isNegated)
        case .compare(let operand, let kind, let value):
            return comparison(operand, kind, value, isNegated: isNegated)
        case .among(let operand, let values):
            return membership(operand, values, isNegated: isNegated)
        }
    }

    /// Joins terms in halves: SQLite bounds how deep an expression may be, not how long.
    private static func joined(_ terms: ArraySlice<String>, _ symbol: String) -> String {
        if terms.count <= 2 { return "(" + terms.joined(separator: symbol) + ")" }
        let middle = terms.startIndex + terms.count / 2
        return "(" + joined(terms[..<middle], symbol) + symbol + joined(terms[middle...], symbol)
            + ")"
    }

    private mutating func comparison(
        _ operand: FetchPlan.Operand, _ kind: FetchOperator.Kind, _ value: StoredValue,
        isNegated: Bool
    ) -> String {
        let text = text(operand)
        let symbol: String
        switch kind {
        case .equal, .notEqual:
            arguments.append(value)
            return "\(text) \((kind == .equal) != isNegated ? "IS" : "IS NOT") ?"
        case .less: symbol = "<"
        case .lessOrEqual: symbol = "<="
        case .greater: symbol = ">"
        case .greaterOrEqual: symbol = ">="
        }
        if value.isNull { return isNegated ? "1" : "0" }
        arguments.append(value)
        let plain = "\(text)\(collation(operand)) \(symbol) ?"
        return isNegated ? "(\(text) IS NULL OR NOT \(plain))" : plain
    }

    private mutating func membership(
        _ operand: FetchPlan.Operand, _ values: Set<StoredValue>, isNegated: Bool
    ) -> String {
        let text = text(operand)
        let hasNull = values.contains(.null)
        let values = values.filter { !$0.isNull }
        var terms: [String] = hasNull ? ["\(text) IS NULL"] : []
        if !values.isEmpty {
            terms.append("(\(text) IS NOT NULL AND \(text) IN (\(list(Array(values)))))")
        }
        let joined = terms.isEmpty ? "0" : "(" + terms.joined(separator: " OR ") + ")"
        return isNegated ? "NOT \(joined)" : joined
    }

    /// Short lists are bound value by value; of long ones whole numbers and text go as one value.
    ///
    /// Text with NUL stays bound by itself: SQLite's JSON would end it there.
    private mutating func list(_ values: [StoredValue]) -> String {
        guard values.count > Self.inlineLimit else { return bound(values) }
        var elements: [String] = []
        var others: [StoredValue] = []
        for value in values {
            switch value {
            case .integer(let number): elements.append(String(number))
            case .text(let text) where !text.utf8.contains(0): elements.append(quotedJSON(text))
            default: others.append(value)
            }
        }
        arguments.append(.text("[" + elements.joined(separator: ",") + "]"))
        let listed = "SELECT value FROM json_each(?)"
        if others.isEmpty { return listed }
        let rows = Array(repeating: "(?)", count: others.count).joined(separator: ", ")
        arguments += others
        return "\(listed) UNION ALL SELECT * FROM (VALUES \(rows))"
    }

    private mutating func bound(_ values: [StoredValue]) -> String {
        arguments += values
        return Array(repeating: "?", count: values.count).joined(separator: ", ")
    }

    private func quotedJSON(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\":
                quoted += "\\"
                quoted.unicodeScalars.append(scalar)
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    // MARK: Operands

    private func alias(_ hop: Int?) -> String { "t\(hop.map { $0 + 1 } ?? 0)" }

    private func text(_ operand: FetchPlan.Operand) -> String {
        let alias = alias(operand.hop)
        let layout = plan.model.layouts[operand.entity]
        switch operand.leaf {
        case .key: return "\(alias).\(EntityLayout.keyColumn)"
        case .column(let column): return "\(alias).\(layout.columns[column].quoted)"
        case .count(let relationship):
            let own = "\(alias).\(EntityLayout.keyColumn)"
            switch relationship.storage {
            case .inverseColumn(let column):
                let destination = plan.model.layouts[relationship.destination]
                return "(SELECT count(*) FROM \(destination.table) AS c "
                    + "WHERE c.\(destination.columns[column].quoted) = \(own))"
            case .link(let index, let isForward):
                return "(SELECT count(*) FROM \(plan.model.links[index].quoted) AS c "
                    + "WHERE c.\(isForward ? "source" : "target") = \(own))"
            case .column: return "0"
            }
        }
    }

    private func collation(_ operand: FetchPlan.Operand) -> String {
        operand.type == .decimal ? " COLLATE restkit_decimal" : ""
    }
}

extension FetchPlan.Condition {
    /// The parts of a run of one operator, however it was nested; itself if it is another condition.
    fileprivate var chain: [FetchPlan.Condition] {
        var isBoth = false
        if case .both = self { isBoth = true }
        var pending = [self]
        var result: [FetchPlan.Condition] = []
        while let next = pending.popLast() {
            switch next {
            case .both(let left, let right) where isBoth: pending += [right, left]
            case .either(let left, let right) where !isBoth: pending += [right, left]
            default: result.append(next)
            }
        }
        return result
    }
}

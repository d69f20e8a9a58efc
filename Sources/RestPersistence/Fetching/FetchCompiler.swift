// SPDX-License-Identifier: Apache-2.0

/// A compiler of fetch plans to SQL.
struct FetchCompiler {
    private let plan: FetchPlan
    private var arguments: [StoredValue] = []
    /// The maximum number of values to bind one by one; longer lists use `json_each`.
    private static let inlineLimit = 500

    init(_ plan: FetchPlan) { self.plan = plan }

    /// Returns the query for the request, or for its rows without unsaved changes.
    ///
    /// - Parameters:
    ///   - changed: The keys of rows to exclude. The offset is then not applied, because changed
    ///     rows may come first.
    ///   - isFiltered: Whether to apply predicate, order and limit.
    /// - Returns: A query for all columns of the rows.
    consuming func query(except changed: [Int64]? = nil, isFiltered: Bool = true) -> RowQuery {
        let layout = plan.layout
        var sql = "SELECT \(RowQuery.columns(of: layout, "t0")) FROM \(layout.table.quoted) AS t0"
        var conditions = entityCondition().map { [$0] } ?? []
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

    /// Returns the condition that a row is of the fetched entity or inherits from it.
    private func entityCondition() -> String? {
        let layout = plan.layout
        guard layout.table.entityColumn != nil, layout.superentity != nil else { return nil }
        let names = layout.subentities.map { SQLIdentifier.literal(plan.model.layouts[$0].name) }
        return "t0.\(EntityLayout.entityColumn) IN (\(names.joined(separator: ", ")))"
    }

    private func joins() -> String {
        plan.joins.enumerated().map { index, join in
            let destination = plan.model.layouts[join.relationship.destination]
            let (parent, name) = (alias(join.parent), alias(index))
            let key = EntityLayout.keyColumn
            let condition: String
            switch join.relationship.storage {
            case .column(let index):
                let column = plan.model.layouts[join.entity].columns[index].quoted
                condition = "\(name).\(key) = \(parent).\(column)"
            case .inverseColumn(let column, _):
                condition = "\(name).\(destination.columns[column].quoted) = \(parent).\(key)"
            case .link: condition = "0"
            }
            return " LEFT JOIN \(destination.table.quoted) AS \(name) ON \(condition)"
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
            // Changed rows may come first, so that the skipped rows are needed as well.
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
        case .and, .or:
            var isConjunction = isNegated
            if case .and = condition { isConjunction = !isNegated }
            let terms = condition.chain.map { self.condition($0, isNegated: isNegated) }
            return Self.joined(terms[...], isConjunction ? " AND " : " OR ")
        case .not(let inner): return self.condition(inner, isNegated: !isNegated)
        case .compare(let operand, let kind, let value):
            return comparison(operand, kind, value, isNegated: isNegated)
        case .isIn(let operand, let values):
            return membership(operand, values, isNegated: isNegated)
        }
    }

    /// Joins terms as a balanced tree, because SQLite limits the depth of expressions.
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

    /// Returns the SQL of a list: parameters for a short one, a JSON array for a long one.
    ///
    /// Text with NUL is always a parameter, because SQLite's JSON functions would truncate it.
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

    private func alias(_ join: Int?) -> String { "t\(join.map { $0 + 1 } ?? 0)" }

    private func text(_ operand: FetchPlan.Operand) -> String {
        let alias = alias(operand.join)
        let layout = plan.model.layouts[operand.entity]
        switch operand.leaf {
        case .key: return "\(alias).\(EntityLayout.keyColumn)"
        case .column(let column): return "\(alias).\(layout.columns[column].quoted)"
        case .count(let relationship):
            let own = "\(alias).\(EntityLayout.keyColumn)"
            switch relationship.storage {
            case .inverseColumn(let column, _):
                let destination = plan.model.layouts[relationship.destination]
                return "(SELECT count(*) FROM \(destination.table.quoted) AS c "
                    + "WHERE c.\(destination.columns[column].quoted) = \(own))"
            case .link(let index, let isForward):
                return "(SELECT count(*) FROM \(plan.model.links[index].quoted) AS c "
                    + "WHERE c.\(isForward ? "source" : "target") = \(own))"
            case .column: return "0"
            }
        }
    }

    private func collation(_ operand: FetchPlan.Operand) -> String {
        operand.type.isNumericText ? " COLLATE restkit_decimal" : ""
    }
}

extension FetchPlan.Condition {
    /// The operands of a chain of one operator, or the condition itself.
    fileprivate var chain: [FetchPlan.Condition] {
        var isAnd = false
        if case .and = self { isAnd = true }
        var pending = [self]
        var result: [FetchPlan.Condition] = []
        while let next = pending.popLast() {
            switch next {
            case .and(let left, let right) where isAnd: pending += [right, left]
            case .or(let left, let right) where !isAnd: pending += [right, left]
            default: result.append(next)
            }
        }
        return result
    }
}

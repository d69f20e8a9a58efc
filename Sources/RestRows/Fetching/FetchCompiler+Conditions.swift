// SPDX-License-Identifier: Apache-2.0

extension FetchCompiler {
    /// Returns the SQL of a condition, which is true exactly if the condition, or its negation, is.
    ///
    /// Negations move to the comparisons, so that null is never negated.
    mutating func sql(_ condition: FetchPlan.Condition, isNegated: Bool) -> String {
        switch condition {
        case .constant(let value): return value != isNegated ? "1" : "0"
        case .and(let terms):
            return Self.joined(terms.map { sql($0, isNegated: isNegated) }, isAnd: !isNegated)
        case .or(let terms):
            return Self.joined(terms.map { sql($0, isNegated: isNegated) }, isAnd: isNegated)
        case .not(let inner): return sql(inner, isNegated: !isNegated)
        case .compare(let left, let comparison, let right):
            return self.comparison(left, comparison, right, isNegated: isNegated)
        case .isNull(let value): return text(value) + (isNegated ? " IS NOT NULL" : " IS NULL")
        case .isIn(let value, let values):
            let text = text(value)
            let list = list(values)
            return isNegated
                ? "(\(text) IS NULL OR \(text) NOT IN (\(list)))" : "\(text) IN (\(list))"
        case .text(let value, let match):
            let condition = matches(text(value), match)
            return isNegated ? "(\(text(value)) IS NULL OR NOT \(condition))" : condition
        case .isKey(let row, let keys):
            return "\(key(of: row)) \(isNegated ? "NOT IN" : "IN") (\(list(of: keys)))"
        case .isEntity(let row, let names):
            return (isNegated ? "NOT " : "") + isEntity(name(row), names)
        case .search(let row, let query):
            return (isNegated ? "NOT " : "") + search(row, query)
        case .some(let owner, let relationship, let row, let inner):
            return related(owner, relationship, row, inner, isNegated: isNegated)
        case .elements(let array, let alias, let inner):
            return elements(array, alias, inner, isNegated: isNegated)
        }
    }

    /// Returns the condition that an element of an array matches.
    private mutating func elements(
        _ array: FetchPlan.Value, _ alias: Int, _ inner: FetchPlan.Condition, isNegated: Bool
    ) -> String {
        let inner = sql(inner, isNegated: false)
        if inner == "0" { return isNegated ? "1" : "0" }
        let query = "SELECT 1 FROM json_each(\(self.array(array))) AS e\(alias) WHERE \(inner)"
        return (isNegated ? "NOT " : "") + "EXISTS (\(query))"
    }

    /// Returns the condition that the words of a row match, those of the arm that has the row.
    private mutating func search(_ row: FetchPlan.Row, _ query: String) -> String {
        let table = plan.model.layouts[row.entity].table
        let name = SearchTable.quotedName(of: table)
        let parameter = bound(.text(query))
        func keys(_ schema: String, _ condition: String) -> String {
            "\(key(of: row)) IN (SELECT rowid FROM \(schema).\(name) "
                + "WHERE \(name) MATCH \(parameter)\(condition))"
        }
        guard pending.tables.contains(table.index) else { return keys("main", "") }
        let unchanged =
            " AND rowid NOT IN (SELECT \(Self.key) FROM \(PendingName.changed(table)))"
        return "(\(keys("main", unchanged)) OR \(keys("temp", "")))"
    }

    /// Joins terms as a balanced tree, because SQLite limits the depth of expressions.
    private static func joined(_ terms: [String], isAnd: Bool) -> String {
        let neutral = isAnd ? "1" : "0"
        let absorbing = isAnd ? "0" : "1"
        if terms.contains(absorbing) { return absorbing }
        let terms = terms.filter { $0 != neutral }
        guard !terms.isEmpty else { return neutral }
        return terms.count == 1 ? terms[0] : tree(terms[...], isAnd ? " AND " : " OR ")
    }

    private static func tree(_ terms: ArraySlice<String>, _ symbol: String) -> String {
        if terms.count <= 2 { return "(" + terms.joined(separator: symbol) + ")" }
        let middle = terms.startIndex + terms.count / 2
        return "(" + tree(terms[..<middle], symbol) + symbol + tree(terms[middle...], symbol) + ")"
    }

    // MARK: Comparisons

    private mutating func comparison(
        _ left: FetchPlan.Value, _ comparison: FetchPlan.Comparison, _ right: FetchPlan.Value,
        isNegated: Bool
    ) -> String {
        let isConstant = left.isConstant || right.isConstant
        guard comparison != .equal else {
            // An equation with a constant, which is not null, uses an index on all platforms.
            if isConstant, !isNegated { return "\(text(left)) = \(text(right))" }
            return comparison.sql(text(left), text(right), isNegated: isNegated)
        }
        let isNumericText = (left.type ?? right.type)?.isNumericText == true
        let texts = (
            isNumericText ? orderedNumber(left) : text(left),
            isNumericText ? orderedNumber(right) : text(right)
        )
        let plain = comparison.sql(texts.0, texts.1, isNegated: isNegated)
        guard isNegated else { return plain }
        var terms: [String] = []
        if !left.isConstant { terms.append("\(text(left)) IS NULL") }
        if !right.isConstant { terms.append("\(text(right)) IS NULL") }
        return "(" + (terms + [plain]).joined(separator: " OR ") + ")"
    }

    func isEntity(_ alias: String, _ names: [String]) -> String {
        let list = names.map(SQLIdentifier.literal).joined(separator: ", ")
        return "\(read(EntityLayout.entityColumn, of: alias)) IN (\(list))"
    }

    private mutating func matches(_ text: String, _ match: TextMatch) -> String {
        if match.isTrueForAllTexts { return "\(text) IS NOT NULL" }
        if match.options.isEmpty {
            switch match.kind {
            case .equal: return "\(text) = \(bound(.text(match.text)))"
            case .prefix:
                let lower = "\(text) >= \(bound(.text(match.text)))"
                guard let next = TextMatch.upperBound(ofPrefix: match.text) else { return lower }
                return "(\(lower) AND \(text) < \(bound(.text(next))))"
            case .contains:
                return "instr(CAST(\(text) AS BLOB), \(bound(.data(match.bytes)))) > 0"
            case .suffix: return suffix("CAST(\(text) AS BLOB)", match)
            }
        }
        let folded = folded(text, match.options)
        switch match.kind {
        case .equal: return "\(folded) = \(bound(.data(match.bytes)))"
        case .prefix:
            let count = bound(.integer(Int64(match.bytes.count)))
            return "substr(\(folded), 1, \(count)) = \(bound(.data(match.bytes)))"
        case .contains: return "instr(\(folded), \(bound(.data(match.bytes)))) > 0"
        case .suffix: return suffix(folded, match)
        }
    }

    private mutating func suffix(_ bytes: String, _ match: TextMatch) -> String {
        let start = bound(.integer(-Int64(match.bytes.count)))
        return "substr(\(bytes), \(start)) = \(bound(.data(match.bytes)))"
    }

    // MARK: Relationships

    private mutating func related(
        _ owner: FetchPlan.Row, _ relationship: RelationshipLayout, _ row: FetchPlan.Row,
        _ inner: FetchPlan.Condition, isNegated: Bool
    ) -> String {
        switch relationship.storage {
        case .column(let column):
            let reference = self.column(column, of: name(owner), plan.model.layouts[owner.entity])
            return destination(reference, row, inner, isNegated: isNegated)
        case .inverseColumn(let column, _):
            let layout = plan.model.layouts[row.entity]
            let condition = self.column(column, of: name(row), layout) + " = \(key(of: owner))"
            return exists(arms(of: layout.table, name(row)), condition, inner, isNegated: isNegated)
        case .link(let index, let isForward):
            let alias = "l\(row.alias)"
            let (own, other) = isForward ? ("source", "target") : ("target", "source")
            var condition = "\(alias).\(own) = \(key(of: owner))"
            // The membership is a reference to the destination, which may be deleted.
            let member = destination(
                "\(alias).\(other)", row, inner, isNegated: false, isRequired: true)
            if member == "0" { return isNegated ? "1" : "0" }
            if member != "1" { condition += " AND \(member)" }
            return exists(
                arms(ofLink: index, alias), condition, .constant(true), isNegated: isNegated)
        }
    }

    /// Returns the condition that a reference leads to a row that matches.
    ///
    /// A required reference cannot be null.
    private mutating func destination(
        _ reference: String, _ row: FetchPlan.Row, _ inner: FetchPlan.Condition, isNegated: Bool,
        isRequired: Bool = false
    ) -> String {
        let deleted = deletedKeys(of: row.entity)
        let list: String
        switch inner {
        case .constant(true):
            if isNegated {
                return deleted.map { "(\(reference) IS NULL OR \(reference) IN (\($0)))" }
                    ?? "\(reference) IS NULL"
            }
            if let deleted { return "\(reference) NOT IN (\(deleted))" }
            return isRequired ? "1" : "\(reference) IS NOT NULL"
        case .constant(false): return isNegated ? "1" : "0"
        case .isKey(row, let keys):
            list = self.list(of: keys)
            guard let deleted else { break }
            return isNegated
                ? "(\(reference) IS NULL OR \(reference) NOT IN (\(list)) "
                    + "OR \(reference) IN (\(deleted)))"
                : "(\(reference) IN (\(list)) AND \(reference) NOT IN (\(deleted)))"
        default:
            let condition = sql(inner, isNegated: false)
            let query = arms(of: plan.model.layouts[row.entity].table, name(row))
                .map { $0.query("\(name(row)).\(Self.key)", condition == "1" ? nil : condition) }
                .joined(separator: " UNION ALL ")
            list = condition.contains("SELECT") ? named(query, inner, row) : query
        }
        return isNegated
            ? "(\(reference) IS NULL OR \(reference) NOT IN (\(list)))"
            : "\(reference) IN (\(list))"
    }

    /// Returns a query with a name, if it does not depend on an outer row.
    ///
    /// SQLite's parser limits the nesting of queries, and both arms share one with a name.
    private mutating func named(
        _ query: String, _ condition: FetchPlan.Condition, _ row: FetchPlan.Row
    ) -> String {
        guard condition.isIndependent(of: [row.alias]) else { return query }
        let index = definitions.firstIndex(of: query) ?? definitions.count
        if index == definitions.count { definitions.append(query) }
        return "SELECT * FROM d\(index + 1)"
    }

    private mutating func exists(
        _ arms: [Arm], _ condition: String, _ inner: FetchPlan.Condition, isNegated: Bool
    ) -> String {
        let inner = sql(inner, isNegated: false)
        if inner == "0" { return isNegated ? "1" : "0" }
        let condition = inner == "1" ? condition : "\(condition) AND \(inner)"
        let terms = arms.map {
            (isNegated ? "NOT " : "") + "EXISTS (\($0.query("1", condition)))"
        }
        return Self.joined(terms, isAnd: isNegated)
    }
}

extension FetchPlan.Comparison {
    /// Returns the SQL of the comparison of two values, or of its negation; of an order, if neither is null.
    fileprivate func sql(_ left: String, _ right: String, isNegated: Bool) -> String {
        switch self {
        case .equal: "\(left) \(isNegated ? "IS NOT" : "IS") \(right)"
        case .less: "\(left) \(isNegated ? ">=" : "<") \(right)"
        case .lessOrEqual: "\(left) \(isNegated ? ">" : "<=") \(right)"
        case .greater: "\(left) \(isNegated ? "<=" : ">") \(right)"
        case .greaterOrEqual: "\(left) \(isNegated ? "<" : ">=") \(right)"
        }
    }
}

extension FetchPlan.Condition {
    /// Returns a Boolean value that indicates whether the condition refers to no rows but those with
    /// known aliases.
    func isIndependent(of known: Set<Int>) -> Bool {
        switch self {
        case .constant: true
        case .compare(let left, _, let right):
            left.isIndependent(of: known) && right.isIndependent(of: known)
        case .isNull(let value), .isIn(let value, _), .text(let value, _):
            value.isIndependent(of: known)
        case .isKey(let row, _), .isEntity(let row, _), .search(let row, _):
            known.contains(row.alias)
        case .some(let owner, _, let row, let inner):
            known.contains(owner.alias) && inner.isIndependent(of: known.union([row.alias]))
        case .elements(let array, let alias, let inner):
            array.isIndependent(of: known) && inner.isIndependent(of: known.union([alias]))
        case .and(let terms), .or(let terms): terms.allSatisfy { $0.isIndependent(of: known) }
        case .not(let inner): inner.isIndependent(of: known)
        }
    }
}

extension FetchPlan.Value {
    fileprivate func isIndependent(of known: Set<Int>) -> Bool {
        switch self {
        case .constant: true
        case .arithmetic(let left, _, let right):
            left.isIndependent(of: known) && right.isIndependent(of: known)
        case .leaf(let row, _, .column, _): known.contains(row.alias)
        case .element(let alias, _): known.contains(alias)
        case .elementCount(let value), .member(let value, _): value.isIndependent(of: known)
        case .leaf(let row, let hops, .count(_, let member, let condition), _):
            known.contains(row.alias)
                && condition.isIndependent(
                    of: known.union(hops.map(\.row.alias)).union([member.alias]))
        }
    }
}

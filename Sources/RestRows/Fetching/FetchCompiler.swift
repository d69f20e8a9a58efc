// SPDX-License-Identifier: Apache-2.0

/// The tables and join tables with unsaved changes, which a query reads together with the rows.
///
/// With none, the query is the plain one.
package struct PendingScope: Hashable {
    /// The tables with changed rows.
    package var tables: Set<Int> = []
    /// The tables with deleted rows.
    var deletions: Set<Int> = []
    /// The join tables with changed rows.
    var links: Set<Int> = []

    package var isEmpty: Bool { tables.isEmpty && links.isEmpty }
}

/// A compiler of fetch plans to SQL.
///
/// A table with unsaved changes is read in two arms: the rows that are unchanged, and those of
/// ``PendingTables``. Each arm is a query of its own, so that SQLite uses the indexes of both.
package struct FetchCompiler {
    package let plan: FetchPlan
    package let pending: PendingScope
    var arguments: [StoredValue] = []
    /// The aliases of rows that are joined with both arms, of which one has the row.
    var joined: Set<String> = []
    /// The named queries that precede the query.
    var definitions: [String] = []

    static let key = EntityLayout.keyColumn

    package init(_ plan: FetchPlan, _ pending: PendingScope = PendingScope()) {
        self.plan = plan
        self.pending = pending
    }

    // MARK: Queries

    /// Returns the query for the key and all columns of the rows.
    package mutating func rows() -> RowQuery {
        let columns = plan.layout.columns.indices.map { column($0, of: "t0", plan.layout) }
        let sql = select(["t0.\(Self.key)"] + columns)
        return finished(sql)
    }

    /// Returns the query for the key, the name of the entity or null, and the values of the plan.
    package mutating func projection() -> RowQuery {
        let entity =
            plan.layout.table.entityColumn.map { column($0, of: "t0", plan.layout) } ?? "NULL"
        let values = plan.values.map { text($0) }
        let sql = select(["t0.\(Self.key)", entity] + values)
        return finished(sql)
    }

    /// Returns the query for the number of rows.
    package mutating func count() -> RowQuery {
        if plan.limit != nil || plan.offset > 0 {
            let rows = select(["t0.\(Self.key)"])
            return finished("SELECT count(*) FROM (\(rows))")
        }
        let condition = rootCondition()
        let arms = arms(of: plan.layout.table, "t0")
        if condition == nil, arms.count == 2 {
            // Counting all rows needs no look at each of them.
            let table = plan.layout.table
            let sql =
                "SELECT (SELECT count(*) FROM main.\(table.quoted))"
                + " - (SELECT count(*) FROM \(PendingName.changed(table)) AS c WHERE EXISTS "
                + "(SELECT 1 FROM main.\(table.quoted) AS m WHERE m.\(Self.key) = c.\(Self.key)))"
                + " + (SELECT count(*) FROM \(PendingName.rows(table)))"
            return finished(sql)
        }
        let counts = arms.map { $0.query("count(*)", condition) }
        let sql =
            counts.count == 1
            ? counts[0] : "SELECT " + counts.map { "(\($0))" }.joined(separator: " + ")
        return finished(sql)
    }

    /// Returns the query for an aggregate of the plan's only value.
    package mutating func aggregate(_ function: String, isPartial: Bool) -> RowQuery {
        guard let value = plan.values.first else {
            preconditionFailure("a plan for an aggregate has a value")
        }
        if value.type?.isNumericText == true { return extremeNumber(value, function) }
        let text = text(value)
        if plan.limit != nil || plan.offset > 0 {
            let rows = select(["t0.\(Self.key)", "\(text) AS v"])
            return finished("SELECT \(function)(v) FROM (\(rows))")
        }
        let condition = rootCondition()
        let arms = arms(of: plan.layout.table, "t0")
        if arms.count == 1 {
            return finished(arms[0].query("\(function)(\(text))", condition))
        }
        // The least of two least values is the least one; an average needs all values.
        let values = arms.map {
            $0.query(
                isPartial ? "\(function)(\(text)) AS v" : "\(text) AS v", condition)
        }
        return finished(
            "SELECT \(function)(v) FROM "
                + "(\(values.joined(separator: " UNION ALL ")))")
    }

    /// Returns the query for the least or greatest of numbers that are stored as text.
    private mutating func extremeNumber(
        _ value: FetchPlan.Value, _ function: String
    ) -> RowQuery {
        let text = text(value)
        let rows: String
        if plan.limit != nil || plan.offset > 0 {
            rows = select(["t0.\(Self.key)", "\(text) AS v"])
        } else {
            let condition = rootCondition()
            rows = arms(of: plan.layout.table, "t0").map { $0.query("\(text) AS v", condition) }
                .joined(separator: " UNION ALL ")
        }
        let key = NumericText.orderExpression("v")
        // A comparison, unlike IS NOT NULL, begins in the index behind null.
        return finished(
            "SELECT (SELECT v FROM (\(rows)) WHERE \(key) >= '' "
                + "ORDER BY \(key)\(function == "max" ? " DESC" : "") LIMIT 1)")
    }

    private func finished(_ sql: String) -> RowQuery {
        let names = definitions.enumerated().map { "d\($0 + 1) AS (\($1))" }
        let prefix = names.isEmpty ? "" : "WITH " + names.joined(separator: ", ") + " "
        return RowQuery(
            sql: prefix + sql, arguments: arguments,
            collations: plan.orderings.compactMap(\.collation))
    }

    // MARK: Clauses

    private mutating func rootCondition() -> String? {
        var terms: [String] = []
        if let names = plan.entities { terms.append(isEntity("t0", names)) }
        let condition = sql(plan.condition, isNegated: false)
        if condition != "1" { terms.append(condition) }
        return terms.isEmpty ? nil : terms.joined(separator: " AND ")
    }

    /// Returns the query for columns of the plan's rows, in order and within its limits.
    private mutating func select(_ columns: [String]) -> String {
        let arms = arms(of: plan.layout.table, "t0")
        let condition = rootCondition()
        var columns = columns
        var terms: [String] = []
        for ordering in plan.orderings {
            var term =
                ordering.value.type?.isNumericText == true
                ? orderedNumber(ordering.value) : text(ordering.value)
            if ordering.collation == nil, !ordering.options.isEmpty {
                term = folded(term, ordering.options)
            }
            if arms.count > 1 {
                // The terms of a compound query's order are result columns.
                var index = columns.firstIndex(of: term)
                if index == nil {
                    index = columns.count
                    columns.append(term)
                }
                term = String((index ?? 0) + 1)
            }
            let collation = ordering.collation.map { " COLLATE \($0.quoted)" } ?? ""
            terms.append(term + collation + (ordering.isAscending ? "" : " DESC"))
        }
        terms.append(keyTerm(of: &columns, isCompound: arms.count > 1))
        let list = columns.joined(separator: ", ")
        return arms.map { $0.query(list, condition) }.joined(separator: " UNION ALL ")
            + " ORDER BY " + terms.joined(separator: ", ") + bounds()
    }

    /// Returns the term of the order by keys.
    ///
    /// SQLite prefers this order to an index of which a condition bounds one end only, and would read all rows
    /// for those beyond a date. The sign hides the order from it. Within a limit the first rows may be enough.
    private func keyTerm(of columns: inout [String], isCompound: Bool) -> String {
        let hidesOrder = plan.orderings.isEmpty && plan.limit == nil && plan.isBoundedByIndex
        guard hidesOrder else { return isCompound ? "1" : "t0.\(Self.key)" }
        guard isCompound else { return "+t0.\(Self.key)" }
        columns.append("+t0.\(Self.key)")
        return String(columns.count)
    }

    private mutating func bounds() -> String {
        guard plan.limit != nil || plan.offset > 0 else { return "" }
        let limit = bound(.integer(Int64(plan.limit ?? -1)))
        guard plan.offset > 0 else { return " LIMIT \(limit)" }
        return " LIMIT \(limit) OFFSET \(bound(.integer(Int64(plan.offset))))"
    }

    // MARK: Tables

    /// A table in one arm of a query.
    struct Arm {
        let source: String
        /// The condition that a row has no unsaved changes.
        let isUnchanged: String?

        func query(_ columns: String, _ condition: String?) -> String {
            let terms = [condition, isUnchanged].compactMap(\.self)
            return "SELECT \(columns) FROM \(source)"
                + (terms.isEmpty ? "" : " WHERE " + terms.joined(separator: " AND "))
        }
    }

    func arms(of table: TableLayout, _ alias: String) -> [Arm] {
        guard pending.tables.contains(table.index) else {
            return [Arm(source: "\(table.quoted) AS \(alias)", isUnchanged: nil)]
        }
        return [
            Arm(
                source: "main.\(table.quoted) AS \(alias)",
                isUnchanged: "\(alias).\(Self.key) NOT IN "
                    + "(SELECT \(Self.key) FROM \(PendingName.changed(table)))"),
            Arm(source: "\(PendingName.rows(table)) AS \(alias)", isUnchanged: nil),
        ]
    }

    func arms(ofLink index: Int, _ alias: String) -> [Arm] {
        let link = plan.model.links[index]
        guard pending.links.contains(index) else {
            return [Arm(source: "\(link.quoted) AS \(alias)", isUnchanged: nil)]
        }
        return [
            Arm(
                source: "main.\(link.quoted) AS \(alias)",
                isUnchanged: "(\(alias).source, \(alias).target) NOT IN "
                    + "(SELECT source, target FROM \(PendingName.changed(link)))"),
            Arm(source: "\(PendingName.rows(link)) AS \(alias)", isUnchanged: nil),
        ]
    }

    /// Returns a query for the keys of deleted rows, to which saved references are null; `nil` if
    /// there are none.
    func deletedKeys(of entity: Int) -> String? {
        let table = plan.model.layouts[entity].table
        guard pending.deletions.contains(table.index) else { return nil }
        return "SELECT \(Self.key) FROM \(PendingName.deleted(table))"
    }

    /// Returns the parameter of a value.
    ///
    /// Parameters have numbers, as both arms have the same ones.
    mutating func bound(_ value: StoredValue) -> String {
        arguments.append(value)
        return "?\(arguments.count)"
    }
}

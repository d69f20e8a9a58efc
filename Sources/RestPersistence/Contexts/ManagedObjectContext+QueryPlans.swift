// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectContext {
    /// Returns SQLite's plan for a fetch request, one line for each step, indented by nesting.
    ///
    /// A step that begins with `SCAN` reads a whole table or index; one with `SEARCH` uses the index or
    /// key that it names. The plan depends on the tables with unsaved changes. The text is for
    /// developers; its form depends on the version of SQLite.
    ///
    /// - Throws: An error of ``fetch(_:)``.
    public func explainQueryPlan(_ request: FetchRequest) throws(PersistenceError) -> String {
        let plan = try FetchPlan(request, in: database)
        let explained = { (compiler: inout FetchCompiler) -> RowQuery in
            var query = compiler.rows()
            query.isExplained = true
            return query
        }
        return try read(plan, explained) { statement throws(PersistenceError) in
            var lines: [String] = []
            var depths: [Int64: Int] = [:]
            while try statement.step() {
                let depth = depths[statement.integer(1)].map { $0 + 1 } ?? 0
                depths[statement.integer(0)] = depth
                guard case .text(let detail) = statement.value(3) else { continue }
                lines.append(String(repeating: "  ", count: depth) + detail)
            }
            return lines.joined(separator: "\n")
        }
    }

    /// Returns the SQL of a fetch request, which depends on the tables with unsaved changes.
    package func sql(of request: FetchRequest) throws(PersistenceError) -> String {
        let plan = try FetchPlan(request, in: database)
        var compiler = FetchCompiler(plan, plan.scope(of: layered))
        return compiler.rows().sql
    }

    /// Returns the SQL that counts the objects of a fetch request.
    package func sqlForCounting(_ request: FetchRequest) throws(PersistenceError) -> String {
        let plan = try FetchPlan(request, in: database)
        var compiler = FetchCompiler(plan, plan.scope(of: layered))
        return compiler.count().sql
    }
}

// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectContext {
    /// Fetches objects of a class, considering unsaved changes.
    ///
    /// - Throws: ``PersistenceError`` with code `unknownEntity`, `unknownProperty` or
    ///   `invalidPredicate`, or an error of the database.
    public func fetch<Object: ManagedEntity>(
        _ type: Object.Type,
        where predicate: (FetchSubject<Object>) -> FetchPredicate = { _ in .all },
        orderBy orderings: [FetchOrdering] = [], limit: Int? = nil, offset: Int = 0
    ) throws(PersistenceError) -> [Object] {
        let request = FetchRequest(
            type, where: predicate, orderBy: orderings, limit: limit, offset: offset)
        return try fetch(request).compactMap { $0 as? Object }
    }

    /// Fetches objects of a class, ordered by one attribute.
    ///
    /// - Throws: An error of ``fetch(_:where:orderBy:limit:offset:)-(_,_,[FetchOrdering],_,_)``.
    public func fetch<Object: ManagedEntity>(
        _ type: Object.Type,
        where predicate: (FetchSubject<Object>) -> FetchPredicate = { _ in .all },
        orderBy path: any KeyPath<Object, some AttributeValue> & Sendable,
        limit: Int? = nil, offset: Int = 0
    ) throws(PersistenceError) -> [Object] {
        try fetch(
            type, where: predicate, orderBy: [FetchOrdering(path)], limit: limit, offset: offset)
    }

    /// Fetches the objects of a fetch request.
    ///
    /// - Throws: An error of ``fetch(_:where:orderBy:limit:offset:)-(_,_,[FetchOrdering],_,_)``.
    public func fetch(_ request: FetchRequest) throws(PersistenceError) -> [ManagedObject] {
        let plan = try FetchPlan(request, in: model)
        return try objects(foundRows(plan).map { ($0.key, $0.values) }, plan.layout)
    }

    /// Returns the number of objects of a fetch request, without creating the objects.
    ///
    /// - Throws: An error of ``fetch(_:where:orderBy:limit:offset:)-(_,_,[FetchOrdering],_,_)``.
    public func count(_ request: FetchRequest) throws(PersistenceError) -> Int {
        try foundRows(FetchPlan(request, in: model)).count
    }

    /// Fetches the IDs of the objects of a fetch request, without creating the objects.
    ///
    /// - Throws: An error of ``fetch(_:where:orderBy:limit:offset:)-(_,_,[FetchOrdering],_,_)``.
    public func fetchIDs(_ request: FetchRequest) throws(PersistenceError) -> [ManagedObjectID] {
        let plan = try FetchPlan(request, in: model)
        var ids: [ManagedObjectID] = []
        for row in try foundRows(plan) {
            let layout = try model.layout(ofRow: row.values, in: plan.layout)
            ids.append(ManagedObjectID(key: row.key, layout: layout, store: database.identity))
        }
        return ids
    }

    // MARK: Rows

    struct FoundRow {
        let key: Int64
        let values: [StoredValue]
    }

    /// Returns the rows of a fetch request, from the database and from unsaved changes.
    ///
    /// Without relevant changes, SQL evaluates the request. With changes to the entity itself, SQL
    /// evaluates the unchanged rows, and the changed ones are evaluated in memory. With changes to
    /// entities that the predicate traverses, all rows are evaluated in memory.
    private func foundRows(_ plan: FetchPlan) throws(PersistenceError) -> [FoundRow] {
        try throwFailure()
        takeCommits()
        let layout = plan.layout
        let pending = effectiveChanges(of: layout.table.index)
        let isRelatedChanged =
            plan.involved.contains { effectiveChanges(of: model.layouts[$0].table.index).count > 0 }
            || plan.involvedLinks.contains { !effectiveLinks(of: $0).isEmpty }
        if pending.count == 0, !isRelatedChanged {
            return try read(FetchCompiler(plan).query(), layout)
        }
        let query = FetchCompiler(plan).query(
            except: pending.keys, isFiltered: !isRelatedChanged)
        let unchanged = try read(query, layout).map { row in
            FoundRow(key: row.key, values: overlaid(row.values, row.key, layout))
        }
        var changed: [FoundRow] = []
        for (key, values) in try rows(pending.keys, layout) {
            let concrete = try model.layout(ofRow: values, in: layout)
            if layout.includes(concrete.index) {
                changed.append(FoundRow(key: key, values: values))
            }
        }
        let candidates = isRelatedChanged ? unchanged + changed : changed
        let evaluation = try FetchEvaluation(plan, candidates, in: self)
        let found =
            isRelatedChanged
            ? evaluation.matches(in: candidates) : unchanged + evaluation.matches(in: changed)
        let needed = isRelatedChanged ? evaluation : try FetchEvaluation(plan, found, in: self)
        let ordered = needed.ordered(found).dropFirst(plan.offset)
        return Array(plan.limit.map { ordered.prefix($0) } ?? ordered)
    }

    private func read(
        _ query: RowQuery, _ layout: EntityLayout
    ) throws(PersistenceError) -> [FoundRow] {
        var rows: [FoundRow] = []
        try read { database in
            try query.run(in: database, width: layout.width) { key, values in
                rows.append(FoundRow(key: key, values: values))
            }
        }
        return rows
    }
}

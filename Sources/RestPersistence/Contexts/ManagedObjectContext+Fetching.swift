// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectContext {
    /// Finds objects of a class, unsaved changes included.
    ///
    /// - Throws: ``PersistenceError``: `unknownEntity`, `unknownProperty`, `invalidPredicate`.
    public func fetch<Object: ManagedEntity>(
        _ type: Object.Type,
        where predicate: (FetchSubject<Object>) -> FetchPredicate = { _ in .all },
        orderBy orderings: [FetchOrdering] = [], limit: Int? = nil, offset: Int = 0
    ) throws(PersistenceError) -> [Object] {
        let request = FetchRequest(
            type, where: predicate, orderBy: orderings, limit: limit, offset: offset)
        return try fetch(request).compactMap { $0 as? Object }
    }

    /// Finds objects of a class in the order of one attribute.
    ///
    /// - Throws: As ``fetch(_:where:orderBy:limit:offset:)``.
    public func fetch<Object: ManagedEntity>(
        _ type: Object.Type,
        where predicate: (FetchSubject<Object>) -> FetchPredicate = { _ in .all },
        orderBy path: any KeyPath<Object, some AttributeValue> & Sendable,
        limit: Int? = nil, offset: Int = 0
    ) throws(PersistenceError) -> [Object] {
        try fetch(
            type, where: predicate, orderBy: [FetchOrdering(path)], limit: limit, offset: offset)
    }

    /// Finds what a request asks for.
    ///
    /// - Throws: As ``fetch(_:where:orderBy:limit:offset:)``.
    public func fetch(_ request: FetchRequest) throws(PersistenceError) -> [ManagedObject] {
        let plan = try FetchPlan(request, in: model)
        return try foundRows(plan).map { object($0.key, plan.layout, row: $0.values) }
    }

    /// Counts what a request asks for, without making objects.
    ///
    /// - Throws: As ``fetch(_:where:orderBy:limit:offset:)``.
    public func count(_ request: FetchRequest) throws(PersistenceError) -> Int {
        try foundRows(FetchPlan(request, in: model)).count
    }

    /// Finds the IDs of what a request asks for, without making objects.
    ///
    /// - Throws: As ``fetch(_:where:orderBy:limit:offset:)``.
    public func fetchIDs(_ request: FetchRequest) throws(PersistenceError) -> [ManagedObjectID] {
        let plan = try FetchPlan(request, in: model)
        return try foundRows(plan).map {
            ManagedObjectID(key: $0.key, layout: plan.layout, store: database.identity)
        }
    }

    // MARK: Rows

    struct FoundRow {
        let key: Int64
        let values: [StoredValue]
    }

    /// Rows of the database and unsaved changes as one list.
    ///
    /// Without changes that matter, SQL does it all. With changes to the entity itself, SQL finds
    /// among the unchanged rows and the changed ones are evaluated here. With changes to entities that
    /// the predicate looks at through relationships, every row is evaluated here.
    private func foundRows(_ plan: FetchPlan) throws(PersistenceError) -> [FoundRow] {
        try throwFailure()
        let layout = plan.layout
        let pending = changes.entities[layout.index]
        let isRelatedChanged =
            plan.involved.contains { !changes.entities[$0].isEmpty }
            || plan.involvedLinks.contains { !changes.links[$0].isEmpty }
        if pending.isEmpty, !isRelatedChanged {
            return try read(FetchCompiler(plan).query(), layout)
        }
        let query = FetchCompiler(plan).query(
            except: pending.keys, isFiltered: !isRelatedChanged)
        let unchanged = try read(query, layout).map { row in
            FoundRow(key: row.key, values: overlaid(row.values, row.key, layout))
        }
        let changed = try rows(pending.keys, layout).map { FoundRow(key: $0, values: $1) }
        let candidates = isRelatedChanged ? unchanged + changed : changed
        let evaluation = try FetchEvaluation(plan, candidates, in: self)
        let found =
            isRelatedChanged
            ? evaluation.found(in: candidates) : unchanged + evaluation.found(in: changed)
        let needed = isRelatedChanged ? evaluation : try FetchEvaluation(plan, found, in: self)
        let ordered = needed.ordered(found).dropFirst(plan.offset)
        return Array(plan.limit.map { ordered.prefix($0) } ?? ordered)
    }

    private func read(
        _ query: RowQuery, _ layout: EntityLayout
    ) throws(PersistenceError) -> [FoundRow] {
        var rows: [FoundRow] = []
        try database.read { database in
            try query.run(in: database, width: layout.width) { key, values in
                rows.append(FoundRow(key: key, values: values))
            }
        }
        return rows
    }
}

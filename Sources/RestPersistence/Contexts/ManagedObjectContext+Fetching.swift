// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectContext {
    /// Fetches objects of a class, considering unsaved changes.
    ///
    /// ```swift
    /// let airports = try context.fetch(
    ///     Airport.self, where: { $0.city.name == "Oslo" && $0.terminals.any { $0.number > 2 } },
    ///     orderBy: [.descending(\.passengers)], limit: 20)
    /// ```
    ///
    /// - Throws: ``PersistenceError`` with code `unknownEntity`, `unknownProperty` or
    ///   `invalidPredicate`, or an error of the database.
    @inlinable
    public func fetch<Object: ManagedEntity>(
        _ type: Object.Type,
        where predicate: (FetchSubject<Object>) -> FetchPredicate = { _ in .all },
        orderBy orderings: [FetchOrdering<Object>] = [], limit: Int? = nil, offset: Int = 0
    ) throws(PersistenceError) -> [Object] {
        let request = FetchRequest(
            type, where: predicate, orderBy: orderings, limit: limit, offset: offset)
        let objects = try fetch(request)
        var typed: [Object] = []
        typed.reserveCapacity(objects.count)
        for case let object as Object in objects { typed.append(object) }
        return typed
    }

    /// Fetches objects of a class, ordered by one attribute.
    ///
    /// - Throws: An error of ``fetch(_:where:orderBy:limit:offset:)-(_,_,[FetchOrdering<Object>],_,_)``.
    public func fetch<Object: ManagedEntity>(
        _ type: Object.Type,
        where predicate: (FetchSubject<Object>) -> FetchPredicate = { _ in .all },
        orderBy path: any KeyPath<Object, some AttributeValue> & Sendable,
        limit: Int? = nil, offset: Int = 0
    ) throws(PersistenceError) -> [Object] {
        try fetch(
            type, where: predicate, orderBy: [.ascending(path)], limit: limit, offset: offset)
    }

    /// Fetches the first object of a class; `nil` if there is none.
    ///
    /// - Throws: An error of ``fetch(_:where:orderBy:limit:offset:)-(_,_,[FetchOrdering<Object>],_,_)``.
    public func first<Object: ManagedEntity>(
        _ type: Object.Type,
        where predicate: (FetchSubject<Object>) -> FetchPredicate = { _ in .all },
        orderBy orderings: [FetchOrdering<Object>] = []
    ) throws(PersistenceError) -> Object? {
        try fetch(type, where: predicate, orderBy: orderings, limit: 1).first
    }

    /// Fetches the objects of a fetch request.
    ///
    /// - Throws: An error of ``fetch(_:where:orderBy:limit:offset:)-(_,_,[FetchOrdering<Object>],_,_)``.
    public func fetch(_ request: FetchRequest) throws(PersistenceError) -> [ManagedObject] {
        try fetch(FetchPlan(request, in: database), prefetching: request.prefetchedPaths)
    }

    /// Fetches the objects of a plan, and those at the paths of relationships.
    ///
    /// - Throws: An error of ``fetch(_:)``.
    func fetch(
        _ plan: FetchPlan, prefetching paths: [String]
    ) throws(PersistenceError) -> [ManagedObject] {
        let rows = try fetchedRows(plan)
        let objects: [ManagedObject]
        if !plan.includesPendingChanges {
            // Saved rows lack the unsaved values of their objects.
            let existing = rows.filter {
                !layered.layers.isDeleted($0.key, plan.layout.table.index)
            }
            objects = try self.objects(
                existing.lazy.map { row in
                    let values = self.layered.overlaid(Array(row.values), row.key, plan.layout)
                    return (row.key, RowValues(values))
                }, plan.layout)
        } else if layered.layers.hasUnstorableValues {
            objects = try self.objects(
                rows.lazy.map { row in
                    let values = self.layered.overlaid(Array(row.values), row.key, plan.layout)
                    return (row.key, RowValues(values))
                }, plan.layout)
        } else if layered.layers.hasPendingDeletions {
            // The query reads the deletions of the tables of its predicate only.
            objects = try self.objects(
                rows.lazy.map { row in
                    var values = row.values
                    self.layered.clearReferencesToDeleted(in: &values, plan.layout)
                    return (row.key, values)
                }, plan.layout)
        } else {
            objects = try self.objects(rows, plan.layout)
        }
        for path in paths { try prefetch(path, of: objects) }
        return objects
    }

    /// Fetches the rows of a fetch request as values, without creating the objects; for contexts without
    /// unsaved changes.
    ///
    /// - Throws: An error of ``fetch(_:where:orderBy:limit:offset:)-(_,_,[FetchOrdering<Object>],_,_)``.
    func fetchValues<Values: ManagedValues>(
        _ request: FetchRequest, as type: Values.Type
    ) throws(PersistenceError) -> [Values] {
        let plan = try FetchPlan(request, in: database)
        let hasInverses = plan.layout.subentities.contains {
            !model.layouts[$0].inverseRelationships.isEmpty
        }
        // The destinations of relationships without a column are read for many objects at once.
        if hasInverses { return try fetch(request).map { Values(managedRow: ManagedRow($0)) } }
        let rows = try fetchedRows(plan)
        var source = ManagedRow.Source(plan.layout, in: model, store: database.identity)
        var values: [Values] = []
        values.reserveCapacity(rows.count)
        for (key, columns) in rows {
            let layout = try model.layout(ofRow: columns, in: plan.layout)
            if layout !== source.layout { source = source.replacing(layout) }
            values.append(Values(managedRow: ManagedRow(key, columns: columns, of: source)))
        }
        return values
    }

    /// Fetches the IDs of the objects of a fetch request, without creating the objects.
    ///
    /// - Throws: An error of ``fetch(_:where:orderBy:limit:offset:)-(_,_,[FetchOrdering<Object>],_,_)``.
    public func fetchIDs(_ request: FetchRequest) throws(PersistenceError) -> [ManagedObjectID] {
        try errors.throwReadingErrors()
        takeCommits()
        return try layered.fetchIDs(request)
    }

    /// Returns the number of objects of a class.
    ///
    /// - Throws: An error of ``fetch(_:where:orderBy:limit:offset:)-(_,_,[FetchOrdering<Object>],_,_)``.
    public func count<Object: ManagedEntity>(
        _ type: Object.Type,
        where predicate: (FetchSubject<Object>) -> FetchPredicate = { _ in .all }
    ) throws(PersistenceError) -> Int {
        try count(FetchRequest(type, where: predicate))
    }

    /// Returns the number of objects of a fetch request, without creating the objects.
    ///
    /// - Throws: An error of ``fetch(_:where:orderBy:limit:offset:)-(_,_,[FetchOrdering<Object>],_,_)``.
    public func count(_ request: FetchRequest) throws(PersistenceError) -> Int {
        try read(FetchPlan(request, in: database), { $0.count() }) {
            statement throws(PersistenceError) in
            try statement.step() ? Int(statement.integer(0)) : 0
        }
    }

    // MARK: Rows

    private func fetchedRows(
        _ plan: FetchPlan
    ) throws(PersistenceError) -> FetchedRows {
        let width = plan.layout.width
        return try read(plan, { $0.rows() }) { statement throws(PersistenceError) in
            var rows = FetchedRows(width: width)
            try rows.append(statement)
            return rows
        }
    }

    /// Takes commits, and calls a closure with the query of a plan; see ``LayeredRows/read(_:_:_:)``.
    func read<Result>(
        _ plan: FetchPlan, _ query: (inout FetchCompiler) -> RowQuery,
        _ body: (borrowing PreparedStatement) throws(PersistenceError) -> Result
    ) throws(PersistenceError) -> Result {
        try errors.throwReadingErrors()
        takeCommits()
        return try layered.read(plan, query, body)
    }
}

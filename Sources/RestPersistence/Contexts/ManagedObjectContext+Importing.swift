// SPDX-License-Identifier: Apache-2.0

public import RestDocument
public import RestMapping

extension ManagedObjectContext {
    /// Imports objects from a representation into this context.
    ///
    /// Objects are found by their identity or inserted, updated from the representation, and
    /// connected. Changes are not saved.
    ///
    /// In ``ManagedObjectStore/write(_:)``, no other connection can insert one of them before the save;
    /// otherwise, saving merges new objects with those that others have inserted meanwhile. To import and save
    /// a single representation, use ``ManagedObjectStore/importObjects(from:by:in:)``.
    ///
    /// One query for each entity finds all existing objects. Representations with the same identity
    /// are one object. A relationship in a representation has exactly the given destinations
    /// afterwards; a relationship that the representation does not contain is unchanged. An object
    /// without identity is inserted, and an issue is reported. A new object without a required value
    /// is an error; if the policy drops invalid objects, new objects that could not be saved after
    /// all relationships have been set are dropped with issues instead. The ``EntityRules``
    /// of the mapping then connect objects and delete others.
    ///
    /// - Parameters:
    ///   - node: A list of objects, a single object, or null for none.
    ///   - plan: The compiled mapping.
    ///   - environment: The metadata and the observer. The observer receives the values of
    ///     attributes as they are stored, and the number of destinations of a relationship; a
    ///     ``ConnectionObserver`` also receives connections.
    /// - Returns: The IDs in document order, counts and issues.
    /// - Throws: `MappingError` if the policy ends the import; ``PersistenceError`` with code
    ///   `invalidObject`, or for the database; `CancellationError`. The context is then unchanged.
    public func importObjects(
        from node: Node, by plan: EntityMappingPlan, in environment: MappingEnvironment? = nil
    ) throws -> ImportResult {
        try errors.throwFailure()
        var report = MappingReport()
        let batch = try ImportBatch(of: node, by: plan, in: environment, report: &report)
        let placement = ImportPlacement(
            batch, of: node, at: (environment ?? MappingEnvironment()).location, in: layered)
        var parts = ContextImport([placement], [report], ImportOptions(), in: self)
        return try parts.run()[0]
    }

    /// Imports objects from a representation that has been mapped.
    ///
    /// - Throws: An error of ``importObjects(from:by:in:)`` other than `MappingError`.
    package func importObjects(
        _ mapped: MappedRepresentation, _ options: ImportOptions = ImportOptions()
    ) throws -> ImportResult {
        try importObjects([mapped], options)[0]
    }

    /// Imports objects from representations of one document that have been mapped.
    ///
    /// All objects are placed before connections are made and deletion predicates are applied, so that
    /// these do not depend on the order of the representations.
    ///
    /// - Returns: The result of each representation.
    /// - Throws: An error of ``importObjects(from:by:in:)`` other than `MappingError`. The context is then
    ///   unchanged.
    package func importObjects(
        _ representations: [MappedRepresentation], _ options: ImportOptions
    ) throws -> [ImportResult] {
        try errors.throwFailure()
        let placements = representations.map { mapped in
            guard let batch = mapped.takeBatch() else {
                preconditionFailure("a mapped representation can be imported once")
            }
            return ImportPlacement(
                batch, of: mapped.node, at: mapped.location, in: layered)
        }
        var parts = ContextImport(placements, representations.map(\.report), options, in: self)
        return try parts.run()
    }

    /// Connects the objects of an import, by entity and without unmodified ones.
    ///
    /// - Returns: The number of destinations of each entity's objects.
    /// - Throws: ``PersistenceError``; `CancellationError` between two connections.
    func connect(_ keys: [[Int64]], by plan: EntityMappingPlan) throws -> [Int] {
        try changingRows {
            var counts = Array(repeating: 0, count: keys.count)
            for connected in try layered.connect(keys, by: plan) {
                counts[connected.layout.index] += connected.count
            }
            return counts
        }
    }

    /// Deletes all objects that match the deletion predicates of the mapping's entities.
    ///
    /// - Returns: The number of deleted objects by entity.
    /// - Throws: ``PersistenceError`` if a predicate is invalid, or of the database.
    func deleteMatches(of plan: EntityMappingPlan) throws -> [Int] {
        try changingRows { try layered.deleteMatches(of: plan) }
    }

    /// Calls a closure that changes rows, and tells the objects.
    private func changingRows<Result>(_ body: () throws -> Result) throws -> Result {
        try errors.throwReadingErrors()
        let version = layered.changesVersion
        defer { takeChanges(since: version) }
        return try body()
    }
}

/// The import of representations of one document into a context, whose objects and observers it tells.
private struct ContextImport {
    private let context: ManagedObjectContext
    private var imports: [RepresentationImport]
    private let fence: WriteFence?
    /// The changes that the objects of the context have.
    private let cursor: ObjectCursor

    init(
        _ placements: [ImportPlacement], _ reports: [MappingReport], _ options: ImportOptions,
        in context: ManagedObjectContext
    ) {
        self.context = context
        imports = zip(placements, reports).map { RepresentationImport($0, $1, options) }
        fence = options.fence
        cursor = ObjectCursor(context)
    }

    /// Imports the representations, each step for all of them.
    ///
    /// - Throws: An error of ``ManagedObjectContext/importObjects(from:by:in:)`` other than `MappingError`.
    ///   The context is then unchanged.
    mutating func run() throws -> [ImportResult] {
        let before = context.layered.layers.top
        do {
            for index in imports.indices { try imports[index].place() }
            for part in imports { try observe(part.connect(), part.placement.batch) }
            let isHeldBack = fence.map { context.layered.holdBack($0, since: before) } ?? false
            var isRestored = isHeldBack
            let rules = ImportedObjectRules(cursor)
            for index in imports.indices {
                if try imports[index].discardInvalid(rules) { isRestored = true }
            }
            for part in imports { try part.deleteMatches() }
            cursor.takeChanges()
            // Objects may have taken values that are no changes any more.
            if isRestored { context.refreshAllObjects() }
            return try imports.map { part in
                var result = try part.result()
                if isHeldBack { result.isHeldBack = true }
                return result
            }
        } catch {
            context.replaceTop(before)
            throw error
        }
    }

    /// Calls the observer of an import with its connections.
    private func observe(_ connected: [ConnectedRows], _ batch: ImportBatch) throws {
        guard let observer = batch.connectionObserver, !connected.isEmpty else { return }
        cursor.takeChanges()
        for rows in connected {
            let model = context.model
            let destination = model.layouts[rows.connection.relationship.destination]
            let sources = try context.loadObjects(rows.destinations.map(\.source), rows.layout)
            let found = Set(rows.destinations.lazy.flatMap(\.found))
            let objects = try context.loadObjects(Array(found), destination)
            for (source, found) in rows.destinations {
                guard let source = sources[source] else { continue }
                observer.observe(
                    rows.connection.description, of: source,
                    destinations: found.compactMap { objects[$0] })
            }
        }
    }
}

/// The changes of an import that the objects of a context have taken.
private final class ObjectCursor {
    let context: ManagedObjectContext
    private var version: Int

    init(_ context: ManagedObjectContext) {
        self.context = context
        version = context.layered.changesVersion
    }

    /// Applies the changes since the last time to the objects.
    func takeChanges() {
        context.takeChanges(since: version)
        version = context.layered.changesVersion
    }
}

/// The rules of the objects of a context during an import, whose changes the objects take before they are checked.
private struct ImportedObjectRules: ObjectRules {
    private let cursor: ObjectCursor
    private let rules: ContextRules

    init(_ cursor: ObjectCursor) {
        self.cursor = cursor
        rules = ContextRules(of: cursor.context)
    }

    func areDeclared(for table: TableLayout) -> Bool { rules.areDeclared(for: table) }

    func errors(
        of keys: Set<Int64>, _ table: TableLayout, _ state: RowState
    ) throws(PersistenceError) -> [ValidationError] {
        cursor.takeChanges()
        return try rules.errors(of: keys, table, state)
    }
}

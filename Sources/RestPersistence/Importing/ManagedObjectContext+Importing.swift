// SPDX-License-Identifier: Apache-2.0

public import RestDocument
public import RestMapping

/// The result of an import.
public struct ImportResult: Sendable {
    /// The IDs of the imported objects in document order.
    ///
    /// An object that occurs twice has two entries.
    public internal(set) var objectIDs: [ManagedObjectID] = []
    /// The numbers of affected objects by the name of the entity; entities without one are absent.
    public internal(set) var entities: [String: ImportCounts] = [:]
    /// The mapping report.
    public internal(set) var report = MappingReport()
    /// The rows that the transaction wrote, including those of join tables; of no rows for an import
    /// into a context, whose save returns them.
    public internal(set) var changes = SaveReport()
    /// The keys of the objects that the representation contains, if they were asked for.
    package internal(set) var containedKeys: Set<Int64> = []
    /// The names of the entities of which the representation may have objects that were not identified.
    package internal(set) var uncertainEntities: Set<String> = []
    /// A Boolean value that indicates whether the import has left out values or objects of the
    /// representation, because of ``ImportOptions/fence``.
    package internal(set) var isHeldBack = false
    /// The greatest number of objects around an object of the representation.
    package internal(set) var nestingDepth = 0
    /// The keys of the objects that wait for their connections, by the index of the entity.
    var connectedKeys: [[Int64]] = []

    /// The IDs of the objects by the location of their representations, if they were asked for.
    package internal(set) var locations: ImportedLocations = [:]

    /// The numbers of affected objects of all entities.
    public var total: ImportCounts {
        entities.values.reduce(into: ImportCounts()) { $0.add($1) }
    }
}

/// The numbers of objects of an entity that an import affected, including related objects.
///
/// An object is counted for the entity of its mapping.
public struct ImportCounts: Sendable, Hashable {
    /// The number of inserted objects.
    public internal(set) var inserted = 0
    /// The number of existing objects of which a value changed, apart from relationships with a join
    /// table.
    public internal(set) var updated = 0
    /// The number of existing objects that already had all values.
    public internal(set) var unchanged = 0
    /// The number of destinations that references and connections found, by the entity that refers to
    /// them.
    public internal(set) var connected = 0
    /// The number of references that wait for their destination; see ``PendingReference``.
    ///
    /// The mapping report has the paths of the first ones.
    public internal(set) var pending = 0
    /// The number of objects that were left out because they are invalid, each of which has an issue, or
    /// because the delete rule of an invalid object includes them.
    public internal(set) var discarded = 0
    /// The number of objects that were deleted by deletion predicates, or because the document
    /// replaced them.
    public package(set) var deleted = 0
    /// The number of objects to which their representations did nothing, because of the ``ImportMode``:
    /// existing ones if objects are only inserted, those that do not exist if they are only updated, and if
    /// they are only deleted, those that do not exist or are inside of others.
    public internal(set) var leftOut = 0

    /// The number of existing objects that were found by identity.
    public var found: Int { updated + unchanged }

    /// Creates counts of zero.
    public init() {}

    /// Adds the numbers of another import.
    package mutating func add(_ other: ImportCounts) {
        inserted += other.inserted
        updated += other.updated
        unchanged += other.unchanged
        connected += other.connected
        pending += other.pending
        discarded += other.discarded
        deleted += other.deleted
        leftOut += other.leftOut
    }
}

/// The part of an import that a request decides.
package struct ImportOptions: Sendable {
    /// The object that a single representation is of, whatever its identity; `nil` to find it.
    package var target: ManagedObjectID?
    /// A Boolean value that indicates whether a representation of another entity than the target's is
    /// an error; otherwise it is another object.
    package var requiresTarget = false
    /// A Boolean value that indicates whether the target was new when the request was sent.
    package var sendsNewTarget = false
    /// A Boolean value that indicates whether to collect ``ImportResult/containedKeys``.
    package var collectsContainedKeys = false
    /// A Boolean value that indicates whether relationships that representations do not contain have no
    /// destinations for ``ImportResult/containedKeys`` and ``ImportResult/uncertainEntities``.
    package var treatsAbsentAsEmpty = false
    /// A Boolean value that indicates whether the caller makes connections, and then applies deletion
    /// predicates, after further imports; see ``ImportResult/connectedKeys``.
    var defersConnections = false
    /// The properties and objects that the import may not change, because they were written since the request
    /// was sent; `nil` for none.
    package var fence: WriteFence?
    /// A Boolean value that indicates whether SQLite finds and compares the stored rows, instead of passing
    /// them to the import; the result is the same.
    package var comparesInSQLite = true

    package init() {}
}

extension ManagedObjectContext {
    /// Imports objects from a representation into this context.
    ///
    /// Objects are found by their identity or inserted, updated from the representation, and
    /// connected. Changes are not saved.
    ///
    /// In ``ManagedObjectStore/write(_:)``, no other connection can insert one of them before the save;
    /// otherwise, saving merges new objects with those that others have inserted meanwhile. To import and save a single representation, use
    /// ``ManagedObjectStore/importObjects(from:by:in:)``.
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
            batch, of: node, at: (environment ?? MappingEnvironment()).location,
            defersConnections: false, in: self)
        return try run([placement], [report], ImportOptions())[0]
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
                batch, of: mapped.node, at: mapped.location,
                defersConnections: options.defersConnections, in: self)
        }
        return try run(placements, representations.map(\.report), options)
    }

    private func run(
        _ placements: [ImportPlacement], _ reports: [MappingReport], _ options: ImportOptions
    ) throws -> [ImportResult] {
        var placements = placements
        let before = layers.top
        do {
            for index in placements.indices { try placements[index].place(options, reports[index]) }
            for index in placements.indices { try placements[index].connect() }
            let isHeldBack = options.fence.map { holdBack($0, since: before) } ?? false
            for index in placements.indices { try placements[index].discardInvalid() }
            for index in placements.indices {
                try placements[index].deleteMatches(except: options.fence)
            }
            var results = try placements.indices.map {
                try result(of: &placements[$0], reports[$0], options)
            }
            if isHeldBack {
                for index in results.indices { results[index].isHeldBack = true }
            }
            return results
        } catch {
            replaceTop(before)
            throw error
        }
    }

    private func result(
        of placement: inout ImportPlacement, _ report: MappingReport, _ options: ImportOptions
    ) throws -> ImportResult {
        var result = ImportResult()
        result.report = report
        let batch = placement.batch
        if batch.locatesObjects {
            // Mapping the plain objects reports their issues.
            result.report = report.restricted(
                toMappings: batch.plan.plan.entityNames,
                droppedObjectCount: batch.entities.reduce(0) {
                    $0 + $1.isDropped.all.count(where: \.self)
                })
        }
        placement.finish(into: &result)
        result.nestingDepth = batch.nestingDepth
        result.isHeldBack = placement.isHeldBack
        result.uncertainEntities = placement.uncertainEntities(
            absentIsEmpty: options.treatsAbsentAsEmpty)
        if options.collectsContainedKeys {
            result.containedKeys = try placement.containedKeys(
                absentIsEmpty: options.treatsAbsentAsEmpty)
        }
        if options.defersConnections { result.connectedKeys = placement.connectedKeys }
        return result
    }
}

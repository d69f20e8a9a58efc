// SPDX-License-Identifier: Apache-2.0

public import RestDocument
public import RestMapping

/// The result of an import.
public struct ImportResult: Sendable {
    /// The IDs of the imported objects in document order.
    ///
    /// An object that occurs twice has two entries.
    public internal(set) var objectIDs: [ManagedObjectID] = []
    /// The number of objects that were found by identity, including related objects.
    public internal(set) var foundCount = 0
    /// The number of inserted objects, including related objects.
    public internal(set) var insertedCount = 0
    /// The number of objects that were deleted by the deletion predicates of the rules.
    public internal(set) var deletedCount = 0
    /// The mapping report.
    public internal(set) var report = MappingReport()
}

extension ManagedObjectContext {
    /// Imports objects from a representation into this context.
    ///
    /// Objects are found by their identity or inserted, updated from the representation, and
    /// connected. Changes are not saved.
    ///
    /// One query for each entity finds all existing objects. Representations with the same identity
    /// are one object. A relationship in a representation has exactly the given destinations
    /// afterwards; a relationship that the representation does not contain is unchanged. An object
    /// without identity is inserted, and an issue is reported. A new object without a required value
    /// is an error, or is dropped with an issue if the policy drops invalid objects. The ``EntityRules``
    /// of the mapping then connect objects and delete others.
    ///
    /// - Parameters:
    ///   - node: A list of objects, a single object, or null for none.
    ///   - plan: The compiled mapping.
    ///   - environment: The metadata and the observer. The observer receives the values of
    ///     attributes as they are stored, and the number of destinations of a relationship.
    /// - Returns: The IDs in document order, counts and issues.
    /// - Throws: `MappingError` if the policy ends the import; ``PersistenceError`` with code
    ///   `invalidObject`, or for the database. The context is then unchanged.
    public func importObjects(
        from node: Node, by plan: EntityMappingPlan, in environment: MappingEnvironment? = nil
    ) throws -> ImportResult {
        try throwFailure()
        var result = ImportResult()
        let batch = ImportBatch(plan, isWatched: environment?.observer != nil)
        try plan.plan.run(node, in: environment, report: &result.report) {
            source throws(MappingFailure) in
            try batch.mapRoots(source)
        }
        let before = top
        do throws(PersistenceError) {
            var placement = ImportPlacement(
                batch, of: node, at: environment?.collectedAt, in: self)
            try placement.run()
            placement.finish(into: &result)
        } catch {
            replaceTop(before)
            throw error
        }
        return result
    }
}

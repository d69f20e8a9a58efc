// SPDX-License-Identifier: Apache-2.0

public import RestDocument
public import RestMapping

/// What an import made of a document.
public struct ImportResult: Sendable {
    /// Objects of the document's elements, in its order; an object that occurs twice is here twice.
    public internal(set) var objectIDs: [ManagedObjectID] = []
    /// Objects that were found by their identity, related ones included.
    public internal(set) var foundCount = 0
    /// Objects that were inserted, related ones included.
    public internal(set) var insertedCount = 0
    /// Problems, and how many objects were mapped.
    public internal(set) var report = MappingReport()
}

extension ManagedObjectContext {
    /// Maps a document's value into objects of this context.
    ///
    /// Finds or inserts them by identity, changes what the document has, and connects them. Nothing
    /// is saved.
    ///
    /// One query for each entity finds the objects, whatever their number. An identity that occurs
    /// several times is one object. A relationship that the document has leads to what it names
    /// afterwards, and nowhere else; one that it does not have stays. An object without identity is
    /// inserted, with an issue. New objects lacking a required value are an error, or are left out
    /// with an issue if the policy drops invalid objects.
    ///
    /// - Parameters:
    ///   - node: A list of objects, one object, or null for none.
    ///   - plan: The compiled mapping.
    ///   - environment: Metadata and an observer, if there are any. The observer is told of the
    ///     values of attributes as columns hold them; of a relationship that it was assigned, and
    ///     how many objects to, as these are found afterwards.
    /// - Returns: IDs in document order, counts, issues.
    /// - Throws: `MappingError` when the policy ends the run; ``PersistenceError`` with code
    ///   `invalidObject` or for the database. The context is then as before.
    public func importObjects(
        from node: Node, by plan: EntityMappingPlan, in environment: MappingEnvironment? = nil
    ) throws -> ImportResult {
        try throwFailure()
        var result = ImportResult()
        let batch = ImportBatch(plan, isWatched: environment?.observer != nil)
        try plan.plan.run(node, in: environment, report: &result.report) {
            source throws(MappingFailure) in
            try batch.rows(of: source, nil, property: nil) { batch.roots.append($0) }
        }
        let before = changes
        do throws(PersistenceError) {
            var placement = ImportPlacement(
                batch, of: node, at: environment?.collectedAt, in: self)
            try placement.run()
            placement.finish(into: &result)
        } catch {
            changes = before
            refreshAll()
            throw error
        }
        return result
    }
}

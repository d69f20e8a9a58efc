// SPDX-License-Identifier: Apache-2.0

public import RestDocument
public import RestMapping

extension ManagedObjectStore {
    /// Imports objects from a representation in one transaction, such as a document that the server
    /// pushed.
    ///
    /// ```swift
    /// let plan = try EntityMappingPlan(EntityMapping(Airport.self), in: store.model)
    /// for try await message in messages {
    ///     let document = try Document(parsing: message)
    ///     let result = try await store.importObjects(from: document.root, by: plan)
    ///     log(result.report, result.changes)
    /// }
    /// ```
    ///
    /// The representation is mapped outside of the caller's isolation, beside the transactions of
    /// other imports. Then one transaction finds or creates the objects and saves them, as
    /// ``ManagedObjectContext/importObjects(from:by:in:)`` describes. Imports of the same objects, of
    /// this process or of others, therefore create no duplicates, and of each property the value of
    /// the last import is kept. A representation that changes nothing writes nothing.
    ///
    /// - Parameters:
    ///   - node: A list of objects, a single object, or null for none.
    ///   - plan: The compiled mapping.
    ///   - environment: The metadata and the observer, which is called outside of the caller's
    ///     isolation.
    /// - Returns: The IDs in document order, counts, issues, and the saved changes.
    /// - Throws: `MappingError` if the policy ends the import; ``PersistenceError`` with code
    ///   `invalidObject`, or for the database; `CancellationError`. The store is then unchanged.
    @concurrent
    @discardableResult
    public func importObjects(
        from node: Node, by plan: EntityMappingPlan,
        in environment: sending MappingEnvironment? = nil
    ) async throws -> ImportResult {
        // The content at the start of the call, which a reset may replace while the node is mapped.
        let content = content
        let mapped = try MappedRepresentation(node, by: plan, in: environment)
        return try await content.write { context in
            var result = try context.importObjects(mapped)
            result.changes = try context.save()
            return result
        }
    }
}

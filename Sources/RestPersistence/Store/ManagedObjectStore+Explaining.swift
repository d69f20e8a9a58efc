// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectStore {
    /// Returns the responses and local changes that gave a row its present values.
    ///
    /// ```swift
    /// let configuration = StoreConfiguration(explainedEntities: ["Airport"])
    /// let explanation = try await store.explain(airport.objectID)
    /// print(explanation?.write(of: "name")?.response?.url ?? "a local change")
    /// ```
    ///
    /// An object that was imported without being saved has the response as the origin of the
    /// properties that the response set, also if they were changed again before the save.
    ///
    /// - Parameter id: The ID of the object.
    /// - Returns: The writes; `nil` if none is recorded, because the entity is not one of
    ///   ``StoreConfiguration/explainedEntities``, the row was last written before that, or it does not
    ///   exist.
    /// - Throws: ``PersistenceError`` of the database, or `CancellationError`.
    public func explain(_ id: ManagedObjectID) async throws -> RowExplanation? {
        let database = database
        guard database.explainedEntities.contains(id.layout.index) else { return nil }
        return try await database.readSnapshot { connection in
            try ExplanationTable(database: connection).explanation(of: id)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectStore {
    /// Returns the references of the objects of a class to objects that do not exist.
    ///
    /// See ``ManagedObjectContext/pendingReferences(of:)``.
    ///
    /// - Throws: ``PersistenceError`` if the model has no such entity, or for the database;
    ///   `CancellationError`.
    public func pendingReferences<Object: ManagedEntity>(
        of type: Object.Type
    ) async throws -> [PendingReference] {
        try await read { context in try context.pendingReferences(of: type) }
    }
}

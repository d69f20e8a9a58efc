// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension ManagedObjectStore {
    /// Returns the plan by which the file of the store would be migrated to a model.
    ///
    /// Nothing is changed. Print the plan to review a migration before its release.
    ///
    /// - Throws: ``PersistenceError`` if the file cannot be read.
    /// - Complexity: O(*n*) in the number of objects whose values are checked.
    public func migrationPlan(
        to model: ManagedObjectModel, _ migration: StoreMigration = .automatic
    ) async throws(PersistenceError) -> MigrationPlan {
        try await Self.migrationPlan(forFileAt: url, to: model, migration)
    }

    /// Returns the plan by which a file would be migrated to a model.
    ///
    /// - Throws: ``PersistenceError`` with code `cannotOpen` if there is no file, or an error of
    ///   ``init(at:model:configuration:)`` if it is not that of a store.
    public static func migrationPlan(
        forFileAt url: URL, to model: ManagedObjectModel, _ migration: StoreMigration = .automatic
    ) async throws(PersistenceError) -> MigrationPlan {
        let path = try PrivateFile.path(of: url)
        let opening = StoreOpening(
            path: path, model: model,
            configuration: StoreConfiguration(isReadOnly: true, migration: migration))
        return try await BlockingWork.run { () throws(PersistenceError) in
            do {
                return try opening.file.migrationPlan()
            } catch {
                throw PersistenceError(wrapping: error, at: path)
            }
        }
    }
}

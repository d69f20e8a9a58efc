// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectStore {
    /// Creates the full-text index anew, as after a change of a closure of ``SearchConfiguration``.
    ///
    /// - Throws: ``PersistenceError`` with code `readOnly`, `busy` or `storageFull`.
    /// - Complexity: O(*n*) in the number of words.
    public func rebuildSearchIndex() async throws(PersistenceError) {
        let (database, model) = (database, model)
        try await BlockingWork.run { () throws(PersistenceError) in
            try database.write { try SearchIndex(model: model, database: $0).rebuild() }
        }
    }
}

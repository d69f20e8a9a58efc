// SPDX-License-Identifier: Apache-2.0

/// The keys of a store's rows by the IDs of objects.
package protocol StoredKeys: Sendable {
    /// Returns the key of the row that an ID denotes; `nil` if the ID is of another store.
    func key(of id: ManagedObjectID) -> Int64?
}

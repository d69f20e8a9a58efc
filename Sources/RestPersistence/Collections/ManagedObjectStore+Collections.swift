// SPDX-License-Identifier: Apache-2.0

public import Foundation
import GRDB

extension ManagedObjectStore {
    /// Returns the collections that requests have fetched into this store, the one that the server
    /// has sent or confirmed longest ago first.
    ///
    /// - Throws: ``PersistenceError`` of the database, or `CancellationError`.
    /// - Complexity: O(*n*) in the number of members of all collections.
    public func collections() async throws -> [StoredCollection] {
        try await database.readSnapshot { [database] connection in
            try CollectionReader.collections(in: connection, database)
        }
    }

    /// Removes the collections that the server has neither sent nor confirmed since a time, with the
    /// objects that no other collection has and to which no object that stays refers.
    ///
    /// Objects with unsaved changes in a context stay, and so do those to which unsaved changes refer.
    /// Collections whose objects lose related objects by it have no validators any more, so that the next
    /// response restores them.
    ///
    /// ```swift
    /// try await store.evictCollections(confirmedBefore: .now.addingTimeInterval(-30 * 86_400))
    /// ```
    ///
    /// - Parameter date: The time, with which ``StoredCollection/confirmedAt`` is compared.
    /// - Returns: The number of deleted objects, without those that delete rules delete.
    /// - Throws: ``PersistenceError`` of saving; the store is then unchanged.
    /// - Complexity: O(*n*) in the number of members of the removed collections, in one transaction.
    @discardableResult
    public func evictCollections(confirmedBefore date: Date) async throws -> Int {
        try await write { try $0.remove(.confirmedBefore(date)) }
    }

    /// Removes the collections that the server has sent or confirmed longest ago, with the objects
    /// that no other collection has and to which no object that stays refers, until the content of the
    /// database has a size.
    ///
    /// The file does not shrink; its free pages are used again.
    ///
    /// - Parameter byteCount: The size of the content in bytes. Objects that are not members of a
    ///   collection are kept, as are those to which they refer and those with unsaved changes, so that the
    ///   size may not be reached.
    /// - Returns: The number of deleted objects, without those that delete rules delete.
    /// - Throws: ``PersistenceError`` of saving; some of the collections before are then removed.
    /// - Complexity: O(*n*) in the number of members of the removed collections, in transactions of
    ///   at most 64 collections.
    @discardableResult
    public func evictCollections(keeping byteCount: Int) async throws -> Int {
        let content = content
        var deleted = 0
        var isFinished = try await content.database.readSnapshot { connection in
            try Self.contentByteCount(connection) <= byteCount
        }
        while !isFinished {
            let batch = try await content.write { context in
                var batch = (deleted: 0, isFinished: true)
                for id in try context.collectionIDs(.oldest(count: 64)) {
                    batch.deleted += try context.removeCollections([id])
                    batch.isFinished = try context.read(Self.contentByteCount) <= byteCount
                    if batch.isFinished { break }
                }
                return batch
            }
            deleted += batch.deleted
            isFinished = batch.isFinished
        }
        return deleted
    }

    /// Removes the collections of a user, with the objects that no other collection has and that have no
    /// unsaved changes, in one transaction.
    ///
    /// - Returns: The number of deleted objects.
    package func removeCollections(ofUser user: String) async throws -> Int {
        try await write { try $0.remove(.user(user)) }
    }

    /// Returns the size of the used pages of the database in bytes.
    private static func contentByteCount(
        _ connection: Database
    ) throws(PersistenceError) -> Int {
        let statement = try PreparedStatement(
            "SELECT (page_count - freelist_count) * page_size "
                + "FROM pragma_page_count, pragma_freelist_count, pragma_page_size",
            in: connection)
        return try statement.step() ? Int(statement.integer(0)) : 0
    }
}

extension ManagedObjectContext {
    /// Removes selected collections, with the objects that no other collection has.
    ///
    /// - Returns: The number of deleted objects.
    fileprivate func remove(_ selection: CollectionSelection) throws(PersistenceError) -> Int {
        try removeCollections(try collectionIDs(selection))
    }

    fileprivate func collectionIDs(
        _ selection: CollectionSelection
    ) throws(PersistenceError) -> [Int64] {
        try read { [database] connection throws(PersistenceError) in
            let table = database.collectionTable(connection)
            return try table.isPresent ? table.ids(selection) : []
        }
    }

    fileprivate func removeCollections(_ ids: [Int64]) throws(PersistenceError) -> Int {
        if ids.isEmpty { return 0 }
        setOrigin(.eviction)
        let members = try read { [database] connection throws(PersistenceError) in
            try database.collectionTable(connection).ownMembers(
                of: ids, in: database.model, database.identity)
        }
        let kept = try database.unsavedRows.keys.union(rows.unsentKeys())
        let removable = try withoutReferredObjects(members, keeping: kept)
        try deleteMembers(removable)
        record(.removed(ids))
        try save()
        return removable.count
    }
}

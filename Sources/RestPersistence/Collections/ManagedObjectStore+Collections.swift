// SPDX-License-Identifier: Apache-2.0

public import Foundation
import GRDB

extension ManagedObjectStore {
    /// Returns the collections that requests have fetched into this store, the oldest first.
    ///
    /// - Throws: ``PersistenceError`` of the database, or `CancellationError`.
    public func collections() async throws -> [FetchedCollection] {
        try await database.readSnapshot { [database] connection in
            try CollectionReader.collections(in: connection, database)
        }
    }

    /// Removes the collections that were fetched before a time, with the objects that no other
    /// collection has.
    ///
    /// - Parameter date: The time.
    /// - Returns: The number of deleted objects, without those that delete rules delete.
    /// - Throws: ``PersistenceError`` of saving, such as for an object that another one requires; the
    ///   store is then unchanged.
    @discardableResult
    public func evictCollections(fetchedBefore date: Date) async throws -> Int {
        try await removeCollections { $0.fetchedAt < date }
    }

    /// Removes the oldest collections, with the objects that no other collection has, until the
    /// content of the database has a size.
    ///
    /// The file does not shrink; its free pages are used again.
    ///
    /// - Parameter byteCount: The size of the content in bytes. Objects that are not members of a
    ///   collection are kept, so that the size may not be reached.
    /// - Returns: The number of deleted objects, without those that delete rules delete.
    /// - Throws: ``PersistenceError`` of saving; the collections before are then removed.
    @discardableResult
    public func evictCollections(keeping byteCount: Int) async throws -> Int {
        var deleted = 0
        while try await contentByteCount() > byteCount, let oldest = try await collections().first {
            deleted += try await removeCollections { $0.request == oldest.request }
        }
        return deleted
    }

    /// Removes collections, with the objects that no other collection has, in one transaction.
    ///
    /// - Returns: The number of deleted objects.
    package func removeCollections(
        where isRemoved: @escaping @Sendable (FetchedCollection) -> Bool
    ) async throws -> Int {
        try await perform { context in
            let all = try context.read { [database = context.database] connection in
                try CollectionReader.collections(in: connection, database)
            }
            let removed = all.filter(isRemoved)
            if removed.isEmpty { return 0 }
            let kept = all.filter { !isRemoved($0) }
            let keptIDs = Set(kept.flatMap { $0.objectIDs + $0.unconfirmedIDs })
            let ids = Set(removed.flatMap { $0.objectIDs + $0.unconfirmedIDs })
                .subtracting(keptIDs).sorted { $0.key < $1.key }
            for object in try context.objects(with: ids) { context.delete(object) }
            for collection in removed { context.record(.removed(collection.request)) }
            try context.save()
            return ids.count
        }
    }

    /// The size of the used pages of the database in bytes.
    private func contentByteCount() async throws -> Int {
        try await database.readSnapshot { connection in
            let sql = """
                SELECT (page_count - freelist_count) * page_size \
                FROM pragma_page_count, pragma_freelist_count, pragma_page_size
                """
            return try Int.fetchOne(connection, sql: sql) ?? 0
        }
    }
}

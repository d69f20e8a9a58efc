// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB

/// The stored collections of an open store.
package struct CollectionReader: Sendable {
    let database: StoreDatabase

    /// The moment of the store from which the reader is.
    package var moment: StoreMoment

    init(database: StoreDatabase) {
        self.database = database
        moment = StoreMoment(database.feed)
    }

    /// Returns the present moment, before a request is sent, with the unsaved changes of ``moment``.
    package func beginRequest() -> StoreMoment { moment.beginningRequest(database.feed) }

    /// Returns the present moment, before the requests of a walk, none of which brings what the others have
    /// not.
    package func beginWalk() -> StoreMoment {
        moment.beginningRequest(database.feed, isCounted: false)
    }

    /// A Boolean value that indicates whether there are other requests than one whose responses are not
    /// imported yet.
    package func hasRequests(besides moment: StoreMoment?) -> Bool {
        database.feed.requestCount > (moment?.requestNumber == nil ? 0 : 1)
    }

    /// The model as text, which changes with every change of the model.
    package var modelText: String { database.modelText }

    /// Calls a closure with a new context of the store, on the store's queue.
    ///
    /// - Throws: The error of the closure, or `CancellationError`.
    package func perform<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> Result {
        try await database.worker.run(database, body)
    }

    /// Calls a closure with a new context in one transaction, which saves its changes, so that what the
    /// closure decides by is what it writes over.
    ///
    /// - Throws: The error of the closure; ``PersistenceError`` of saving; `CancellationError`.
    package func write<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> Result {
        try await database.transactions.transact(database, nil, database.mergePolicy, body).0
    }

    /// Returns a collection; `nil` if it is not stored.
    package func collection(
        of request: CollectionRequest
    ) async throws -> FetchedCollection? {
        try await database.readSnapshot { [database] connection in
            try Self.collection(of: request, in: connection, database)
        }
    }

    /// Returns the facts about a collection, without reading its members; `nil` if it is not stored.
    package func facts(of request: CollectionRequest) async throws -> CollectionFacts? {
        try await database.readSnapshot { connection in
            let table = CollectionTable(database: connection)
            return try table.isPresent ? try table.row(of: request)?.facts : nil
        }
    }

    /// Returns the pages of the last walk, in order.
    package func pages(of request: CollectionRequest) async throws -> [StoredPage] {
        try await database.readSnapshot { [database] connection in
            let table = CollectionTable(database: connection)
            guard try table.isPresent, let row = try table.row(of: request) else { return [] }
            return try table.pages(of: row, in: database.model, database.identity)
        }
    }

    static func collection(
        of request: CollectionRequest, in connection: Database, _ database: StoreDatabase
    ) throws(PersistenceError) -> FetchedCollection? {
        let table = CollectionTable(database: connection)
        guard try table.isPresent, let row = try table.row(of: request) else { return nil }
        return try collection(row, table, database)
    }

    static func collections(
        in connection: Database, _ database: StoreDatabase
    ) throws(PersistenceError) -> [FetchedCollection] {
        let table = CollectionTable(database: connection)
        guard try table.isPresent else { return [] }
        var collections: [FetchedCollection] = []
        for row in try table.rows() { collections.append(try collection(row, table, database)) }
        return collections
    }

    private static func collection(
        _ row: CollectionTable.Row, _ table: CollectionTable, _ database: StoreDatabase
    ) throws(PersistenceError) -> FetchedCollection {
        let members = try table.members(of: row, in: database.model, database.identity)
        return FetchedCollection(
            request: row.request, objectIDs: members.confirmed,
            unconfirmedIDs: members.unconfirmed, isComplete: row.isComplete,
            fetchedAt: row.fetchedAt, confirmedAt: row.confirmedAt, facts: row.facts,
            missingCount: members.missingCount)
    }
}

extension ManagedObjectStore {
    package var collectionReader: CollectionReader { CollectionReader(database: database) }
}

extension ManagedObjectContext {
    package var collectionReader: CollectionReader { CollectionReader(database: database) }

    /// Returns the lists other than one that have some objects as confirmed members, by object.
    ///
    /// - Throws: ``PersistenceError`` of the database.
    /// - Complexity: One query.
    package func lists(
        with ids: [ManagedObjectID], except request: CollectionRequest
    ) throws(PersistenceError) -> [ManagedObjectID: [CollectionRequest]] {
        if ids.isEmpty { return [:] }
        let lists = try read { connection in
            try CollectionTable(database: connection).confirmingLists(
                of: ids.map(\.key), except: request)
        }
        return Dictionary(
            uniqueKeysWithValues: ids.compactMap { id in lists[id.key].map { (id, $0) } })
    }

    /// Returns a collection as the context sees it; `nil` if it is not stored.
    ///
    /// - Throws: ``PersistenceError`` of the database.
    package func collection(
        of request: CollectionRequest
    ) throws(PersistenceError) -> FetchedCollection? {
        try read { [database] connection in
            try CollectionReader.collection(of: request, in: connection, database)
        }
    }

    /// Adds a change of a stored collection to the unsaved changes.
    package func record(_ change: CollectionChange) { top.collections.append(change) }
}

extension StoreContent {
    /// The reader of the stored collections.
    package var collectionReader: CollectionReader { CollectionReader(database: database) }
}

extension CollectionReader {
    /// The content of the store that has the collections.
    package var content: StoreContent { StoreContent(database: database) }

    /// A Boolean value that indicates whether the store records the origin of rows.
    package var explainsRows: Bool { !database.explainedEntities.isEmpty }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB

/// The stored collections of an open store.
package struct CollectionReader: Sendable {
    let database: StoreDatabase

    /// The moment of the store from which the reader is.
    package var moment: CommitPosition

    init(database: StoreDatabase) {
        self.database = database
        moment = CommitPosition(database.feed)
    }

    /// Returns the present moment, before a request is sent, with the unsaved changes of ``moment``.
    package func beginRequest() -> CommitPosition {
        moment.beginningRequest(database.feed, at: database.saveObserver?.date)
    }

    /// Returns the present moment, before the requests of a walk, none of which brings what the others have
    /// not.
    package func beginWalk() -> CommitPosition {
        moment.beginningRequest(
            database.feed, isCounted: false, at: database.saveObserver?.date)
    }

    /// A Boolean value that indicates whether there are other requests than one whose responses are not
    /// imported yet.
    package func hasRequests(besides moment: CommitPosition?) -> Bool {
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
    ///
    /// It has no validators, and is not fresh, if another program has written to the file since.
    package func collection(
        of request: CollectionRequest
    ) async throws -> StoredCollection? {
        try await database.readEvidence { [database] connection, isIntact in
            try Self.collection(of: request, in: connection, database, isIntact: isIntact)
        }
    }

    /// Returns the facts about a collection, without reading its members; `nil` if it is not stored.
    ///
    /// They have no validators if another program has written to the file since.
    package func facts(of request: CollectionRequest) async throws -> CollectionFacts? {
        try await database.readEvidence { [database] connection, isIntact in
            let table = database.collectionTable(connection)
            guard try table.isPresent, var row = try table.row(of: request) else { return nil }
            if !isIntact { row.facts.removeValidators() }
            return row.facts
        }
    }

    /// Returns the pages of the last walk, in order.
    ///
    /// They have no validators if another program has written to the file since.
    package func pages(of request: CollectionRequest) async throws -> [StoredPage] {
        try await database.readEvidence { [database] connection, isIntact in
            let table = database.collectionTable(connection)
            guard try table.isPresent, let row = try table.row(of: request) else { return [] }
            var pages = try table.pages(of: row, in: database.model, database.identity)
            if !isIntact {
                for index in pages.indices { pages[index].validators = CollectionValidators() }
            }
            return pages
        }
    }

    /// Returns a Boolean value that indicates whether the store still has the rows that a page has brought: its
    /// validators are those of the stored page, and no other program has written to the file since.
    ///
    /// - Complexity: One query.
    package func hasPage(_ page: StoredPage, of request: CollectionRequest) async throws -> Bool {
        try await database.readEvidence { [database] connection, isIntact in
            guard isIntact else { return false }
            let table = database.collectionTable(connection)
            guard try table.isPresent else { return false }
            return try table.hasValidators(page.validators, ofPage: page.url, of: request)
        }
    }

    /// Notes the progress of a walk over a list in the file, if it is not there yet.
    ///
    /// It is noted although the task is cancelled. A walk that cannot be noted is noted later, or repeats its
    /// last pages.
    package func noteWalk(over request: CollectionRequest) async {
        guard database.heldWalks.contains(request) else { return }
        await Task { [database] in await database.noteWalk(over: request) }.value
    }

    /// Notes the progress of a walk over a list after a wait, unless it is noted before.
    ///
    /// - Parameters:
    ///   - request: The list.
    ///   - wait: A closure that waits; if it throws an error, nothing is noted.
    package func noteWalk(
        over request: CollectionRequest, after wait: @escaping @Sendable () async throws -> Void
    ) {
        database.heldWalks.note(request) { [weak database = database] in
            guard (try? await wait()) != nil else { return }
            database?.heldWalks.endWaiting(for: request)
            await database?.noteWalk(over: request)
        }
    }

    static func collection(
        of request: CollectionRequest, in connection: Database, _ database: StoreDatabase,
        isIntact: Bool
    ) throws(PersistenceError) -> StoredCollection? {
        let table = database.collectionTable(connection)
        guard try table.isPresent, var row = try table.row(of: request) else { return nil }
        if !isIntact { row.facts.removeValidators() }
        return try collection(row, table, database)
    }

    static func collections(
        in connection: Database, _ database: StoreDatabase
    ) throws(PersistenceError) -> [StoredCollection] {
        let table = database.collectionTable(connection)
        guard try table.isPresent else { return [] }
        var collections: [StoredCollection] = []
        for row in try table.rows() { collections.append(try collection(row, table, database)) }
        return collections
    }

    private static func collection(
        _ row: CollectionTable.Row, _ table: CollectionTable, _ database: StoreDatabase
    ) throws(PersistenceError) -> StoredCollection {
        let members = try table.members(of: row, in: database.model, database.identity)
        return StoredCollection(
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
        let lists = try read { [database] connection in
            try database.collectionTable(connection).confirmingLists(
                of: ids.map(\.key), except: request)
        }
        return Dictionary(
            uniqueKeysWithValues: ids.compactMap { id in lists[id.key].map { (id, $0) } })
    }

    /// Returns a collection as the context sees it, whose validators prove nothing; `nil` if it is not stored.
    ///
    /// - Throws: ``PersistenceError`` of the database.
    package func collection(
        of request: CollectionRequest
    ) throws(PersistenceError) -> StoredCollection? {
        try read { [database] connection in
            try CollectionReader.collection(
                of: request, in: connection, database, isIntact: true)
        }
    }

    /// Adds a change of a stored collection to the unsaved changes.
    package func record(_ change: CollectionChange) {
        layered.layers.top.collections.append(change)
    }
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

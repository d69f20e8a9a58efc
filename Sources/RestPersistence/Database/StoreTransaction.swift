// SPDX-License-Identifier: Apache-2.0

import GRDB

/// A write transaction of a store, in which a context finds, changes and saves objects.
///
/// Not `Sendable`, because it is local to a closure on the writer's queue.
final class StoreTransaction {
    /// The connection that writes.
    let connection: Database
    private let database: StoreDatabase
    /// The origin of the changes.
    var origin = StoreCommit.Origin.local
    /// The request whose response is saved; `nil` for a save.
    var writer: RespondedRequest?
    /// A Boolean value that indicates whether imports record what they find to be written already.
    var recordsValues = false
    /// The values that the transaction has found to be written already, and the rows that it has deleted.
    var written = WrittenValues()
    /// The changes that have been saved; `nil` if nothing was saved.
    private(set) var commit: StoreCommit?
    /// The numbers of rows that all saves wrote.
    private(set) var report = SaveReport()
    /// The rows whose stored values are not those that the contexts have.
    private(set) var staleKeys: [Int64] = []
    /// The objects whose words were indexed, if someone is told of them.
    private(set) var indexedIDs: [ManagedObjectID] = []
    /// The version of the file in which the first save wrote; `nil` if nothing was saved.
    private(set) var dataVersion: Int?
    /// The number of keys that the transaction reserves in the file.
    private(set) var reservedKeyCount: Int64 = 0
    /// The keys that the transaction has reserved and not assigned yet.
    private var unassignedKeys: Range<Int64> = 0..<0
    /// The number of keys that are reserved with others, so that inserting single objects is cheap.
    private static let additionalKeyCount: Int64 = 64
    /// The key after the last one that the transaction has reserved.
    private(set) var reservedKeyEnd: Int64 = 0
    /// The error of a save that failed, after which the transaction cannot be committed.
    private var failure: PersistenceError?
    /// The unsaved changes of a context in temporary tables of the connection.
    private var pendingTables: PendingTables
    private weak var pendingContext: AnyObject?

    init(_ connection: Database, of database: StoreDatabase) {
        self.connection = connection
        self.database = database
        pendingTables = PendingTables(model: database.model)
    }

    /// Writes changes.
    ///
    /// A failed save can leave some of its changes in the transaction, which is therefore rolled back
    /// at its end.
    func save(
        _ changes: ChangeSet, _ policy: MergePolicy, _ token: ContextToken
    ) throws(PersistenceError) -> SaveOutcome {
        if let failure { throw failure }
        do {
            var writer = ChangeWriter(
                database: connection, model: database.model, store: database.identity,
                policy: policy)
            writer.explainedEntities = database.explainedEntities
            writer.origin = origin
            writer.keepsRemovedRows = database.feed.requestCount > 0
            let version = try ConnectionPool.dataVersion(of: connection)
            writer.hasForeignCommits = dataVersion == nil && database.hasForeignCommits(at: version)
            dataVersion = version
            try writer.write(changes)
            indexedIDs += try SearchIndex(model: database.model, database: connection).indexedIDs(
                of: writer.tables, store: database.identity)
            written.formUnion(writer.removed)
            let outcome = writer.outcome(writer: token)
            commit = commit?.appending(outcome.commit) ?? outcome.commit
            staleKeys += outcome.staleKeys
            return outcome
        } catch {
            let error = PersistenceError(wrapping: error)
            failure = error
            throw error
        }
    }

    /// Adds the numbers of a save.
    func add(_ saved: SaveReport) { report.add(saved) }

    /// Reserves keys, which are released if the transaction is rolled back.
    func reserveKeys(_ count: Int) throws(PersistenceError) -> Range<Int64> {
        let count = Int64(count)
        if count <= unassignedKeys.count {
            let end = unassignedKeys.lowerBound + count
            defer { unassignedKeys = end..<unassignedKeys.upperBound }
            return unassignedKeys.lowerBound..<end
        }
        let reserved = count + Self.additionalKeyCount
        reservedKeyCount += reserved
        do {
            let keys = try StoreDatabase.reserve(reserved, in: connection)
            reservedKeyEnd = keys.upperBound
            unassignedKeys = keys.lowerBound + count..<keys.upperBound
            return keys.lowerBound..<keys.lowerBound + count
        } catch {
            throw PersistenceError(wrapping: error)
        }
    }

    /// Calls a closure with the connection, whose temporary tables have the unsaved changes of a
    /// context.
    func read<Result>(
        _ scope: PendingScope, of context: some PendingChanges & AnyObject,
        _ body: (Database) throws(PersistenceError) -> Result
    ) throws(PersistenceError) -> Result {
        if pendingContext !== context {
            try pendingTables.removeAll(in: connection)
            pendingContext = context
        }
        try pendingTables.update(scope, context, in: connection)
        return try body(connection)
    }

    /// Prepares the commit.
    ///
    /// - Throws: The error of a save that failed.
    func finish() throws(PersistenceError) {
        if let failure { throw failure }
        if pendingContext != nil { try pendingTables.removeAll(in: connection) }
    }
}

/// The result of a transaction for the contexts whose changes it saved.
struct TransactionOutcome: Sendable {
    /// The numbers of rows that all saves wrote.
    let report: SaveReport
    /// The rows whose stored values are not those of the changes.
    let staleKeys: [Int64]
    /// The changes that the closure saved, without those of the layers below.
    let changes: ChangeSet
    /// The changes below the context that were saved, and those that stay unsaved.
    let parts: ChangePartition?
}

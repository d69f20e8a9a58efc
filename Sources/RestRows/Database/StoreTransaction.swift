// SPDX-License-Identifier: Apache-2.0

package import GRDB

/// A write transaction of a store, in which a context finds, changes and saves objects.
///
/// Not `Sendable`, because it is local to a closure on the writer's queue.
package final class StoreTransaction {
    /// The connection that writes.
    package let connection: Database
    private let database: StoreDatabase
    /// The origin of the changes.
    package var origin = StoreCommit.Origin.local
    /// The request whose response is saved; `nil` for a save.
    package var writer: RespondedRequest?
    /// A Boolean value that indicates whether imports record what they find to be written already.
    package var recordsValues = false
    /// The action of the observer of the store in the next save; `nil` for none.
    package var action: (any SaveAction)?
    /// The values that the transaction has found to be written already, and the rows that it has deleted.
    package var written = WrittenValues()
    /// The changes that have been saved; `nil` if nothing was saved.
    private(set) var commit: StoreCommit?
    /// The numbers of rows that all saves wrote.
    package private(set) var report = SaveReport()
    /// The rows whose stored values are not those that the contexts have.
    package private(set) var staleKeys: [Int64] = []
    /// The objects whose words were indexed, if someone is told of them.
    private(set) var indexedIDs: [ManagedObjectID] = []
    /// The walks that are held after the commit; those that were noted are `nil`.
    private(set) var walkChanges: [CollectionRequest: HeldWalk?] = [:]
    /// The version of the file in which the first save wrote; `nil` if nothing was saved.
    private(set) var dataVersion: Int?
    /// A Boolean value that indicates whether an index was added.
    var hasChangedSchema = false
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

    /// Creates a transaction.
    ///
    /// - Parameters:
    ///   - connection: The connection that writes.
    ///   - database: The database.
    ///   - former: The part of the same transaction of SQLite that was written before; `nil` for none.
    init(_ connection: Database, of database: StoreDatabase, after former: StoreTransaction? = nil)
    {
        self.connection = connection
        self.database = database
        dataVersion = former?.dataVersion
        pendingTables = PendingTables(model: database.model)
    }

    /// Writes changes.
    ///
    /// A failed save can leave some of its changes in the transaction, which is therefore rolled back
    /// at its end.
    package func save(
        _ changes: ChangeSet, _ policy: MergePolicy, _ token: ContextToken
    ) throws(PersistenceError) -> SaveOutcome {
        if let failure { throw failure }
        do {
            var writer = ChangeWriter(
                database: connection, model: database.model, store: database.identity,
                policy: policy, heldWalks: database.heldWalks)
            writer.explainedEntities = database.explainedEntities
            writer.origin = origin
            if let observer = database.saveObserver {
                writer.observation = .init(observer: observer, written: written, action: action)
                action = nil
            }
            writer.hasRequests = database.feed.requestCount > 0
            let version = try ConnectionPool.dataVersion(of: connection)
            writer.hasForeignCommits = dataVersion == nil && database.hasForeignCommits(at: version)
            if dataVersion == nil { try database.settleEvidence(in: connection) }
            dataVersion = version
            try writer.write(changes)
            indexedIDs += try SearchIndex(model: database.model, database: connection).indexedIDs(
                of: writer.tables, store: database.identity)
            written.formUnion(writer.fenced)
            walkChanges.merge(writer.walkChanges) { $1 }
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
    package func add(_ saved: SaveReport) { report.add(saved) }

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
    package func read<Result>(
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
package struct TransactionOutcome: Sendable {
    /// The numbers of rows that all saves wrote.
    package let report: SaveReport
    /// The rows whose stored values are not those of the changes.
    package let staleKeys: [Int64]
    /// The changes that the closure saved, without those of the layers below.
    package let changes: ChangeSet
    /// The changes below the context that were saved, and those that stay unsaved.
    package let parts: ChangePartition?

    package init(
        report: SaveReport, staleKeys: [Int64], changes: ChangeSet, parts: ChangePartition?
    ) {
        self.report = report
        self.staleKeys = staleKeys
        self.changes = changes
        self.parts = parts
    }
}

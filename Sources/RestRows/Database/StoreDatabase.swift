// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import GRDB
import Synchronization

/// The open database: connections, model, identity and reserved keys.
package final class StoreDatabase: Sendable {
    /// The path of the file, which is not that of a symbolic link.
    package let path: String
    package let model: ManagedObjectModel
    package let identity: UUID
    /// The merge policy of new contexts.
    package let mergePolicy: MergePolicy
    /// The isolation of background contexts.
    package let worker = StoreWorker()
    /// The isolation of transactions with a context, which wait for the writer.
    package let transactions = StoreWorker()
    /// The indices of the entities whose rows are explained.
    package let explainedEntities: Set<Int>
    /// The commits of all contexts.
    package let feed = CommitFeed()
    /// The rows of the unsaved changes of contexts.
    package let unsavedRows = UnsavedRows()
    /// The progress of walks over lists that the file does not have yet.
    package let heldWalks = HeldWalks()
    /// The closures that wait for a shared transaction.
    package let group = TransactionGroup()
    private let observer = Mutex<(any SaveObserver)?>(nil)
    private let replaced = Mutex(false)
    /// A Boolean value that indicates whether the file is opened for reading only.
    let isReadOnly: Bool
    /// A Boolean value that indicates whether SQLite finds and compares the stored rows of imports.
    package let comparesImports: Bool
    let pool: ConnectionPool
    private let foreignCommits: ForeignCommitDetector
    /// The directory of a temporary store, which the connections keep alive.
    private let directory: TemporaryStoreDirectory?
    private let keys = KeyReservation()
    /// The data version of the writing connection at the last save; `nil` before the first one.
    private let savedVersion = Mutex<Int?>(nil)
    /// The keys of stored rows with which new rows of imports were merged, by the key of the new row.
    private let replacedKeys = Mutex<[Int64: Int64]>([:])
    /// The model as it is stored, once it was asked for.
    private let storedModel = Mutex<String?>(nil)
    /// The names of the indexes that were added for identification attributes of mappings.
    private let addedIndexes = Mutex<Set<String>>([])

    package init(
        path: String, model: ManagedObjectModel, configuration: StoreConfiguration,
        directory: TemporaryStoreDirectory? = nil, mustExist: Bool = false
    ) throws(PersistenceError) {
        let opening = StoreOpening(path: path, model: model, configuration: configuration)
        self.path = path
        self.model = model
        mergePolicy = configuration.mergePolicy
        isReadOnly = configuration.isReadOnly
        comparesImports = configuration.comparesImportsInSQLite
        self.directory = directory
        var explained: Set<Int> = []
        for name in configuration.explainedEntities {
            explained.formUnion(try model.layout(named: name).subentities)
        }
        explainedEntities = explained
        (pool, identity) = try opening.open(isDurable: directory == nil, mustExist: mustExist)
        foreignCommits = ForeignCommitDetector(pool, interval: configuration.pollingInterval)
        if !configuration.isReadOnly {
            try removeOtherExplanations()
            try updateCollectionTables()
        }
    }

    /// Removes the explanations of entities whose rows are no longer explained.
    private func removeOtherExplanations() throws(PersistenceError) {
        guard try read({ try ExplanationTable(database: $0).isPresent }) else { return }
        let names = explainedEntities.map { model.layouts[$0].name }.sorted()
        try write { try ExplanationTable(database: $0).keepOnly(names) }
    }

    /// Checks that the thread is not in a read or transaction of the store.
    ///
    /// - Throws: ``PersistenceError`` with code `busy`.
    package func checkReentrancy() throws(PersistenceError) { try pool.checkReentrancy() }

    /// Checks that the database is open.
    ///
    /// - Throws: ``PersistenceError`` with code `storeClosed`.
    package func checkOpen() throws(PersistenceError) { try pool.checkOpen() }

    /// The observer of saves, which merges and records edits; `nil` by default.
    package var saveObserver: (any SaveObserver)? {
        get { observer.withLock(\.self) }
        set { observer.withLock { $0 = newValue } }
    }

    /// A Boolean value that indicates whether the database was closed to replace it.
    package var isReplaced: Bool { replaced.withLock(\.self) }

    /// Closes the connections after the reads and the write in progress.
    package func close(toReplaceIt isReplaced: Bool = false) throws(PersistenceError) {
        replaced.withLock { $0 = isReplaced }
        if !isReplaced { noteWalks() }
        let closing = isReplaced ? nil : markClosing()
        foreignCommits.stop()
        feed.finish()
        try pool.close()
        if let closing { CommitMark.close(path, at: closing) }
    }

    package func read<Result>(
        _ body: (Database) throws -> Result
    ) throws(PersistenceError) -> Result {
        try pool.read(body)
    }

    /// Calls a closure that uses a connection of its own; closing the store waits for it.
    ///
    /// - Throws: The error of the closure, or one with code `storeClosed`.
    package func access<Result>(_ body: () throws -> Result) throws(PersistenceError) -> Result {
        try pool.access { _ in try body() }
    }

    /// Checks in a transaction that no other store has reset the file.
    ///
    /// - Throws: ``PersistenceError`` with code `fileChanged`.
    func checkContent(in database: Database) throws { try pool.checkContent(in: database) }

    /// Replaces the content of the file by that of another one, and closes the connections.
    ///
    /// - Throws: An error of ``ConnectionPool/replaceContent(by:)``; the database is then open.
    package func replaceContent(by path: String) throws(PersistenceError) {
        // Before the first access fails, so that observers know why.
        replaced.withLock { $0 = true }
        do throws(PersistenceError) {
            try pool.replaceContent(by: path)
        } catch {
            replaced.withLock { $0 = false }
            throw error
        }
        try close(toReplaceIt: true)
    }

    /// Calls a closure in a transaction, which is rolled back if the closure throws.
    package func write<Result>(
        _ body: (Database) throws -> Result
    ) throws(PersistenceError) -> Result {
        try writeAlone { database in
            let result = try body(database)
            try evidence.settle(database)
            try CommitMark(database: database).write()
            return result
        }
    }

    /// Calls a closure that marks the commit in a transaction, which is rolled back if the closure throws.
    func writeAlone<Result>(
        _ body: (Database) throws -> Result
    ) throws(PersistenceError) -> Result {
        try pool.write { pool in
            try pool.write { database in
                try self.pool.checkFile(in: database)
                return try body(database)
            }
        }
    }

    /// The knowledge of commits of other programs.
    var evidence: CommitEvidence { pool.evidence }

    /// Calls a closure with a connection whose transaction reads one state of the store.
    package func readSnapshot<Result: Sendable>(
        _ body: @Sendable (Database) throws -> Result
    ) async throws -> Result {
        try await pool.readSnapshot(body)
    }

    /// Opens a connection of a context, which closing the store closes.
    package func makeReader() throws(PersistenceError) -> DatabaseQueue { try pool.makeReader() }

    /// Writes a copy of the database to a new file.
    package func copy(
        to path: String, checkCancellation: @escaping () throws -> Void
    ) throws(PersistenceError) {
        try pool.access {
            try DatabaseCopy.write(
                $0, to: path, check: checkContent, checkCancellation: checkCancellation)
        }
    }

    /// Returns the commits from now on, including those of other connections.
    ///
    /// See ``CommitFeed/commits(limit:)``.
    package func commits(limit: Int? = nil) -> AsyncStream<StoreCommit> {
        // Before the detector starts, which appends the commits since the store was opened at once.
        let commits = feed.commits(limit: limit)
        foreignCommits.start { [feed, model, identity] in
            feed.append(
                StoreCommit(
                    foreignTables: Set(model.tables.indices), model: model, store: identity))
        }
        return commits
    }

    /// The model as text, which changes with every change of the model.
    package var modelText: String {
        storedModel.withLock { text in
            if let text { return text }
            let new = (try? StoredModel(model).json()) ?? ""
            text = new
            return new
        }
    }

    // MARK: Saving

    /// Writes changes in one transaction and appends its commit to the feed.
    package func save(
        _ changes: ChangeSet, _ policy: MergePolicy, _ writer: ContextToken
    ) throws(PersistenceError) -> SaveOutcome {
        try pool.write { pool in
            try pool.writeWithoutTransaction { database in
                try save(changes, policy, writer, in: database)
            }
        }
    }

    /// Calls a closure in one transaction on the writer's queue, and appends its commit to the feed.
    ///
    /// The transaction begins with the lock of the writer, so that what the closure reads is what it
    /// writes over. It is rolled back if the closure throws.
    ///
    /// - Throws: The error of the closure; ``PersistenceError`` of the transaction.
    package func transact<Result>(_ body: (StoreTransaction) throws -> Result) throws -> Result {
        try pool.transact { connection in
            let transaction = StoreTransaction(connection, of: self)
            var result = Swift.Result<Result, any Error>.failure(CancellationError())
            var isCommitted = false
            defer {
                if transaction.reservedKeyCount > 0 {
                    // A rollback has released the keys, but the closure has seen them.
                    if !isCommitted {
                        _ = try? reserveAlone(transaction.reservedKeyCount, in: connection)
                    }
                    giveUpKeys(below: transaction.reservedKeyEnd)
                }
            }
            try connection.inTransaction(.immediate) {
                try pool.checkFile(in: connection)
                let changeCount = connection.totalChangesCount
                result = Swift.Result { try body(transaction) }
                guard case .success = result else { return .rollback }
                try transaction.finish()
                if transaction.hasChangedSchema || connection.totalChangesCount != changeCount {
                    if transaction.dataVersion == nil { try evidence.settle(connection) }
                    try CommitMark(database: connection).write()
                }
                return .commit
            }
            guard case .success = result else { return result }
            isCommitted = true
            publish(transaction)
            return result
        }.get()
    }

    /// Publishes what a transaction has committed.
    func publish(_ transaction: StoreTransaction) {
        if let version = transaction.dataVersion { savedVersion.withLock { $0 = version } }
        heldWalks.apply(transaction.walkChanges)
        publish(
            transaction.commit
                ?? StoreCommit(transaction.origin, model: model, store: identity),
            transaction.written, by: transaction.writer)
        tellOfIndexed(transaction.indexedIDs)
    }

    /// Writes changes in one transaction without blocking; a closure can write bookkeeping in the same
    /// transaction.
    package func save(
        _ changes: ChangeSet, _ policy: MergePolicy, _ writer: ContextToken,
        recording record: (@Sendable (Database) throws -> Void)? = nil
    ) async -> Result<SaveOutcome, PersistenceError> {
        await withCheckedContinuation { continuation in
            do throws(PersistenceError) {
                try pool.enqueueWrite { database in
                    let result: Result<SaveOutcome, PersistenceError>
                    do {
                        result = .success(
                            try self.save(changes, policy, writer, recording: record, in: database))
                    } catch {
                        result = .failure(self.pool.explained(error))
                    }
                    continuation.resume(returning: result)
                }
            } catch {
                continuation.resume(returning: .failure(error))
            }
        }
    }

    private func save(
        _ changes: ChangeSet, _ policy: MergePolicy, _ token: ContextToken,
        recording record: (@Sendable (Database) throws -> Void)? = nil, in database: Database
    ) throws -> SaveOutcome {
        var writer = ChangeWriter(
            database: database, model: model, store: identity, policy: policy,
            heldWalks: heldWalks)
        writer.explainedEntities = explainedEntities
        writer.hasRequests = feed.requestCount > 0
        if let observer = saveObserver { writer.observation = .init(observer: observer) }
        var indexedIDs: [ManagedObjectID] = []
        var version = 0
        try database.inTransaction(.immediate) {
            try pool.checkFile(in: database)
            version = try ConnectionPool.dataVersion(of: database)
            writer.hasForeignCommits = hasForeignCommits(at: version)
            let changeCount = database.totalChangesCount
            try evidence.settle(database)
            try writer.write(changes)
            try record?(database)
            if database.totalChangesCount != changeCount {
                try CommitMark(database: database).write()
            }
            indexedIDs = try SearchIndex(model: model, database: database).indexedIDs(
                of: writer.tables, store: identity)
            return .commit
        }
        savedVersion.withLock { $0 = version }
        heldWalks.apply(writer.walkChanges)
        // On the writer's queue, so that the commits are in the order of the transactions.
        let outcome = writer.outcome(writer: token)
        publish(outcome.commit, writer.fenced)
        tellOfIndexed(indexedIDs)
        return outcome
    }

    private func publish(
        _ commit: StoreCommit, _ written: WrittenValues, by writer: RespondedRequest? = nil
    ) {
        if commit.isEmpty, commit.replacements.isEmpty, written.isEmpty { return }
        if !commit.replacements.isEmpty {
            replacedKeys.withLock { $0.merge(commit.replacements.keys) { $1 } }
        }
        feed.append(commit, written, by: writer)
    }

    /// Returns the key of the row that an object was saved as.
    package func currentKey(of key: Int64) -> Int64 { replacedKeys.withLock { $0[key] ?? key } }

    /// Returns the key of the row that an ID denotes; `nil` if the ID is of another store.
    package func key(of id: ManagedObjectID) -> Int64? {
        id.store == identity ? currentKey(of: id.key) : nil
    }

    /// Returns a Boolean value that indicates whether other connections may have written since the last
    /// save.
    func hasForeignCommits(at version: Int) -> Bool {
        savedVersion.withLock { $0 != version }
    }

    private func tellOfIndexed(_ ids: [ManagedObjectID]) {
        if !ids.isEmpty { model.search.didIndexObjects?(ids) }
    }

    // MARK: Indexes

    /// Adds an index that a mapping needs, if the file has none with the same columns.
    package func addIndex(
        _ index: LookupIndex, of table: TableLayout, in transaction: StoreTransaction?
    ) throws(PersistenceError) {
        let name = index.name(in: table)
        if addedIndexes.withLock({ $0.contains(name) }) { return }
        let sql = index.definition(in: table)
        if let transaction {
            // Not recorded as added, because the transaction may be rolled back.
            guard try !hasIndex(index, of: table, in: transaction.connection) else { return }
            transaction.hasChangedSchema = true
            _ = try PreparedStatement(sql, in: transaction.connection).run()
            return
        }
        let isPresent = try read { try hasIndex(index, of: table, in: $0) }
        if !isPresent { try write { _ = try PreparedStatement(sql, in: $0).run() } }
        addedIndexes.withLock { _ = $0.insert(name) }
    }

    /// Returns a Boolean value that indicates whether the file has an index, or one whose columns begin
    /// with the same ones.
    private func hasIndex(
        _ index: LookupIndex, of table: TableLayout, in connection: Database
    ) throws(PersistenceError) -> Bool {
        let statement = try PreparedStatement(
            "SELECT i.name, i.partial, c.name FROM pragma_index_list(?1) AS i, "
                + "pragma_index_info(i.name) AS c ORDER BY i.name, c.seqno", in: connection)
        try statement.bind(.text(table.name), at: 1)
        let name = StoredValue.text(index.name(in: table))
        var columns: [StoredValue: [StoredValue]] = [:]
        while try statement.step() {
            if statement.value(0) == name { return true }
            if statement.integer(1) != 0 { continue }
            columns[statement.value(0), default: []].append(statement.value(2))
        }
        if index.excludesNull { return false }
        let names = index.names(in: table)
        return columns.values.contains { $0.starts(with: names.map { .text($0) }) }
    }

    // MARK: Keys

    /// The least key that was never reserved; 1 if it cannot be read, as in a damaged file.
    package var nextKey: Int64 {
        // Also if another store has reset the file.
        let key = try? pool.access { pool in
            try pool.read { try Int64.fetchOne($0, sql: "SELECT next_key FROM restkit_store") }
        }
        return (key ?? nil) ?? 1
    }

    /// Reserves keys; a key is never reserved twice, even if its object is not saved.
    package func reserveKeys(
        _ count: Int, in transaction: StoreTransaction?
    ) throws(PersistenceError) -> Range<Int64> {
        // Later keys of a transaction are greater than those that it has reserved itself.
        if let transaction, transaction.reservedKeyCount > 0 {
            return try transaction.reserveKeys(count)
        }
        if let taken = takeKeys(Int64(count)) { return taken }
        if let transaction { return try transaction.reserveKeys(count) }
        // The first block may have been reserved while the writer was waited for.
        let reserved = try write { database in
            try takeKeys(Int64(count)) ?? Self.reserve(Int64(count), in: database)
        }
        giveUpKeys(below: reserved.upperBound)
        return reserved
    }

    private func takeKeys(_ count: Int64) -> Range<Int64>? {
        let (taken, needsRefill) = keys.take(count)
        if needsRefill { refillKeys() }
        return taken
    }

    /// Gives up reserved keys that are less than those that were assigned.
    func giveUpKeys(below key: Int64) {
        if keys.giveUp(below: key) { refillKeys() }
    }

    /// Reserves the first keys in the background, so that inserting an object does not wait.
    package func reserveKeysAhead() {
        if keys.take(0).needsRefill { refillKeys() }
    }

    /// Reserves keys in the background, unless another program has the lock of the writer: a save that is
    /// enqueued behind would wait for it twice.
    private func refillKeys() {
        do throws(PersistenceError) {
            try pool.enqueueWrite { [self, keys] database in
                keys.refill(
                    try? Self.withoutWaiting(in: database) {
                        try reserveAlone(KeyReservation.blockSize, in: database)
                    })
            }
        } catch {
            // The store is closed, which the next reservation reports.
            keys.refill(nil)
        }
    }

    private static func withoutWaiting<Result>(
        in database: Database, _ body: () throws -> Result
    ) throws -> Result {
        let timeout = try Int.fetchOne(database, sql: "PRAGMA busy_timeout") ?? 0
        try database.execute(sql: "PRAGMA busy_timeout = 0")
        defer { try? database.execute(sql: "PRAGMA busy_timeout = \(timeout)") }
        return try body()
    }

    /// Reserves keys in a transaction of their own.
    private func reserveAlone(_ count: Int64, in database: Database) throws -> Range<Int64> {
        var keys: Range<Int64> = 0..<0
        try database.inTransaction(.immediate) {
            keys = try Self.reserve(count, in: database)
            try evidence.settle(database)
            try CommitMark(database: database).write()
            return .commit
        }
        return keys
    }

    package static func reserve(_ count: Int64, in database: Database) throws -> Range<Int64> {
        let next = try Int64.fetchOne(
            database,
            sql: "UPDATE restkit_store SET next_key = next_key + ? RETURNING next_key",
            arguments: [count])
        guard let next else {
            throw PersistenceError(.corrupt, details: ["the row of restkit_store is missing"])
        }
        return next - count..<next
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Synchronization

/// The open database: connections, model, identity and reserved keys.
final class StoreDatabase: Sendable {
    let model: ManagedObjectModel
    let identity: UUID
    /// The isolation of background contexts.
    let worker = StoreWorker()
    /// The commits of all contexts.
    let feed = CommitFeed()
    private let pool: DatabasePool
    private let keys = KeyReservation()
    /// The names of the indexes that were added for identification attributes of mappings.
    private let addedIndexes = Mutex<Set<String>>([])

    init(
        path: String, model: ManagedObjectModel, configuration: StoreConfiguration
    ) throws(PersistenceError) {
        var settings = Configuration()
        settings.label = "RestPersistence"
        settings.busyMode = .timeout(configuration.busyTimeout / .seconds(1))
        settings.maximumReaderCount = max(1, configuration.maximumReaderCount)
        settings.prepareDatabase { database in
            try database.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
            database.add(collation: decimalCollation)
        }
        self.model = model
        identity = try StoreFile(path: path, model: model, configuration: settings).prepare()
        do {
            pool = try DatabasePool(path: path, configuration: settings)
        } catch {
            throw PersistenceError(wrapping: error)
        }
    }

    /// Closes the connections.
    ///
    /// The write-ahead log is checkpointed first, so that the file alone is complete. If another
    /// program is using the database, the log remains, and that program or the next one to open the
    /// file checkpoints it.
    func close() throws(PersistenceError) {
        feed.finish()
        do {
            _ = try? pool.writeWithoutTransaction { database in
                try database.checkpoint(.truncate)
            }
            try pool.close()
        } catch {
            throw PersistenceError(wrapping: error)
        }
    }

    func read<Result>(
        _ body: (Database) throws -> Result
    ) throws(PersistenceError) -> Result {
        do { return try pool.read(body) } catch { throw PersistenceError(wrapping: error) }
    }

    /// Calls a closure in a transaction, which is rolled back if the closure throws.
    func write<Result>(
        _ body: (Database) throws -> Result
    ) throws(PersistenceError) -> Result {
        do { return try pool.write(body) } catch { throw PersistenceError(wrapping: error) }
    }

    /// Calls a closure with a connection whose transaction reads one state of the store.
    func readSnapshot<Result: Sendable>(
        _ body: @Sendable (Database) throws -> Result
    ) async throws -> Result {
        try await pool.read(body)
    }

    // MARK: Saving

    /// Writes changes in one transaction and appends its commit to the feed.
    func save(
        _ changes: ChangeSet, _ policy: MergePolicy, _ writer: ContextToken
    ) throws(PersistenceError) -> SaveOutcome {
        do {
            return try pool.writeWithoutTransaction { database in
                try save(changes, policy, writer, in: database)
            }
        } catch {
            throw PersistenceError(wrapping: error)
        }
    }

    /// Writes changes in one transaction without blocking.
    func save(
        _ changes: ChangeSet, _ policy: MergePolicy, _ writer: ContextToken
    ) async -> Result<SaveOutcome, PersistenceError> {
        await withCheckedContinuation { continuation in
            pool.asyncWriteWithoutTransaction { database in
                let result: Result<SaveOutcome, PersistenceError>
                do {
                    result = .success(try self.save(changes, policy, writer, in: database))
                } catch {
                    result = .failure(PersistenceError(wrapping: error))
                }
                continuation.resume(returning: result)
            }
        }
    }

    private func save(
        _ changes: ChangeSet, _ policy: MergePolicy, _ token: ContextToken, in database: Database
    ) throws -> SaveOutcome {
        var writer = ChangeWriter(
            database: database, model: model, store: identity, policy: policy)
        try database.inTransaction(.immediate) {
            try writer.write(changes)
            return .commit
        }
        // On the writer's queue, so that the commits are in the order of the transactions.
        let outcome = writer.outcome(writer: token)
        if !outcome.commit.isEmpty { feed.append(outcome.commit) }
        return outcome
    }

    // MARK: Indexes

    /// Adds an index on columns that identify objects in a mapping, if the file has none.
    func addIndex(on columns: [Int], of table: TableLayout) throws(PersistenceError) {
        let names = columns.map { table.columns[$0].name }
        let name = (["restkit_lookup", table.name] + names).joined(separator: "_")
        if addedIndexes.withLock({ $0.contains(name) }) { return }
        let list = names.map(SQLIdentifier.quoted).joined(separator: ", ")
        let isPresent = try read { database in
            try database.indexes(on: table.name).contains { $0.columns.starts(with: names) }
        }
        if !isPresent {
            try write { database in
                try database.execute(
                    sql: "CREATE INDEX IF NOT EXISTS \(SQLIdentifier.quoted(name)) "
                        + "ON \(table.quoted) (\(list))")
            }
        }
        addedIndexes.withLock { _ = $0.insert(name) }
    }

    // MARK: Keys

    /// Reserves keys; a key is never reserved twice, even if its object is not saved.
    func reserveKeys(_ count: Int) throws(PersistenceError) -> Range<Int64> {
        let (taken, needsRefill) = keys.take(Int64(count))
        if needsRefill { refillKeys() }
        if let taken { return taken }
        return try write { database in try Self.reserve(Int64(count), in: database) }
    }

    /// Reserves the first keys in the background, so that inserting an object does not wait.
    func reserveKeysAhead() {
        if keys.take(0).needsRefill { refillKeys() }
    }

    private func refillKeys() {
        pool.asyncWriteWithoutTransaction { [keys] database in
            keys.refill(try? Self.reserve(KeyReservation.blockSize, in: database))
        }
    }

    private static func reserve(_ count: Int64, in database: Database) throws -> Range<Int64> {
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

/// A collation for decimals, which queries use and the schema does not.
private let decimalCollation = DatabaseCollation("restkit_decimal") { left, right in
    let order = DecimalText.compare(left, right)
    return order < 0 ? .orderedAscending : order > 0 ? .orderedDescending : .orderedSame
}

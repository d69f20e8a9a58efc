// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import GRDB
import Synchronization

/// The connections of a store, which can be closed while others use them.
///
/// A `DatabasePool` must not be closed during an access. Closing this pool waits for the accesses in
/// progress, and later ones throw an error.
final class ConnectionPool: Sendable {
    private struct Reader: Sendable {
        weak let connection: DatabaseQueue?
    }

    /// The version of the data when the pool was opened; see ``dataVersion(of:)``.
    let initialDataVersion: Int
    /// The knowledge of commits of other programs.
    let evidence: CommitEvidence
    private let pool: DatabasePool
    private let file: OpenFile
    /// A Boolean value that indicates whether accesses are errors.
    private let isClosed = Mutex(false)
    /// A Boolean value that indicates whether the connections are closed.
    private let isReleased = Mutex(false)
    private let accesses = DispatchGroup()
    /// The connections of contexts, which release them.
    private let readers = Mutex<[Reader]>([])
    /// The thread that runs a transaction with a closure of the caller.
    private let transactionThread = Mutex<ObjectIdentifier?>(nil)
    /// The threads that read snapshots with closures of callers.
    private let snapshotThreads = Mutex<Set<ObjectIdentifier>>([])
    private let snapshots: SnapshotReaders

    init(
        _ pool: DatabasePool, model: ManagedObjectModel, _ evidence: CommitEvidence
    ) throws {
        self.pool = pool
        self.evidence = evidence
        snapshots = SnapshotReaders(count: pool.configuration.maximumReaderCount)
        (file, initialDataVersion) = try pool.writeWithoutTransaction { database in
            try (
                OpenFile(pool.path, model: model, in: database), Self.dataVersion(of: database)
            )
        }
    }

    /// Returns a number that changes with the commits of other connections than the given one.
    static func dataVersion(of database: Database) throws -> Int {
        try Int.fetchOne(database, sql: "PRAGMA data_version") ?? 0
    }

    // MARK: Accesses

    /// Checks in a transaction that writes that no other program has replaced or migrated the file.
    ///
    /// - Throws: ``PersistenceError`` with code `fileChanged`.
    func checkFile(in database: Database) throws { try file.check(in: database) }

    /// Checks in a transaction that no other store has reset the file.
    ///
    /// - Throws: ``PersistenceError`` with code `fileChanged`.
    func checkContent(in database: Database) throws { try file.checkContent(in: database) }

    /// Returns an error with the path of the file, or with what other programs did to it.
    func explained(_ error: any Error) -> PersistenceError {
        let error = PersistenceError(wrapping: error, at: pool.path)
        // An access that began before this store has replaced the content.
        if error.code == .fileChanged, isClosed.withLock(\.self) {
            return PersistenceError(.storeClosed)
        }
        return file.explaining(error, pool.configuration)
    }

    /// Calls a closure with the pool.
    ///
    /// - Throws: The error of the closure as ``PersistenceError``, or one with code `storeClosed`.
    func access<Result>(
        _ body: (DatabasePool) throws -> Result
    ) throws(PersistenceError) -> Result {
        try enter()
        defer { accesses.leave() }
        do { return try body(pool) } catch { throw explained(error) }
    }

    /// Calls a closure that writes with the pool, and waits for the writer.
    ///
    /// - Throws: The error of the closure as ``PersistenceError``, or one with code `storeClosed`, or
    ///   `busy` in a transaction, which would wait for itself.
    func write<Result>(
        _ body: (DatabasePool) throws -> Result
    ) throws(PersistenceError) -> Result {
        try checkTransactions()
        return try access(body)
    }

    /// Calls a closure with the connection that writes, in which other writes are errors.
    ///
    /// - Throws: An error of ``write(_:)``.
    func transact<Result>(
        _ body: (Database) throws -> Result
    ) throws(PersistenceError) -> Result {
        try write { pool in
            try pool.writeWithoutTransaction { database in
                transactionThread.withLock { $0 = ObjectIdentifier(Thread.current) }
                defer { transactionThread.withLock { $0 = nil } }
                return try body(database)
            }
        }
    }

    /// Checks that the thread is not in a transaction with a closure of the caller.
    private func checkTransactions() throws(PersistenceError) {
        guard transactionThread.withLock(\.self) == ObjectIdentifier(Thread.current) else { return }
        throw PersistenceError(
            .busy,
            details: [
                "the closure is called in a transaction of the store; change and save the objects of "
                    + "its context"
            ])
    }

    /// Checks that the thread is not in a snapshot with a closure of the caller.
    private func checkSnapshots() throws(PersistenceError) {
        let isInSnapshot = snapshotThreads.withLock {
            !$0.isEmpty && $0.contains(ObjectIdentifier(Thread.current))
        }
        guard isInSnapshot else { return }
        throw PersistenceError(
            .busy,
            details: ["the closure is called in a read of the store; read by its context"])
    }

    /// Checks that the thread is not in an access with a closure of the caller, for which closing would
    /// wait.
    func checkReentrancy() throws(PersistenceError) {
        try checkTransactions()
        try checkSnapshots()
    }

    /// Calls a closure with a connection that reads.
    ///
    /// - Throws: The error of the closure as ``PersistenceError``, or one with code `storeClosed`, or
    ///   `busy` in a snapshot, whose connection would be used for another read.
    func read<Result>(
        _ body: (Database) throws -> Result
    ) throws(PersistenceError) -> Result {
        try checkSnapshots()
        return try access { pool in
            try pool.read { database in
                try file.checkContent(in: database)
                return try body(database)
            }
        }
    }

    /// Calls a closure with a connection whose transaction reads one state of the file, in which other
    /// reads are errors.
    ///
    /// The access ends on the thread of the read, and not on an actor that ``close()`` may block.
    ///
    /// - Throws: The error of the closure, or ``PersistenceError`` with code `storeClosed`, or of the
    ///   connection; `CancellationError` if the task is cancelled.
    func readSnapshot<Result: Sendable>(
        _ body: @Sendable (Database) throws -> Result
    ) async throws -> Result {
        try await snapshots.run { interruption in
            try enter()
            defer { accesses.leave() }
            do {
                return try pool.read { database in
                    let thread = ObjectIdentifier(Thread.current)
                    snapshotThreads.withLock { _ = $0.insert(thread) }
                    defer { snapshotThreads.withLock { _ = $0.remove(thread) } }
                    try file.checkContent(in: database)
                    return try interruption.reading(database, body)
                }
            } catch  where error is PersistenceError || error is DatabaseError {
                throw explained(error)
            }
        }
    }

    /// Calls a closure on the writer's queue, without blocking.
    ///
    /// - Throws: ``PersistenceError`` with code `storeClosed`; the closure is then not called.
    func enqueueWrite(
        _ body: @escaping @Sendable (Database) -> Void
    ) throws(PersistenceError) {
        try enter()
        pool.asyncWriteWithoutTransaction { [accesses] database in
            body(database)
            accesses.leave()
        }
    }

    /// Opens a connection that can read the file and have temporary tables, which are in memory, so
    /// that unsaved values never reach the disk.
    func makeReader() throws(PersistenceError) -> DatabaseQueue {
        try access { pool in
            var configuration = pool.configuration
            configuration.readonly = true
            configuration.prepareDatabase { database in
                try database.execute(sql: "PRAGMA temp_store = MEMORY")
            }
            let connection = try DatabaseQueue(path: pool.path, configuration: configuration)
            readers.withLock { readers in
                readers.removeAll { $0.connection == nil }
                readers.append(Reader(connection: connection))
            }
            return connection
        }
    }

    /// Checks that the pool is open.
    ///
    /// - Throws: ``PersistenceError`` with code `storeClosed`.
    func checkOpen() throws(PersistenceError) {
        if isClosed.withLock(\.self) { throw PersistenceError(.storeClosed) }
    }

    private func enter() throws(PersistenceError) {
        try isClosed.withLock { isClosed throws(PersistenceError) in
            if isClosed { throw PersistenceError(.storeClosed) }
            accesses.enter()
        }
    }

    // MARK: Replacing

    /// Replaces the content of the file by that of another one, after which all accesses are errors with code
    /// `storeClosed`.
    ///
    /// It is one transaction: other stores that have the file open, also of other processes, keep what they
    /// are reading, and then find another content. If it fails, the pool is open and nothing is changed.
    ///
    /// - Parameter path: The path of a complete database, which is not open.
    /// - Throws: ``PersistenceError`` with code `busy` if another program is writing, `fileChanged` if the
    ///   file was removed, `corrupt` or `notADatabase`.
    func replaceContent(by path: String) throws(PersistenceError) {
        try write { pool in
            try pool.writeWithoutTransaction { database in
                if file.isRemoved { throw file.removed() }
                let source = try DatabaseQueue(path: path, configuration: pool.configuration)
                try source.writeWithoutTransaction { source in
                    // SQLite replaces no pages by those of another size beside other connections.
                    let size = try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 0
                    if try Int.fetchOne(source, sql: "PRAGMA page_size") != size {
                        try source.execute(sql: "PRAGMA page_size = \(size); VACUUM")
                    }
                    try source.backup(to: database)
                }
                isClosed.withLock { $0 = true }
                try? source.close()
            }
        }
    }

    // MARK: Closing

    /// Closes the connections after the accesses in progress; closing again has no effect.
    ///
    /// The write-ahead log is checkpointed first, so that the file alone is complete. If another
    /// program is using the database, the log remains, and that program or the next one to open the
    /// file checkpoints it.
    func close() throws(PersistenceError) {
        isClosed.withLock { $0 = true }
        accesses.wait()
        let wasReleased = isReleased.withLock { isReleased in
            defer { isReleased = true }
            return isReleased
        }
        if wasReleased { return }
        do {
            for reader in readers.withLock(\.self) { try reader.connection?.close() }
            if !pool.configuration.readonly {
                _ = try? pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
            }
            // Before the writer: SQLite removes the log with the last connection, if that can write.
            pool.releaseMemory()
            try pool.close()
        } catch {
            throw PersistenceError(wrapping: error, at: pool.path)
        }
    }
}

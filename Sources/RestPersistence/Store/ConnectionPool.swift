// SPDX-License-Identifier: Apache-2.0

import Dispatch
import GRDB
import Synchronization

/// The connections of a store, which can be closed while others use them.
///
/// A `DatabasePool` must not be closed during an access. Closing this pool waits for the accesses in
/// progress, and later ones throw an error.
final class ConnectionPool: Sendable {
    private let pool: DatabasePool
    private let isClosed = Mutex(false)
    private let accesses = DispatchGroup()

    init(_ pool: DatabasePool) { self.pool = pool }

    /// Calls a closure with the pool.
    ///
    /// - Throws: The error of the closure as ``PersistenceError``, or one with code `storeClosed`.
    func access<Result>(
        _ body: (DatabasePool) throws -> Result
    ) throws(PersistenceError) -> Result {
        try isClosed.withLock { isClosed throws(PersistenceError) in
            if isClosed { throw PersistenceError(.storeClosed) }
            accesses.enter()
        }
        defer { accesses.leave() }
        do { return try body(pool) } catch { throw PersistenceError(wrapping: error) }
    }

    /// Closes the connections after the accesses in progress; closing again has no effect.
    ///
    /// The write-ahead log is checkpointed first, so that the file alone is complete. If another
    /// program is using the database, the log remains, and that program or the next one to open the
    /// file checkpoints it.
    func close() throws(PersistenceError) {
        let wasClosed = isClosed.withLock { isClosed in
            defer { isClosed = true }
            return isClosed
        }
        accesses.wait()
        if wasClosed { return }
        do {
            if !pool.configuration.readonly {
                _ = try? pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
            }
            try pool.close()
        } catch {
            throw PersistenceError(wrapping: error)
        }
    }
}

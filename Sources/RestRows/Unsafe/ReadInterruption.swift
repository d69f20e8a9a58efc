// SPDX-License-Identifier: Apache-2.0

import GRDB
import GRDBSQLite
import Synchronization

/// The interruption of the query of a read whose task is cancelled.
///
/// `sqlite3_interrupt` is the function of SQLite that other threads may call during a query, as long as the
/// connection is open.
final class ReadInterruption: Sendable {
    /// Invariant: the pointer is used only under the lock under which the read forgets it at its end, and
    /// the connection is open until then.
    @safe private struct Connection: @unchecked Sendable {
        let pointer: OpaquePointer?
    }

    private struct State {
        var isCancelled = false
        var connection: Connection?
    }

    private let state = Mutex(State())

    /// A Boolean value that indicates whether the task was cancelled during the read.
    var hasInterrupted: Bool { state.withLock(\.isCancelled) }

    /// Calls a closure with a connection whose queries can be interrupted.
    ///
    /// - Throws: The error of the closure, or `CancellationError` if the task is cancelled already.
    func reading<Result>(
        _ database: Database, _ body: (Database) throws -> Result
    ) throws -> Result {
        let connection = unsafe Connection(pointer: database.sqliteConnection)
        let isCancelled = state.withLock { state in
            state.connection = connection
            return state.isCancelled
        }
        defer { state.withLock { $0.connection = nil } }
        if isCancelled { throw CancellationError() }
        return try body(database)
    }

    /// Interrupts the query in progress.
    func interrupt() {
        state.withLock { state in
            state.isCancelled = true
            if let connection = state.connection { unsafe sqlite3_interrupt(connection.pointer) }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import GRDB
import Synchronization

/// The closures that wait for the next shared transaction of a store.
///
/// A closure that arrives alone is run at once. Closures that arrive while a transaction is running wait for the
/// next one, which commits all of them.
///
/// The identity of the closures of one store.
package final class TransactionGroup: Sendable {
    /// A closure, and the function that takes its end.
    package struct Member: Sendable {
        let body: @Sendable (StoreTransaction) throws -> Void
        let end: @Sendable (Result<Void, any Error>) -> Void

        /// Creates a member.
        ///
        /// - Parameters:
        ///   - body: A closure that reads and writes in the transaction. It is called again, alone, if the shared
        ///     transaction cannot be committed.
        ///   - end: A closure that is called once, after the commit or after the failure of `body`.
        package init(
            _ body: @escaping @Sendable (StoreTransaction) throws -> Void,
            end: @escaping @Sendable (Result<Void, any Error>) -> Void
        ) {
            self.body = body
            self.end = end
        }
    }

    private struct State {
        var waiting: [Member] = []
        /// A Boolean value that indicates whether a caller of ``add(_:)`` runs the members.
        var isRunning = false
    }

    private let state = Mutex(State())

    /// The number of members that wait.
    package var count: Int { state.withLock(\.waiting.count) }

    /// Adds a member.
    ///
    /// - Returns: `true` if the caller has to run the members, because nobody else does.
    package func add(_ member: Member) -> Bool {
        state.withLock { state in
            state.waiting.append(member)
            defer { state.isRunning = true }
            return !state.isRunning
        }
    }

    /// Takes all members that wait.
    fileprivate func take() -> [Member] {
        state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
    }

    /// Returns a Boolean value that indicates whether members have arrived, which the caller has to run.
    fileprivate func hasNext() -> Bool {
        state.withLock { state in
            state.isRunning = !state.waiting.isEmpty
            return state.isRunning
        }
    }
}

extension StoreDatabase {
    /// Runs the members of the group that wait, in one transaction.
    ///
    /// - Returns: `true` if others have arrived meanwhile, which the caller has to run.
    package func transactGroup() -> Bool {
        let members = group.take()
        for (member, result) in zip(members, transact(members.map(\.body))) { member.end(result) }
        return group.hasNext()
    }

    /// Calls closures in one transaction, in order.
    ///
    /// Each closure has a savepoint, so that the others do not fail with it. If the transaction cannot be committed,
    /// each closure is called again in a transaction of its own.
    ///
    /// - Returns: The end of each closure.
    private func transact(
        _ bodies: [@Sendable (StoreTransaction) throws -> Void]
    ) -> [Result<Void, any Error>] {
        if bodies.count > 1, let results = try? transactOnce(bodies) { return results }
        return bodies.map { body in Result { try transact(body) } }
    }

    /// Calls closures in one transaction on the writer's queue, each with a savepoint, and appends their commits to
    /// the feed.
    ///
    /// - Returns: The end of each closure.
    /// - Throws: ``PersistenceError`` of the transaction, which then has no effect.
    private func transactOnce(
        _ bodies: [@Sendable (StoreTransaction) throws -> Void]
    ) throws(PersistenceError) -> [Result<Void, any Error>] {
        try pool.transact { connection in
            var saved: [StoreTransaction] = []
            var results: [Result<Void, any Error>] = []
            var keyEnd: Int64 = 0
            defer { if keyEnd > 0 { giveUpKeys(below: keyEnd) } }
            try connection.inTransaction(.immediate) {
                try pool.checkFile(in: connection)
                let changeCount = connection.totalChangesCount
                for body in bodies {
                    let transaction = StoreTransaction(connection, of: self, after: saved.last)
                    let result = Result {
                        try connection.inSavepoint {
                            try body(transaction)
                            try transaction.finish()
                            return .commit
                        }
                    }
                    // Some errors of SQLite, such as a full disk, roll back all.
                    if case .failure(let error) = result, !connection.isInsideTransaction {
                        throw error
                    }
                    results.append(result)
                    keyEnd = max(keyEnd, transaction.reservedKeyEnd)
                    if case .success = result {
                        saved.append(transaction)
                    } else if transaction.reservedKeyCount > 0 {
                        // The rollback has released the keys, but the closure has seen them.
                        _ = try Self.reserve(transaction.reservedKeyCount, in: connection)
                    }
                }
                let isChanged = connection.totalChangesCount != changeCount
                if isChanged || saved.contains(where: \.hasChangedSchema) {
                    if saved.last?.dataVersion == nil { try evidence.settle(connection) }
                    try CommitMark(database: connection).write()
                }
                return .commit
            }
            for transaction in saved { publish(transaction) }
            return results
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The content of a store, from its opening or a reset to the next reset or the closing of the store.
///
/// Work of several steps, such as a request and the import of its response, belongs to the content that the
/// store had at its start. After a reset the remaining steps fail with code `storeClosed`, so that they do
/// not write the rows of one user into the store of the next.
package struct StoreContent: Sendable {
    package let database: StoreDatabase

    /// The model of the store.
    package var model: ManagedObjectModel { database.model }

    /// The present moment.
    package var moment: CommitPosition { CommitPosition(database.feed) }

    /// The commits from now on, until the content is replaced or the store is closed.
    package var commits: AsyncStream<StoreCommit> { database.commits() }

    /// Checks that the store is open and has this content, and that no other store has reset the file.
    ///
    /// - Throws: ``PersistenceError`` with code `storeClosed` or `fileChanged`; `CancellationError`.
    package func checkContent() async throws { try await database.readSnapshot { _ in } }

    /// Returns a new context for the caller to own; see ``ManagedObjectStore/makeContext()``.
    package func makeContext() -> sending ManagedObjectContext {
        database.reserveKeysAhead()
        return ManagedObjectContext(database, isTracked: true)
    }

    /// Calls a closure with a new context in one transaction; see ``ManagedObjectStore/write(_:)``.
    ///
    /// - Throws: The errors of ``ManagedObjectStore/write(_:)``.
    package func write<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> Result {
        try await database.transactions.transact(database, nil, database.mergePolicy, body).0
    }

    /// Calls a closure with a new context in a transaction that it may share with others.
    ///
    /// Closures that arrive while a transaction is running wait for the next one. None fails with another. The
    /// cancellation of the task has no effect.
    ///
    /// - Parameter body: A closure that is called again if the shared transaction cannot be committed.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure; ``PersistenceError`` of saving or of the transaction.
    package func writeTogether<Result: Sendable>(
        _ body: @escaping @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> Result {
        let result = Mutex<Result?>(nil)
        try await withCheckedThrowingContinuation { continuation in
            let member = TransactionGroup.Member { [database] transaction in
                let value = try database.run(body, in: transaction)
                result.withLock { $0 = value }
            } end: {
                continuation.resume(with: $0)
            }
            if database.group.add(member) { database.runGroup() }
        }
        guard let value = result.withLock(\.self) else { throw CancellationError() }
        return value
    }

    /// Performs an action of the observer of the store in a transaction that it may share with others.
    ///
    /// The cancellation of the task has no effect.
    package func perform(_ action: any SaveAction) async throws {
        try await writeTogether { try $0.rows.perform(action) }
    }

    /// Calls a closure with a context that reads one snapshot; see ``ManagedObjectStore/read(_:)``.
    ///
    /// - Throws: The errors of ``ManagedObjectStore/read(_:)``.
    package func read<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> Result {
        try await database.readSnapshot { [database] connection in
            try body(ManagedObjectContext(database, role: .snapshot(connection)))
        }
    }

    /// Calls a closure and cancels its task when the content is replaced or the store is closed.
    ///
    /// - Returns: A Boolean value that indicates whether the content was replaced or the store closed.
    package func whileOpen(_ body: @escaping @Sendable () async -> Void) async -> Bool {
        // No element is needed, only the end.
        let commits = database.feed.commits(limit: 1)
        return await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                await body()
                return false
            }
            group.addTask {
                for await _ in commits {}
                return !Task.isCancelled
            }
            let isClosed = await group.next() ?? false
            group.cancelAll()
            return isClosed
        }
    }
}

extension StoreContent: Equatable {
    /// Returns a Boolean value that indicates whether no reset is between two contents of a store.
    package static func == (left: StoreContent, right: StoreContent) -> Bool {
        left.database === right.database
    }
}

extension ManagedObjectStore {
    /// The content of the store, to which work that begins now belongs.
    package var content: StoreContent { StoreContent(database: database) }

    /// The present moment.
    package var moment: CommitPosition { CommitPosition(database.feed) }

    /// Returns the content after a reset in progress; `nil` if the store is closed.
    package func openContent() async -> StoreContent? {
        await openDatabase().map(StoreContent.init)
    }
}

extension ManagedObjectContext {
    /// The content of the store to which the context belongs.
    package var content: StoreContent { StoreContent(database: database) }
}

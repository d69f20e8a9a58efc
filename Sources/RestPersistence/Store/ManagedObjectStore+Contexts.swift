// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectStore {
    /// Returns a new context for the caller to own, such as an actor or a task.
    ///
    /// ```swift
    /// actor Importer {
    ///     private let context: ManagedObjectContext
    ///     init(_ store: ManagedObjectStore) { context = store.makeContext() }
    /// }
    /// ```
    ///
    /// On an actor, use the asynchronous forms of saving, which do not block its thread.
    public func makeContext() -> sending ManagedObjectContext {
        content.makeContext()
    }

    /// Calls a closure with a new context on the store's queue.
    ///
    /// Objects cannot leave the closure. Return IDs, counts or values instead. The closure saves its
    /// changes, or discards them by ``ManagedObjectContext/rollback()``.
    ///
    /// - Throws: The error of the closure; ``PersistenceError`` with code `unsavedChanges` if the closure
    ///   returns with changes that it has not saved; `CancellationError` if the task was cancelled before
    ///   the closure was called. Cancellation does not interrupt the closure.
    public func perform<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> Result {
        let database = database
        return try await database.worker.run(database, body)
    }

    /// Calls a closure with a new context in one transaction, which saves its changes.
    ///
    /// No other connection writes between the lookups of the closure and its changes, whether of this
    /// process or of another one. All changes are committed when the closure returns, including those
    /// that it has not saved. Saving in the closure writes into the transaction, so that later queries
    /// are plain ones.
    ///
    /// ```swift
    /// try await store.write { context in
    ///     let known = try context.first(Airport.self, where: { $0.code == "OSL" })
    ///     let airport = try known ?? Airport.insert(into: context, code: "OSL", name: "Oslo")
    ///     airport.passengers += 1
    /// }
    /// ```
    ///
    /// Writers wait for the closure, so it should do nothing else. Saving another context in it is an
    /// error with code `busy`.
    ///
    /// - Throws: The error of the closure; ``PersistenceError`` of saving; `CancellationError` if the
    ///   task was cancelled before the end of the transaction. The store is then unchanged.
    public func write<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> Result {
        try await content.write(body)
    }

    /// Calls a closure with a context that reads one snapshot of the store, beside writers.
    ///
    /// All fetches of the closure see the same state. The closure can change objects, as for
    /// fetching what would result, but not save them. Reading by another context in it is an error with
    /// code `busy`.
    ///
    /// - Throws: The error of the closure, or `CancellationError` if the task is cancelled.
    public func read<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> Result {
        try await content.read(body)
    }

    /// The commits of all contexts and of other connections from now on, in the order of their
    /// transactions.
    ///
    /// A slow reader misses nothing; the commits it has not read are kept in memory.
    public var commits: AsyncStream<StoreCommit> { database.commits() }
}

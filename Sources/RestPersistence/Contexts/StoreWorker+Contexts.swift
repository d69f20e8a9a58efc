// SPDX-License-Identifier: Apache-2.0

extension StoreWorker {
    func run<Result: Sendable>(
        _ database: StoreDatabase,
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        try Task.checkCancellation()
        let context = ManagedObjectContext(database, isTracked: true)
        let result = try body(context)
        try context.throwUnsavedChanges()
        return result
    }

    /// Calls a closure with a context in one transaction, and saves what it has not saved.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - parts: The changes below the context, which are saved as well, and those that stay unsaved; `nil`
    ///     for none.
    ///   - policy: The merge policy.
    ///   - body: The closure.
    /// - Returns: The result of the closure, and that of the transaction.
    /// - Throws: The error of the closure; `CancellationError`; ``PersistenceError`` of saving.
    func transact<Result: Sendable>(
        _ database: StoreDatabase, _ parts: ChangePartition? = nil, _ policy: MergePolicy,
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> (Result, TransactionOutcome) {
        try Task.checkCancellation()
        return try database.transact { transaction in
            var parts = parts
            try parts?.postponeConflicts(
                in: transaction.connection, of: database.model, store: database.identity)
            let context = ManagedObjectContext(
                database, role: .transaction(transaction),
                layers: parts.map { $0.saved.isEmpty ? [] : [$0.saved] } ?? [])
            context.mergePolicy = policy
            let result = try body(context)
            try context.errors.throwReadingErrors()
            if context.hasChanges || !context.layered.layers.lower.isEmpty { try context.save() }
            // A cancelled caller is told that nothing was saved, so nothing is.
            try Task.checkCancellation()
            let outcome = TransactionOutcome(
                report: transaction.report, staleKeys: transaction.staleKeys,
                changes: context.layered.layers.transferred, parts: parts)
            return (result, outcome)
        }
    }

    /// Calls a closure with a child of layers, and returns the changes that it saved, with the keys that
    /// evictions keep as long as the caller has them.
    func runChild<Result: Sendable>(
        _ database: StoreDatabase, _ layers: [ChangeSet], _ policy: MergePolicy,
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> (Result, ChangeSet, UnsavedKeys?) {
        try Task.checkCancellation()
        let child = ManagedObjectContext(
            database, role: .transfer, layers: layers, isTracked: true)
        child.mergePolicy = policy
        let result = try body(child)
        try child.throwUnsavedChanges()
        return (result, child.layered.layers.transferred, child.layered.layers.unsavedKeys)
    }
}

extension StoreDatabase {
    /// Runs the closures of the group, one transaction after the other, and lets other transactions in between.
    func runGroup() {
        Task { if await transactions.transactGroup(self) { runGroup() } }
    }

    /// Calls a closure with a context in a transaction, and saves what it has not saved.
    func run<Result>(
        _ body: (ManagedObjectContext) throws -> Result, in transaction: StoreTransaction
    ) throws -> Result {
        let context = ManagedObjectContext(self, role: .transaction(transaction))
        context.mergePolicy = mergePolicy
        let result = try body(context)
        try context.errors.throwReadingErrors()
        if context.hasChanges || !context.layered.layers.lower.isEmpty { try context.save() }
        return result
    }
}

extension StoreWorker {
    fileprivate func transactGroup(_ database: StoreDatabase) -> Bool { database.transactGroup() }
}

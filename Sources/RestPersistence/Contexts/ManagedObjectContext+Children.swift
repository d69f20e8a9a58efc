// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectContext {
    /// Returns a context whose changes are saved to this one.
    ///
    /// The child has the unsaved changes of this context, and takes later ones when it fetches, saves
    /// or is refreshed. Saving it changes this context and not the store. A child that is released
    /// without being saved has no effect. The cost does not depend on the number of unsaved changes.
    public func child() -> ManagedObjectContext {
        takeCommits()
        let child = ManagedObjectContext(
            database, role: childRole, layers: layered.layers.all, isObserved: isObserved,
            isTracked: layered.layers.unsavedKeys != nil)
        child.layered.layers.parentVersion = layered.layers.journal.version
        child.mergePolicy = mergePolicy
        child.layered.layers.hasUnstorableValues = layered.layers.hasUnstorableValues
        return child
    }

    private var childRole: Role {
        if case .snapshot(let connection) = role { .snapshot(connection) } else { .child(of: self) }
    }

    /// Calls a closure with a child of this context on another thread, and takes what it saves.
    ///
    /// The child has the unsaved changes that this context has at the start. When the closure
    /// returns, the changes that it has saved become unsaved changes of this context; those that it
    /// has not saved are discarded. A property that this context has changed in the meantime as well
    /// is subject to ``mergePolicy``.
    ///
    /// - Throws: The error of the closure; `CancellationError`; ``PersistenceError`` with code
    ///   `saveConflict` or `objectNotFound`. This context is then unchanged.
    public func performChild<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> Result {
        try await performChild(keepingEditsSince: nil, body)
    }

    /// Calls a closure with a child of this context on another thread, and takes what it saves, except for
    /// what a program has edited since a moment.
    ///
    /// - Parameters:
    ///   - moment: The moment with the unsaved changes before the request was sent; `nil` for none.
    ///   - body: The closure.
    /// - Returns: The result of the closure.
    /// - Throws: The errors of ``performChild(_:)``.
    package func performChild<Result: Sendable>(
        keepingEditsSince moment: CommitPosition?,
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> Result {
        let (result, changes, keys) = try await runChild(body)
        return try withExtendedLifetime(keys) {
            takeCommits()
            let former = moment?.withUnsaved { $0 }
            try absorb(former.map { withoutEdits(changes, since: $0) } ?? changes, mergePolicy)
            return result
        }
    }

    /// Returns changes without those of rows and properties that a program has deleted or edited since
    /// former ones.
    private func withoutEdits(_ changes: ChangeSet, since former: [ChangeSet]) -> ChangeSet {
        var changes = changes
        for table in model.tables.indices where changes.tables[table].count > 0 {
            let rows = changes.tables[table]
            var deleted: Set<Int64> = []
            var edited: [Int64: ColumnMask] = [:]
            for slot in 0..<rows.count {
                let key = rows.keys[slot]
                if layered.layers.isDeleted(key, table) { deleted.insert(key) }
                for column in rows.masks[slot].columns
                where layered.layers.isEdited(key, column, table) {
                    let known = former.lazy.reversed().compactMap {
                        $0.tables[table].changedValue(key, column)
                    }.first
                    if layered.layers.changedValue(key, column, table) != known {
                        edited[key, default: ColumnMask()].insert(column)
                    }
                }
            }
            if deleted.isEmpty, edited.isEmpty { continue }
            changes.update(table) {
                $0 = TableChanges(width: rows.width)
                $0.absorb(rows, except: deleted, columns: edited)
            }
        }
        for link in model.links.indices {
            for pair in changes.links[link].pairs.keys {
                guard let edit = layered.layers.linkChange(pair, link), edit.isEdit,
                    former.last(where: { $0.links[link].pairs[pair] != nil })?
                        .links[link].pairs[pair] != edit
                else { continue }
                changes.updateLink(link) { $0.remove(pair) }
            }
        }
        return changes
    }

    /// Calls a closure with a context of another thread, and saves its changes for a request, in one
    /// transaction.
    ///
    /// The new objects of this context and of its parents are saved as well, and what the request has sent,
    /// whatever the store has. New objects that other requests are sending, that are invalid or whose identity
    /// another object has, stay unsaved with those that refer to them. Edits and deletions of other objects
    /// stay unsaved, and the closure does not find them: they are as if another context had saved the response.
    /// An edit is resolved if the closure sets its value or deletes its object.
    ///
    /// The closure is called in the transaction, so that it finds what it saves over. Changes that are
    /// made to this context in the meantime are not part of the transaction and stay unsaved.
    ///
    /// - Parameters:
    ///   - sent: The changes that the request has sent; `nil` for none.
    ///   - body: The closure.
    /// - Returns: The result of the closure, and the rows that the transaction wrote.
    /// - Throws: The error of the closure; `CancellationError`; ``PersistenceError`` of saving. The
    ///   store and all contexts are then unchanged.
    package func performChildAndSave<Result: Sendable>(
        sent: SentChanges? = nil, _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> (Result, SaveReport) {
        try await chain.write(sent: sent, adding: body)
    }

    private func runChild<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> (Result, ChangeSet, UnsavedKeys?) {
        if case .snapshot = role {
            throw PersistenceError(
                .readOnly, details: ["the context of read(_:) has no asynchronous children"])
        }
        takeCommits()
        return try await StoreWorker().runChild(database, layered.layers.all, mergePolicy, body)
    }
}

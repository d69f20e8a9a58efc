// SPDX-License-Identifier: Apache-2.0

import GRDB

extension ManagedObjectContext {
    /// Saves all unsaved changes to the parent, or in one transaction to the store.
    ///
    /// Rows that already have all values are not written, and their observers are not notified. If
    /// saving fails, the parent or the store and this context are unchanged.
    ///
    /// Saving to the store blocks the thread until the writer is free. On an actor, use the
    /// asynchronous form.
    ///
    /// - Throws: ``PersistenceError`` with code `invalidObject` and all validation errors,
    ///   `saveConflict`, `objectNotFound` for a row that was deleted elsewhere, `identityConflict`,
    ///   `relationshipConflict`, `saveRejected`, `readOnly`, `storageFull` or `busy`, also in a child
    ///   while earlier changes of it are being written to the store.
    @discardableResult
    public func save() throws(PersistenceError) -> SaveReport {
        if parent != nil, layered.layers.sealed != nil {
            // The parent takes the earlier changes from the store, when they are written.
            throw PersistenceError(
                .busy,
                details: [
                    "earlier changes of the context are being written to the store; use the "
                        + "asynchronous form, which waits"
                ])
        }
        try prepareToSave()
        if let report = try push() { return report }
        return try SaveChain(only: self).write()
    }

    /// Saves all unsaved changes to the parent, or in one transaction to the store, without blocking.
    ///
    /// Changes that are made while the transaction is running are not part of it and stay unsaved. If
    /// saving fails, both are unsaved changes afterwards. Cancellation does not interrupt saving.
    ///
    /// - Throws: An error of the synchronous form.
    @discardableResult
    public func save() async throws(PersistenceError) -> SaveReport {
        await SaveChain(only: self).waitForSaves()
        try prepareToSave()
        if let report = try push() { return report }
        return try await SaveChain(only: self).write()
    }

    /// Saves all unsaved changes to the store, and what a closure writes in the same transaction,
    /// without blocking.
    func save(
        recording record: @escaping @Sendable (Database) throws -> Void
    ) async throws(PersistenceError) -> SaveReport {
        await SaveChain(only: self).waitForSaves()
        try prepareToSave()
        return try await SaveChain(only: self).write(recording: record)
    }

    /// Saves the unsaved changes of this context and of all its parents in one transaction.
    ///
    /// If saving fails, the store and all contexts are unchanged.
    ///
    /// - Throws: An error of saving, or with code `readOnly` in a context of
    ///   ``performChild(_:)``, whose parent is not reachable: save the parent afterwards.
    @discardableResult
    public func saveToStore() throws(PersistenceError) -> SaveReport {
        let chain = try preparedChain()
        return try chain.write()
    }

    /// Saves the unsaved changes of this context and of all its parents in one transaction, without
    /// blocking.
    ///
    /// - Throws: An error of the synchronous form.
    @discardableResult
    public func saveToStore() async throws(PersistenceError) -> SaveReport {
        await chain.waitForSaves()
        let chain = try preparedChain()
        return try await chain.write()
    }

    // MARK: Preparing

    /// This context and its parents, the root last.
    var chain: SaveChain { SaveChain(of: self) }

    /// The context of the chain that saves to the store.
    var root: ManagedObjectContext { parent?.root ?? self }

    private func preparedChain() throws(PersistenceError) -> SaveChain {
        let chain = try writableChain()
        for context in chain.contexts { try context.prepareToSave() }
        return chain
    }

    func writableChain() throws(PersistenceError) -> SaveChain {
        if case .transfer = role {
            throw PersistenceError(
                .readOnly,
                details: ["the context of performChild(_:) saves to its parent only"])
        }
        return chain
    }

    private func prepareToSave() throws(PersistenceError) {
        try callWillSave()
        try validate(layered.layers.top)
    }

    /// Takes commits and calls the hook.
    func callWillSave() throws(PersistenceError) {
        if case .snapshot = role {
            throw PersistenceError(
                .readOnly, details: ["the context of read(_:) cannot save"])
        }
        try errors.throwReadingErrors()
        takeCommits()
        guard let willSave else { return }
        do {
            try willSave(self)
        } catch {
            throw PersistenceError(.saveRejected, underlying: error)
        }
        try errors.throwReadingErrors()
    }

    private func validate(_ changes: ChangeSet) throws(PersistenceError) {
        let errors = try validationErrors(of: changes)
        self.errors.deferred = []
        if !errors.isEmpty { throw PersistenceError(validationErrors: errors) }
    }

    // MARK: Pushing

    /// Moves the changes to the parent.
    ///
    /// - Returns: The number of moved changes; `nil` for a context without a parent.
    private func push() throws(PersistenceError) -> SaveReport? {
        var isAltered = false
        switch role {
        case .root, .snapshot, .transaction: return nil
        case .child(let parent):
            // The parent may have no object of a row that others have deleted.
            var missing: Set<Int64> = []
            for table in layered.layers.top.tables {
                for slot in 0..<table.count where table.states[slot] == .updated {
                    let key = table.keys[slot]
                    if identityMap[key]?.isDeleted == true { missing.insert(key) }
                }
            }
            isAltered = try parent.absorb(layered.layers.top, mergePolicy, missing: missing)
            for (table, keys) in layered.layers.rowsChangedBelow {
                parent.layered.layers.rowsChangedBelow[table, default: []].formUnion(keys)
            }
        case .transfer:
            layered.layers.transferred.absorb(layered.layers.top)
            layered.layers.lower.append(layered.layers.top)
        }
        let report = layered.layers.top.report(in: model)
        layered.layers.removeTop()
        record { $0.recordAll() }
        if let parent, isAltered {
            // The parent has other values, or has deleted more objects.
            takeChanges(of: parent)
        } else if let parent {
            // The content is the same as before, in another layer.
            layered.layers.lower = parent.layered.layers.all
            layered.layers.parentVersion = parent.layered.layers.journal.version
        }
        return report
    }
}

extension ChangeSet {
    /// Returns the number of changes of a save to a parent.
    fileprivate func report(in model: ManagedObjectModel) -> SaveReport {
        var report = SaveReport(unchanged: unchangedCount)
        for table in tables {
            for state in table.states {
                switch state {
                case .inserted: report.inserted += 1
                case .updated: report.updated += 1
                case .deleted: report.deleted += 1
                case .dropped: break
                }
            }
        }
        for (index, link) in model.links.enumerated() where !links[index].isEmpty {
            let changes = links[index].pairs.values
            report.relationships.append(
                SaveReport.RelationshipChanges(
                    entity: model.layouts[link.source].name, relationship: link.relationship,
                    inserted: changes.count { $0.isMember && !$0.isMove },
                    deleted: changes.count { !$0.isMember },
                    moved: changes.count(where: \.isMove)))
        }
        return report
    }
}

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
        if parent != nil, sealed != nil {
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
        return try write([self])
    }

    /// Saves all unsaved changes to the parent, or in one transaction to the store, without blocking.
    ///
    /// Changes that are made while the transaction is running are not part of it and stay unsaved. If
    /// saving fails, both are unsaved changes afterwards. Cancellation does not interrupt saving.
    ///
    /// - Throws: An error of the synchronous form.
    @discardableResult
    public func save() async throws(PersistenceError) -> SaveReport {
        await waitForSaves([self])
        try prepareToSave()
        if let report = try push() { return report }
        return try await write([self])
    }

    /// Saves all unsaved changes to the store, and what a closure writes in the same transaction,
    /// without blocking.
    func save(
        recording record: @escaping @Sendable (Database) throws -> Void
    ) async throws(PersistenceError) -> SaveReport {
        await waitForSaves([self])
        try prepareToSave()
        return try await write([self], recording: record)
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
        return try write(chain)
    }

    /// Saves the unsaved changes of this context and of all its parents in one transaction, without
    /// blocking.
    ///
    /// - Throws: An error of the synchronous form.
    @discardableResult
    public func saveToStore() async throws(PersistenceError) -> SaveReport {
        await waitForSaves(chain)
        let chain = try preparedChain()
        return try await write(chain)
    }

    /// Calls a closure with a context in a transaction, which saves its changes, the new objects of this
    /// context and of its parents, and what a request has sent.
    ///
    /// See ``performChildAndSave(sent:_:)``.
    func saveToStore<Result: Sendable>(
        sent: SentChanges?, adding body: @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> (Result, SaveReport) {
        await waitForSaves(chain)
        let chain = try writableChain()
        for context in chain { try context.callWillSave() }
        let unsaved = composition(of: chain)
        var parts = ChangePartition(unsaved, sent: sent?.remaining, in: model)
        for parent in chain.dropFirst() {
            deferredErrors += parent.deferredErrors
            parent.deferredErrors = []
        }
        // Their server may answer with an identity that a stored row has. What depends on them is saved with
        // them, unless it is what this request has sent.
        let inProgress = root.sentRequests.insertions(except: sent)
        _ = parts.postpone(inProgress.subtracting(parts.sentInsertions), in: model)
        let errors = try validationErrors(of: parts.saved)
        deferredErrors = []
        let remaining = parts.postponeInvalid(errors, in: model)
        if !remaining.isEmpty { throw PersistenceError(validationErrors: remaining) }
        for context in chain { context.seal() }
        do {
            let (result, outcome) = try await database.transactions.transact(
                database, parts, mergePolicy, body)
            parts = outcome.parts ?? parts
            parts.removeEdits(resolvedBy: outcome.changes, in: model)
            root.sentRequests.removeValues(replacedBy: parts.saved)
            if let sent { root.sentRequests.removeValues(replacedBy: sent) }
            var kept = parts.kept
            for context in chain {
                context.unseal(unsaved: context.sealed?.taking(from: &kept, in: model))
            }
            // None of the contexts has written the commit, so that all of them take it.
            takeWritten(unsaved, of: chain)
            for key in outcome.staleKeys { identityMap[key]?.invalidate() }
            for context in chain { context.apply(outcome.changes) }
            return (result, outcome.report)
        } catch {
            for context in chain { context.unseal(unsaved: context.sealed) }
            throw error
        }
    }

    // MARK: Preparing

    /// This context and its parents, the root last.
    var chain: [ManagedObjectContext] {
        var chain = [self]
        while let parent = chain[chain.count - 1].parent { chain.append(parent) }
        return chain
    }

    /// The context of the chain that saves to the store.
    var root: ManagedObjectContext { chain[chain.count - 1] }

    private func preparedChain() throws(PersistenceError) -> [ManagedObjectContext] {
        let chain = try writableChain()
        for context in chain { try context.prepareToSave() }
        return chain
    }

    private func writableChain() throws(PersistenceError) -> [ManagedObjectContext] {
        if case .transfer = role {
            throw PersistenceError(
                .readOnly,
                details: ["the context of performChild(_:) saves to its parent only"])
        }
        return chain
    }

    private func prepareToSave() throws(PersistenceError) {
        try callWillSave()
        try validate(top)
    }

    /// Takes commits and calls the hook.
    private func callWillSave() throws(PersistenceError) {
        if case .snapshot = role {
            throw PersistenceError(
                .readOnly, details: ["the context of read(_:) cannot save"])
        }
        try throwReadingErrors()
        takeCommits()
        guard let willSave else { return }
        do {
            try willSave(self)
        } catch {
            throw PersistenceError(.saveRejected, underlying: error)
        }
        try throwReadingErrors()
    }

    private func validate(_ changes: ChangeSet) throws(PersistenceError) {
        let errors = try validationErrors(of: changes)
        deferredErrors = []
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
            for table in top.tables {
                for slot in 0..<table.count where table.states[slot] == .updated {
                    let key = table.keys[slot]
                    if identityMap[key]?.isDeleted == true { missing.insert(key) }
                }
            }
            isAltered = try parent.absorb(top, mergePolicy, missing: missing)
            for (table, keys) in rowsChangedBelow {
                parent.rowsChangedBelow[table, default: []].formUnion(keys)
            }
        case .transfer:
            transferred.absorb(top)
            lower.append(top)
        }
        let report = top.report(in: model)
        removeChanges()
        journal.recordAll()
        if let parent, isAltered {
            // The parent has other values, or has deleted more objects.
            takeChanges(of: parent)
        } else if let parent {
            // The content is the same as before, in another layer.
            lower = parent.layersForChild
            parentVersion = parent.journal.version
        }
        return report
    }

    // MARK: Writing

    /// Forgets the changes of this level, which are saved.
    private func removeChanges() {
        top = ChangeSet(model: model)
        rowsChangedBelow = [:]
    }

    private func write(_ chain: [ManagedObjectContext]) throws(PersistenceError) -> SaveReport {
        if let transaction { return try write(chain, in: transaction) }
        let changes = composition(of: chain)
        let outcome = try changes.isEmpty ? nil : database.save(changes, mergePolicy, token)
        root.sentRequests.removeValues(replacedBy: changes)
        for context in chain { context.removeChanges() }
        markDropped(changes, in: chain)
        return finish(changes, of: chain, outcome, changes.unchangedCount)
    }

    private func write(
        _ chain: [ManagedObjectContext],
        recording record: (@Sendable (Database) throws -> Void)? = nil
    ) async throws(PersistenceError) -> SaveReport {
        if let transaction { return try write(chain, in: transaction) }
        let changes = composition(of: chain)
        guard !changes.isEmpty || record != nil else {
            for context in chain { context.removeChanges() }
            markDropped(changes, in: chain)
            return finish(changes, of: chain, nil, changes.unchangedCount)
        }
        for context in chain { context.seal() }
        // Without those that send what is set from now on.
        let sentRequests = root.sentRequests
        let result = await database.save(changes, mergePolicy, token, recording: record)
        if case .success = result { sentRequests.removeValues(replacedBy: changes) }
        for context in chain {
            if case .success = result {
                context.unseal(unsaved: nil)
            } else {
                context.unseal(unsaved: context.sealed)
            }
        }
        if case .success = result { markDropped(changes, in: chain) }
        return try finish(changes, of: chain, result.get(), changes.unchangedCount)
    }

    /// Writes the changes of a chain, and those of the layers below, in the transaction of its root.
    private func write(
        _ chain: [ManagedObjectContext], in transaction: StoreTransaction
    ) throws(PersistenceError) -> SaveReport {
        let own = composition(of: chain)
        var changes = ChangeSet(model: model)
        for layer in root.lower { changes.absorb(layer) }
        changes.absorb(own)
        let outcome = try changes.isEmpty ? nil : transaction.save(changes, mergePolicy, token)
        root.transferred.absorb(own)
        root.lower = []
        for context in chain { context.removeChanges() }
        markDropped(changes, in: chain)
        let report = finish(changes, of: chain, outcome, changes.unchangedCount)
        transaction.add(report)
        return report
    }

    /// Marks objects as deleted that one level has inserted and another one has deleted, which no commit
    /// names.
    private func markDropped(_ changes: ChangeSet, in chain: [ManagedObjectContext]) {
        if chain.count == 1 { return }
        for table in changes.tables {
            for slot in 0..<table.count where table.states[slot] == .dropped {
                for context in chain { context.identityMap[table.keys[slot]]?.markDeleted() }
            }
        }
    }

    private func composition(of chain: [ManagedObjectContext]) -> ChangeSet {
        var changes = chain[chain.count - 1].top
        for context in chain.dropLast().reversed() { changes.absorb(context.top) }
        return changes
    }

    private func finish(
        _ changes: ChangeSet, of chain: [ManagedObjectContext], _ outcome: SaveOutcome?,
        _ unchangedCount: Int
    ) -> SaveReport {
        // The context does not take its own commit.
        if let outcome { take(outcome.commit.replacements) }
        takeWritten(changes, of: chain)
        guard let outcome else {
            var report = SaveReport(unchanged: unchangedCount)
            // No object of another context can be in the closure of a transaction.
            if transaction == nil {
                report.otherChangedContexts = database.unsavedRows.changedContextCount(
                    except: chain.map(\.unsavedKeys))
            }
            return report
        }
        for key in outcome.staleKeys { identityMap[key]?.invalidate() }
        for row in outcome.cascadedRows { identityMap[row.key]?.markDeleted() }
        if hasChanges {
            removeReferences(to: outcome.cascadedRows.lazy.map { ($0.key, $0.entity) })
        }
        var report = outcome.report
        report.unchanged += unchangedCount
        return report
    }

    /// Takes the commits after a save of a chain.
    private func takeWritten(_ changes: ChangeSet, of chain: [ManagedObjectContext]) {
        // From the root, because children take the layers of their parents.
        for context in chain.reversed() {
            context.journal.record(changes)
            context.storeVersion += 1
            context.takeCommits()
        }
    }

    // MARK: Layers of asynchronous saves

    private func seal() {
        sealed = top
        lower.append(top)
        top = ChangeSet(model: model)
        discardsSealed = false
        lastCommitBeforeSealing = lastCommit
    }

    /// Ends an asynchronous save.
    ///
    /// - Parameter unsaved: The part of the sealed changes that was not saved.
    private func unseal(unsaved: ChangeSet?) {
        guard let sealed else { return }
        self.sealed = nil
        lower.removeLast()
        // The sealed changes have hidden what others have committed since.
        lastCommit = lastCommitBeforeSealing ?? lastCommit
        lastCommitBeforeSealing = nil
        if var unsaved {
            if sealed.hasDeletions { journal.recordAll() } else { journal.record(sealed) }
            if discardsSealed {
                discard(unsaved)
                refreshAllObjects()
            } else {
                unsaved.absorb(top)
                top = unsaved
                trackAllChanges()
            }
        } else {
            forgetSavedRowsBelow()
        }
        discardsSealed = false
        let waiting = waitingSaves
        waitingSaves = []
        for continuation in waiting { continuation.resume() }
    }

    private func waitForSaves(_ chain: [ManagedObjectContext]) async {
        while let busy = chain.first(where: { $0.sealed != nil }) {
            await withCheckedContinuation { busy.waitingSaves.append($0) }
        }
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

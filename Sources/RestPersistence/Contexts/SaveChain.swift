// SPDX-License-Identifier: Apache-2.0

import GRDB

/// A context and its parents, whose unsaved changes are saved to the store together.
struct SaveChain {
    /// The contexts, the root last.
    let contexts: [ManagedObjectContext]
    /// The context that is saved.
    let first: ManagedObjectContext

    /// Creates a chain of a context and all its parents.
    init(of context: ManagedObjectContext) {
        var contexts = [context]
        while let parent = contexts[contexts.count - 1].parent { contexts.append(parent) }
        self.contexts = contexts
        first = context
    }

    /// Creates a chain of a context that saves to the store.
    init(only context: ManagedObjectContext) {
        contexts = [context]
        first = context
    }

    /// The context that saves to the store.
    private var root: ManagedObjectContext { contexts[contexts.count - 1] }

    // MARK: Steps

    // A save begins, is written, and is finished or ends without effect. The forms below differ only in who
    // writes, and in whether the contexts can change meanwhile.

    /// Changes that are being written.
    private struct Save {
        /// The unsaved changes of all contexts.
        let changes: ChangeSet
        /// A Boolean value that indicates whether the contexts have sealed them, as they may change meanwhile.
        let isSealed: Bool
        /// The requests in progress, without those that send what is set from now on.
        let requests: SentRequests
    }

    /// Begins a save.
    private func begin(sealing isSealed: Bool) -> Save {
        let save = Save(
            changes: composition, isSealed: isSealed, requests: root.requests.sent)
        if isSealed {
            for context in contexts { context.layered.layers.seal(at: context.commits.last) }
        }
        return save
    }

    /// Finishes a save that was written.
    private func finish(_ save: Save, _ outcome: SaveOutcome?) -> SaveReport {
        if outcome != nil { save.requests.removeValues(replacedBy: save.changes) }
        for context in contexts {
            if save.isSealed {
                unseal(context, unsaved: nil)
            } else {
                context.layered.layers.removeTop()
            }
        }
        return finish(save.changes, outcome)
    }

    /// Ends a save that was not written; its changes are unsaved again.
    private func cancel(_ save: Save) {
        if !save.isSealed { return }
        for context in contexts { unseal(context, unsaved: context.layered.layers.sealed?.changes) }
    }

    // MARK: Forms

    /// Saves the changes in one transaction.
    func write() throws(PersistenceError) -> SaveReport {
        if let transaction = first.transaction { return try write(in: transaction) }
        let save = begin(sealing: false)
        let outcome =
            try save.changes.isEmpty
            ? nil : first.database.save(save.changes, first.mergePolicy, first.commits.writer)
        return finish(save, outcome)
    }

    /// Saves the changes, and what a closure writes, in one transaction, without blocking.
    func write(
        recording record: (@Sendable (Database) throws -> Void)? = nil
    ) async throws(PersistenceError) -> SaveReport {
        if let transaction = first.transaction { return try write(in: transaction) }
        let save = begin(sealing: true)
        if save.changes.isEmpty, record == nil { return finish(save, nil) }
        let result = await first.database.save(
            save.changes, first.mergePolicy, first.commits.writer, recording: record)
        do throws(PersistenceError) {
            return finish(save, try result.get())
        } catch {
            cancel(save)
            throw error
        }
    }

    /// Writes the changes of a chain, and those of the layers below, in the transaction of its root.
    private func write(in transaction: StoreTransaction) throws(PersistenceError) -> SaveReport {
        let save = begin(sealing: false)
        var changes = ChangeSet(model: first.model)
        for layer in root.layered.layers.lower { changes.absorb(layer) }
        changes.absorb(save.changes)
        let outcome =
            try changes.isEmpty
            ? nil : transaction.save(changes, first.mergePolicy, first.commits.writer)
        root.layered.layers.transferred.absorb(save.changes)
        root.layered.layers.lower = []
        let report = finish(
            Save(changes: changes, isSealed: false, requests: save.requests), outcome)
        transaction.add(report)
        return report
    }

    /// Marks objects as deleted that one level has inserted and another one has deleted, which no commit
    /// names.
    private func markDropped(_ changes: ChangeSet) {
        if contexts.count == 1 { return }
        for table in changes.tables {
            for slot in 0..<table.count where table.states[slot] == .dropped {
                for context in contexts { context.identityMap[table.keys[slot]]?.markDeleted() }
            }
        }
    }

    /// The unsaved changes of all contexts.
    private var composition: ChangeSet {
        var changes = root.layered.layers.top
        for context in contexts.dropLast().reversed() { changes.absorb(context.layered.layers.top) }
        return changes
    }

    /// Applies the outcome of a save to the contexts.
    private func finish(_ changes: ChangeSet, _ outcome: SaveOutcome?) -> SaveReport {
        markDropped(changes)
        // The context does not take its own commit.
        if let outcome { first.take(outcome.commit.replacements) }
        takeWritten(changes)
        guard let outcome else {
            var report = SaveReport(unchanged: changes.unchangedCount)
            // No object of another context can be in the closure of a transaction.
            if first.transaction == nil {
                report.otherChangedContexts = first.database.unsavedRows.changedContextCount(
                    except: contexts.map { $0.layered.layers.unsavedKeys })
            }
            return report
        }
        for key in outcome.staleKeys { first.identityMap[key]?.invalidate() }
        for row in outcome.cascadedRows { first.identityMap[row.key]?.markDeleted() }
        if first.hasChanges {
            RowDeleter(first).removeReferences(
                to: outcome.cascadedRows.lazy.map { ($0.key, $0.entity) })
        }
        var report = outcome.report
        report.unchanged += changes.unchangedCount
        return report
    }

    /// Takes the commits after a save of a chain.
    private func takeWritten(_ changes: ChangeSet) {
        // From the root, because children take the layers of their parents.
        for context in contexts.reversed() {
            context.record { $0.record(changes) }
            context.commits.version += 1
            context.takeCommits()
        }
    }

    /// Ends an asynchronous save.
    ///
    /// - Parameters:
    ///   - context: A context of the chain.
    ///   - unsaved: The part of the sealed changes that was not saved.
    private func unseal(_ context: ManagedObjectContext, unsaved: ChangeSet?) {
        guard let sealed = context.layered.layers.unseal() else { return }
        // The sealed changes have hidden what others have committed since.
        context.commits.last = sealed.lastCommit
        if var unsaved {
            context.record {
                if sealed.changes.hasDeletions { $0.recordAll() } else { $0.record(sealed.changes) }
            }
            if sealed.isDiscarded {
                context.discard(unsaved)
                context.refreshAllObjects()
            } else {
                unsaved.absorb(context.layered.layers.top)
                context.layered.layers.top = unsaved
                context.layered.layers.trackAllChanges()
            }
        } else {
            context.layered.layers.forgetSavedRowsBelow()
        }
        for continuation in sealed.waiting { continuation.resume() }
    }

    /// Waits for the ends of the asynchronous saves of the contexts.
    func waitForSaves() async {
        while let busy = contexts.first(where: { $0.layered.layers.sealed != nil }) {
            await withCheckedContinuation { busy.layered.layers.sealed?.waiting.append($0) }
        }
    }

    /// Calls a closure with a context in a transaction, which saves its changes, the new objects of the
    /// contexts, and what a request has sent.
    ///
    /// See ``ManagedObjectContext/performChildAndSave(sent:_:)``.
    func write<Result: Sendable>(
        sent: SentChanges?, adding body: @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> (Result, SaveReport) {
        await waitForSaves()
        _ = try first.writableChain()
        for context in contexts { try context.callWillSave() }
        let unsaved = composition
        var parts = ChangePartition(unsaved, sent: sent?.remaining, in: first.model)
        for parent in contexts.dropFirst() {
            first.errors.deferred += parent.errors.deferred
            parent.errors.deferred = []
        }
        // Their server may answer with an identity that a stored row has. What depends on them is saved with
        // them, unless it is what this request has sent.
        let inProgress = root.requests.sent.insertions(except: sent)
        _ = parts.postpone(inProgress.subtracting(parts.sentInsertions), in: first.model)
        let errors = try first.validationErrors(of: parts.saved)
        first.errors.deferred = []
        let remaining = parts.postponeInvalid(errors, in: first.model)
        if !remaining.isEmpty { throw PersistenceError(validationErrors: remaining) }
        let save = begin(sealing: true)
        do {
            let (result, outcome) = try await first.database.transactions.transact(
                first.database, parts, first.mergePolicy, body)
            parts = outcome.parts ?? parts
            parts.removeEdits(resolvedBy: outcome.changes, in: first.model)
            root.requests.sent.removeValues(replacedBy: parts.saved)
            if let sent { root.requests.sent.removeValues(replacedBy: sent) }
            var kept = parts.kept
            for context in contexts {
                unseal(
                    context,
                    unsaved: context.layered.layers.sealed?.changes.taking(
                        from: &kept, in: first.model))
            }
            // None of the contexts has written the commit, so that all of them take it.
            takeWritten(unsaved)
            for key in outcome.staleKeys { first.identityMap[key]?.invalidate() }
            for context in contexts { context.apply(outcome.changes) }
            return (result, outcome.report)
        } catch {
            cancel(save)
            throw error
        }
    }
}

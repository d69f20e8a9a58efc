// SPDX-License-Identifier: Apache-2.0

import GRDB

/// The edits of a save for the observer of the store.
///
/// A value is an edit if it has a base, which values of imports have not; a new row, if no import has inserted
/// and no request has sent it. Only saves of the program delete rows: responses and evictions remove what the
/// server does not have.
extension ChangeWriter {
    /// The edits that were written so far.
    struct Observation {
        let observer: any SaveObserver
        /// The values of the response.
        var written = WrittenValues()
        var action: (any SaveAction)?
        var edits = SavedEdits()
        /// The stored values of rows that others have changed, before this save replaces them.
        var stored: [Int64: [StoredValue]] = [:]
        /// The new rows that imports have inserted.
        var imported = ImportedInsertions()
    }

    /// Returns the changes as the observer wants them to be written.
    mutating func observing(_ changes: ChangeSet) throws(PersistenceError) -> ChangeSet {
        guard let observation else { return changes }
        var save = ObservedSave(
            changes: changes, origin: origin, written: observation.written,
            replacedKeys: replacements.keys, action: observation.action)
        try observation.observer.merge(&save, in: database)
        staleKeys += save.staleKeys
        if hasRequests { fenced.formUnion(save.acknowledged) }
        self.observation?.imported = save.changes.imported
        return save.changes
    }

    /// Passes the edits and the deleted rows to the observer.
    func recordEdits() throws(PersistenceError) {
        guard let observation else { return }
        if origin != .outbox, !observation.edits.isEmpty {
            try observation.observer.record(observation.edits, in: database)
        }
        if deletedKeys.isEmpty { return }
        try observation.observer.removeFacts(ofDeleted: deletedKeys, in: database)
    }

    // MARK: Noting

    mutating func noteInsertionEdit(_ key: Int64, _ entity: Int) {
        // Without a copy of the observation, whose arrays would be copied with each edit.
        guard observation?.imported.hasCreated(key) == false else { return }
        if origin.isResponse, observation?.imported.contains(key) == true { return }
        observation?.edits.inserted.append(.init(key: key, entity: entity))
    }

    mutating func noteUpdateEdit(_ slot: Int, _ mask: ColumnMask, _ changes: TableChanges) {
        let key = changes.keys[slot]
        let stored = observation?.stored[key]
        var former: [(column: Int, value: StoredValue)] = []
        for column in mask.columns where !changes.isCleared(slot, column) {
            if let imported = changes.importedBase(slot, column) {
                former.append((column, imported))
            } else if let base = changes.base(slot, column) {
                former.append((column, stored?[column] ?? base))
            }
        }
        if former.isEmpty { return }
        observation?.edits.updated.append(
            .init(key: key, entity: changes.entities[slot], former: former))
    }

    /// Notes that a reference to a deleted row was cleared.
    mutating func noteClearedEdit(_ key: Int64, _ entity: Int, _ column: Int, _ deleted: Int64) {
        guard observation != nil, origin == .local else { return }
        observation?.edits.updated.append(
            .init(
                key: key, entity: entity, former: [(column, .integer(deleted))], isCleared: true))
    }

    /// Notes a row of a join table that a program has inserted or deleted.
    mutating func noteLinkEdit(_ pair: LinkPair, _ link: Int, _ change: LinkChange) {
        guard change.isEdit, observation != nil else { return }
        observation?.edits.links.append(.init(link: link, pair: pair, isMember: change.isMember))
    }

    /// Notes a row of a join table that is deleted with an object.
    mutating func noteClearedLink(_ pair: LinkPair, _ link: Int) {
        guard observation != nil, origin == .local else { return }
        observation?.edits.links.append(
            .init(link: link, pair: pair, isMember: false, isCleared: true))
    }

    /// Notes rows before they are deleted.
    ///
    /// References among them may have been cleared before.
    mutating func noteDeletionEdits(
        _ rows: [TableCommit.Row], _ table: TableLayout
    ) throws(PersistenceError) {
        guard let observation, origin == .local else { return }
        let stored = try storedRows(rows.map(\.key), table)
        var cleared: [Int64: [(column: Int, value: StoredValue)]] = [:]
        for update in observation.edits.updated where stored[update.key] != nil {
            cleared[update.key, default: []] += update.former
        }
        for row in rows {
            guard var values = stored[row.key], replacements.keys[row.key] == nil else { continue }
            for (column, value) in cleared[row.key] ?? [] { values[column] = value }
            self.observation?.edits.deleted.append(
                .init(key: row.key, entity: row.entity, values: values))
        }
    }
}

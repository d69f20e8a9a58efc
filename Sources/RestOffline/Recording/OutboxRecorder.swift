// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import RestOutbox
import RestPersistence
import RestTransport

/// The rules of an outbox, which do not change.
struct OutboxRules: Sendable {
    let model: ManagedObjectModel
    let sent: SentModel
    /// The declarations by the name of the entity.
    let declarations: [String: SentDeclaration]
    let timing: OutboxTiming
    let answers: AnswerTable
    let policy: MergePolicy
    let random: OutboxRandom

    /// Returns a queue with edits that were read from the tables.
    func queue(_ loaded: LoadedEdits, next: Int64) -> OutboxQueue {
        var queue = OutboxQueue(model: sent, timing: timing, answers: answers, policy: policy)
        queue.load(loaded.objects, predecessors: loaded.predecessors, next: next)
        return queue
    }
}

/// The part of an outbox that takes part in the saves of its store.
///
/// It records what a save has edited, and merges what a response brings with edits that were not sent yet. The
/// edits of an object are read, changed by ``/RestOutbox/OutboxQueue``, and written again, all in the transaction
/// of the save. Objects without edits cost one query for a save, and none in an import that changes nothing.
final class OutboxRecorder: SaveObserver {
    let rules: OutboxRules
    let clock: any TransportClock
    /// Returns the principal of new edits.
    private let principal: @Sendable () -> Principal?

    init(
        _ rules: OutboxRules, clock: any TransportClock,
        principal: @escaping @Sendable () -> Principal?
    ) {
        self.rules = rules
        self.clock = clock
        self.principal = principal
    }

    func tables(_ database: Database) -> OutboxTables {
        OutboxTables(database: database, model: rules.model, sent: rules.sent)
    }

    func recordsValues(in database: Database) throws(PersistenceError) -> Bool {
        try tables(database).hasObjects
    }

    // MARK: Recording

    func record(_ edits: SavedEdits, in database: Database) throws(PersistenceError) {
        let changes = RecordedChanges(edits, rules)
        if changes.isEmpty { return }
        let tables = tables(database)
        let edited = try tables.edited(changes.keys)
        var recording = EditRecording(
            tables: tables, rules: rules, principal: principal(), date: clock.date,
            next: try tables.next)
        try recording.insert(changes.inserted)
        try recording.update(changes.updated, edited)
        try recording.delete(changes.deleted, edited)
        try tables.setNext(recording.next)
    }
}

/// The edits of a save by object, of the entities whose edits are sent.
private struct RecordedChanges {
    var inserted: [(object: EditedObject, layout: EntityLayout)] = []
    var updated: [EditRecording.Update] = []
    var deleted: [EditRecording.Deletion] = []

    init(_ edits: SavedEdits, _ rules: OutboxRules) {
        let model = rules.model
        for row in edits.inserted {
            let layout = model.layouts[row.entity]
            guard rules.sent.entities[layout.name] != nil else { continue }
            inserted.append((EditedObject(entity: layout.name, key: row.key), layout))
        }
        let inserted = Set(edits.inserted.map(\.key))
        let deleted = Set(edits.deleted.map(\.key))
        var slots: [Int64: Int] = [:]
        for update in edits.updated
        where !inserted.contains(update.key) && !deleted.contains(update.key) {
            let layout = model.layouts[update.entity]
            guard let entity = rules.sent.entities[layout.name] else { continue }
            var former: ObjectImage = [:]
            for (column, value) in update.former {
                let name = layout.columns[column].name
                guard entity.properties.contains(name), former[name] == nil else { continue }
                former[name] = value
            }
            if former.isEmpty { continue }
            if let slot = slots[update.key] {
                updated[slot].former.merge(former) { first, _ in first }
                continue
            }
            slots[update.key] = updated.count
            updated.append(
                EditRecording.Update(
                    object: EditedObject(entity: layout.name, key: update.key), layout: layout,
                    former: former))
        }
        for row in edits.deleted {
            let layout = model.layouts[row.entity]
            guard rules.sent.entities[layout.name] != nil else { continue }
            self.deleted.append(
                EditRecording.Deletion(
                    object: EditedObject(entity: layout.name, key: row.key), layout: layout,
                    row: row.values))
        }
    }

    var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

    var keys: [Int64] {
        inserted.map(\.object.key) + updated.map(\.object.key) + deleted.map(\.object.key)
    }
}

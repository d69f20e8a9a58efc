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
    let policy: EditPolicy
    /// The number of merges that are kept.
    let keptMergeCount: Int
    let random: OutboxRandom

    /// A Boolean value that indicates whether edits in conflict can become other objects.
    var hasForks: Bool { declarations.values.contains { $0.policy(policy).isFork } }

    /// Returns a queue with edits that were read from the tables.
    func queue(_ loaded: LoadedEdits, next: Int64) -> OutboxQueue {
        var queue = OutboxQueue(
            model: sent, timing: timing, answers: answers, policy: policy,
            policies: declarations.mapValues { $0.policy(policy) })
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
    /// The objects whose states are observed.
    let observers = SyncStateObservers()
    /// The files of entries.
    let files: OutboxFiles
    /// The imports that have brought the objects of new ones.
    let recognitions = OutboxSignal()
    /// Returns the principal of new edits.
    private let principal: @Sendable () -> Principal?

    init(
        _ rules: OutboxRules, files: OutboxFiles, clock: any TransportClock,
        principal: @escaping @Sendable () -> Principal?
    ) {
        self.rules = rules
        self.files = files
        self.clock = clock
        self.principal = principal
    }

    var date: Date { clock.date }

    func tables(_ database: Database) -> OutboxTables {
        OutboxTables(database: database, model: rules.model, sent: rules.sent)
    }

    func recordsValues(in database: Database) throws(PersistenceError) -> Bool {
        try tables(database).hasObjects
    }

    // MARK: Recording

    func record(_ edits: SavedEdits, in database: Database) throws(PersistenceError) {
        var tables = tables(database)
        // The entries of a save have its number, that of the first one.
        tables.save = try tables.next
        var changes = RecordedChanges(edits, rules)
        try RecordedMembers(edits, rules, tables).add(to: &changes)
        if changes.isEmpty { return }
        let edited = try tables.edited(changes.keys)
        var recording = EditRecording(
            tables: tables, rules: rules, principal: principal(), date: clock.date,
            next: try tables.next)
        // A merge has recorded the objects that it has inserted.
        try recording.insert(changes.inserted.filter { !edited.contains($0.object.key) })
        try recording.update(changes.updated, edited)
        try recording.delete(changes.deleted, edited)
        try tables.setNext(recording.next)
    }
}

/// The edits of a save by object, of the entities whose edits are sent.
struct RecordedChanges {
    var inserted: [(object: EditedObject, layout: EntityLayout)] = []
    var updated: [EditRecording.Update] = []
    var deleted: [EditRecording.Deletion] = []
    /// The indices of updates by key.
    private var slots: [Int64: Int] = [:]

    init(_ edits: SavedEdits, _ rules: OutboxRules) {
        let model = rules.model
        for row in edits.inserted {
            let layout = model.layouts[row.entity]
            guard rules.sent.entities[layout.name] != nil else { continue }
            inserted.append((EditedObject(entity: layout.name, key: row.key), layout))
        }
        let inserted = Set(edits.inserted.map(\.key))
        let deleted = Set(edits.deleted.map(\.key))
        // The sent properties by entity and column.
        var names: [Int: [String?]] = [:]
        for update in edits.updated
        where !inserted.contains(update.key) && !deleted.contains(update.key) {
            let layout = model.layouts[update.entity]
            let sent = names[update.entity] ?? layout.sentNames(rules.sent.entities[layout.name])
            names[update.entity] = sent
            var former: ObjectImage = [:]
            for (column, value) in update.former {
                guard let name = sent[column], former[name] == nil else { continue }
                former[name] = value
            }
            if former.isEmpty { continue }
            add(former, of: EditedObject(entity: layout.name, key: update.key), layout)
            guard update.isCleared, let slot = slots[update.key] else { continue }
            for case (let property, .integer(let deleted)) in former {
                updated[slot].cleared[property] = deleted
            }
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

    /// Adds values before the save; the first ones count.
    mutating func add(_ former: ObjectImage, of object: EditedObject, _ layout: EntityLayout) {
        if let slot = slots[object.key] {
            updated[slot].former.merge(former) { first, _ in first }
            return
        }
        slots[object.key] = updated.count
        updated.append(EditRecording.Update(object: object, layout: layout, former: former))
    }

    var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

    var keys: [Int64] {
        inserted.map(\.object.key) + updated.map(\.object.key) + deleted.map(\.object.key)
    }
}

extension EntityLayout {
    /// Returns the names of the columns of which edits are sent; `nil` for other columns.
    fileprivate func sentNames(_ entity: SentEntity?) -> [String?] {
        columns.map { entity?.properties.contains($0.name) == true ? $0.name : nil }
    }
}

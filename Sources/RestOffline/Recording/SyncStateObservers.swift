// SPDX-License-Identifier: Apache-2.0

import RestOutbox
public import RestPersistence
import Synchronization

extension ManagedObject {
    /// The relation of the object to the server, as an outbox has it; ``SyncState/synced`` without an outbox.
    ///
    /// It is about what was saved. Objects of the main context can be observed: a view that reads the property is
    /// updated when an edit is saved, sent, accepted or refused, in any context or process.
    ///
    /// - Complexity: One query by key.
    public final var syncState: SyncState {
        noteReadOfSyncState()
        let database = managedObjectContext.content.database
        guard let recorder = database.saveObserver as? OutboxRecorder,
            recorder.rules.sent.entities[objectID.entityName] != nil
        else { return .synced }
        let key = database.currentKey(of: objectID.key)
        let state =
            try? managedObjectContext.rows.read { database in
                try recorder.tables(database).firstState(of: key)
            }
        let current = (state ?? nil) ?? .synced
        if isObservable { recorder.observers.add(objectID, current) }
        return current
    }
}

/// The objects of the main context whose states were read, and the states that were read last.
///
/// The identity of the observers of one outbox.
final class SyncStateObservers: Sendable {
    private let states = Mutex<[ManagedObjectID: SyncState]>([:])
    private let notice = Mutex<(@Sendable () -> Void)?>(nil)

    /// Sets what lets the states be compared once an object was added, because its state may have changed since it
    /// was read.
    func setNotice(_ body: @escaping @Sendable () -> Void) { notice.withLock { $0 = body } }

    /// Adds an object of the main context.
    func add(_ object: ManagedObjectID, _ state: SyncState) {
        let isNew = states.withLock { $0.updateValue(state, forKey: object) == nil }
        if isNew { notice.withLock(\.self)?() }
    }

    /// Compares the states that were read with the present ones, and notifies the observers of those that differ.
    func update(_ recorder: OutboxRecorder, _ store: ManagedObjectStore) async {
        let known = states.withLock(\.self)
        if known.isEmpty { return }
        let database = store.content.database
        let keys = known.keys.map { ($0, database.currentKey(of: $0.key)) }
        let present = try? await database.readSnapshot { database in
            let tables = recorder.tables(database)
            var states: [ManagedObjectID: SyncState] = [:]
            for (id, key) in keys { states[id] = try tables.firstState(of: key) ?? .synced }
            return states
        }
        // Whoever reads the state again adds the object again.
        let changed = (present ?? [:]).filter { known[$0.key] != $0.value }.map(\.key)
        let lost = await store.notify(changed, among: Array(known.keys))
        states.withLock { states in
            for id in changed where states[id] == known[id] { states[id] = nil }
            for id in lost { states[id] = nil }
        }
    }
}

extension ManagedObjectStore {
    /// Notifies the observers of objects whose states have changed.
    ///
    /// - Returns: The objects that the main context does not have any more.
    @MainActor fileprivate func notify(
        _ changed: [ManagedObjectID], among known: [ManagedObjectID]
    ) -> [ManagedObjectID] {
        for id in changed { mainContext.rows.registeredObject(with: id)?.noteChangeOfSyncState() }
        return known.filter { mainContext.rows.registeredObject(with: $0) == nil }
    }
}

// SPDX-License-Identifier: Apache-2.0

import RestOutbox
public import RestPersistence
import RestTransport

extension Outbox {
    /// Removes an entry: an edited property is as before, a new object is removed, and a deleted one is there
    /// again.
    ///
    /// Properties that later entries carry stay as they are. Some entries are discarded together:
    ///
    /// - A new object takes its later entries along, and the new objects that need it.
    /// - A deletion restores the references that a delete rule has cleared, and first undoes the deletions of the
    ///   objects that the restored one needs. The cleared references cannot be restored alone.
    ///
    /// If the request of the entry may be executed, it is not sent again. The entry ends with the answer, or when
    /// the longest life of the request is over, and the object is read.
    ///
    /// - Parameter entry: The entry.
    /// - Returns: The entries that have ended, this one and others.
    /// - Throws: ``OutboxError`` with code `unknownEntry`; `inProgress` if it is a deletion that may be executed or
    ///   is not the last entry of its object, or a part of the deletion of another object; `PersistenceError` with
    ///   code `relationshipConflict` if the store cannot save the values.
    @discardableResult
    public func discard(_ entry: OutboxEntryID) async throws -> [OutboxEntryID] {
        let object = try await object(of: entry)
        let sequence = entry.sequence
        let action = QueueAction<[Int64]?>(object, concernsConnected: true) {
            (queue, context) throws(PersistenceError) in
            guard let object = context.object,
                let ended = queue.discard(sequence, of: object, at: context.date)
            else { return nil }
            for discarded in ended {
                try context.tables.note(
                    "discarded", detail: nil, of: discarded.entry, discarded.object,
                    at: context.date)
            }
            return ended.map(\.entry.sequence)
        }
        try await perform(action)
        guard let ended = action.result ?? nil else {
            throw OutboxError(
                .inProgress,
                "the deletion may be executed, or the entry is a part of the deletion of another object"
            )
        }
        return ended.map { OutboxEntryID(sequence: $0) }
    }

    /// Changes what an entry sends, and lets it wait for its turn again.
    ///
    /// ```swift
    /// try await outbox.edit(entry.id) { try $0.setValue("Another name", "name") }
    /// ```
    ///
    /// A save changes an entry as well. This function also changes one that was saved by another principal, or
    /// that later saves have closed, and keeps its principal. The object has the values of the entry.
    ///
    /// - Parameters:
    ///   - entry: A creation or an update whose request is not on its way, the first entry of its object.
    ///   - body: Changes properties of the object that are sent, and nothing else.
    /// - Throws: The error of the closure; ``OutboxError`` with code `unknownEntry`, `inProgress` or `invalidEdit`;
    ///   `PersistenceError` of saving. The entry is then unchanged.
    public func edit(
        _ entry: OutboxEntryID, _ body: @escaping @Sendable (ManagedObject) throws -> Void
    ) async throws {
        let edited = try await object(of: entry)
        let (recorder, manager) = (recorder, manager)
        try await store.content.write { context in
            var failure: (any Error)?
            var changes: ObjectImage = [:]
            try context.rows.read { database in
                do {
                    let tables = recorder.tables(database)
                    let edits = try tables.load([edited.key]).objects[edited]
                    guard let edits, let first = edits.entries.first,
                        first.sequence == entry.sequence, first.attempt == nil,
                        [.creation, .update].contains(first.kind), edits.local != nil
                    else { throw OutboxError(.inProgress, "the entry cannot be changed now") }
                    let writer = RequestWriter(
                        rules: recorder.rules, manager: manager, tables: tables, context: context)
                    let object = try writer.object(of: edits, edited)
                    changes = try object.changes(in: edits.entity, by: body)
                } catch {
                    failure = error
                }
            }
            if let failure { throw failure }
            let values = changes
            try context.rows.perform(
                QueueAction<Void>(edited) { (queue, context) throws(PersistenceError) in
                    if let object = context.object { queue.amend(object, values) }
                })
        }
        sender.wake()
    }

    /// Changes what an entry sends of an object of a class; see ``edit(_:_:)``.
    ///
    /// - Throws: ``OutboxError`` with code `invalidEdit` if the object has another class, or an error of
    ///   ``edit(_:_:)``.
    public func edit<Object: ManagedEntity>(
        _ entry: OutboxEntryID, as type: Object.Type,
        _ body: @escaping @Sendable (Object) throws -> Void
    ) async throws {
        try await edit(entry) { object in
            guard let object = object as? Object else {
                throw OutboxError(
                    .invalidEdit,
                    "the entry is one of a \(object.objectID.entityName), not of a \(Object.self)")
            }
            try body(object)
        }
    }
}

extension ManagedObject {
    /// Returns the values of sent properties that a closure changes.
    fileprivate func changes(
        in entity: SentEntity, by body: (ManagedObject) throws -> Void
    ) throws -> ObjectImage {
        let names = objectID.layout.propertyIndices.keys
        func image() throws(PersistenceError) -> ObjectImage {
            var image: ObjectImage = [:]
            for name in names { image[name] = try storedValue(named: name) }
            return image
        }
        let former = try image()
        let known = managedObjectContext.insertedObjects.count
        try body(self)
        let new = try image().filter { former[$0.key] != $0.value }
        if let name = new.keys.filter({ !entity.properties.contains($0) }).min() {
            throw OutboxError(.invalidEdit, "\(entity.name).\(name) is not sent: save it instead")
        }
        if managedObjectContext.insertedObjects.count != known {
            throw OutboxError(.invalidEdit, "new objects are not a part of the entry: save them")
        }
        return new
    }
}

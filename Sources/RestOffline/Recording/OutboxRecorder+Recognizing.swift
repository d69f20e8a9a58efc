// SPDX-License-Identifier: Apache-2.0

import GRDB
import RestOutbox
import RestPersistence
import RestTransport

/// The new objects that the server may have already.
extension OutboxRecorder {
    /// Returns the keys of the new objects whose creations the server may have executed, by the index of their
    /// entity.
    func unansweredCreations(
        in tables: OutboxTables, except target: Int64?
    ) throws(PersistenceError) -> [Int: Set<Int64>] {
        var creations: [Int: Set<Int64>] = [:]
        for object in try tables.unansweredCreations() where object.key != target {
            guard let index = rules.model.index(of: object.entity) else { continue }
            creations[index, default: []].insert(object.key)
        }
        return creations
    }

    func recognize(
        _ objects: [BroughtObject], of entity: Int, as keys: Set<Int64>, in database: Database
    ) throws(PersistenceError) -> Set<Int> {
        let name = rules.model.layouts[entity].name
        let tables = tables(database)
        let loaded = try tables.load(keys)
        var queue = rules.queue(loaded, next: try tables.next)
        let held = queue.recognize(
            objects, of: name,
            recognizedBy: rules.declarations[name]?.creation.recognizer?.property)
        try tables.store(queue, since: loaded, at: clock.date)
        if queue.objects != loaded.objects {
            database.afterNextTransaction { [recognitions] _ in recognitions.send() }
        }
        return held
    }

    /// Ends the deletion of one of two rows of an object, because the program uses the other row.
    ///
    /// A creation has made an object that a response has brought into a row of its own before. The server would
    /// delete the object that is shown.
    ///
    /// - Parameters:
    ///   - object: The new object, whose identity is known now.
    ///   - queue: The edits, after the action that has learned the identity.
    ///   - loaded: The edits before it.
    ///   - tables: The tables.
    /// - Throws: `PersistenceError` of the database.
    func keepUsedRow(
        of object: EditedObject, _ queue: inout OutboxQueue, since loaded: LoadedEdits,
        in tables: OutboxTables
    ) throws(PersistenceError) {
        guard let edits = queue.objects[object], let identity = edits.identity,
            loaded.objects[object]?.identity == nil
        else { return }
        if edits.local == nil {
            guard try tables.hasRow(withIdentity: identity, object.entity) else { return }
            for entry in queue.keepShown(object) {
                try tables.note("discarded", detail: nil, of: entry, object, at: clock.date)
            }
            return
        }
        guard let other = try tables.deletedObject(withIdentity: identity, object.entity),
            other != object
        else { return }
        let known = try tables.load([other.key])
        var others = rules.queue(known, next: queue.next)
        for entry in others.keepShown(other) {
            try tables.note("discarded", detail: nil, of: entry, other, at: clock.date)
        }
        try tables.store(others, since: known, at: clock.date)
        queue.load([:], predecessors: [:], next: others.next)
    }
}

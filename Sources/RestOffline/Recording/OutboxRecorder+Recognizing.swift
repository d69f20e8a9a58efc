// SPDX-License-Identifier: Apache-2.0

import GRDB
import RestOutbox
import RestPersistence
import RestTransport

/// The new objects that the server may have already.
extension OutboxRecorder {
    /// Returns the keys of the new objects whose creations the server may have executed, by the index of their entity.
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
}

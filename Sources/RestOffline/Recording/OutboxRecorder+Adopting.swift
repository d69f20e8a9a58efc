// SPDX-License-Identifier: Apache-2.0

import RestOutbox
import RestPersistence

/// The new rows that a response brings, of an entity whose edits are sent.
struct BroughtObjects {
    let entity: String
    let objects: [BroughtObject]
}

extension OutboxRecorder {
    /// Returns the new rows that a response brings, of entities that have uncertain creations.
    ///
    /// - Complexity: One query for each entity with new rows.
    func broughtObjects(
        _ save: ObservedSave, _ tables: OutboxTables
    ) throws(PersistenceError) -> (objects: [BroughtObjects], creations: [Int64]) {
        if save.origin == .local { return ([], []) }
        var brought: [BroughtObjects] = []
        var creations: [Int64] = []
        for (name, declaration) in rules.declarations {
            guard let index = rules.model.index(of: name),
                let identity = rules.model.layouts[index].identity.first
            else { continue }
            let layout = rules.model.layouts[index]
            let changes = save.changes.tables[layout.table.index]
            var objects: [BroughtObject] = []
            for slot in 0..<changes.count where changes.states[slot] == .inserted {
                let key = changes.keys[slot]
                guard changes.entities[slot] == index,
                    let value = changes.changedValue(key, identity), !value.isNull
                else { continue }
                var image: ObjectImage = [:]
                for property in declaration.entity.properties {
                    guard let column = layout.column(ofProperty: property) else { continue }
                    image[property] = changes.changedValue(key, column)
                }
                objects.append(BroughtObject(identity: value, image: image))
            }
            if objects.isEmpty { continue }
            let keys = try tables.uncertainCreations(of: name)
            if keys.isEmpty { continue }
            creations += keys
            brought.append(BroughtObjects(entity: name, objects: objects))
        }
        return (brought, creations)
    }
}

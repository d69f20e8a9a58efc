// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectContext {
    /// Connects the objects of an import, by entity and without unmodified ones, and deletes those
    /// that the rules exclude; returns the number of deleted objects.
    func applyRules(
        of plan: EntityMappingPlan, to keys: [[Int64]]
    ) throws(PersistenceError) -> Int {
        for layout in model.layouts where !keys[layout.index].isEmpty {
            let connections = plan.rules[layout.index].connections
            if connections.isEmpty { continue }
            let loaded = try loadObjects(keys[layout.index], layout)
            let objects = keys[layout.index].compactMap { loaded[$0] }
            for connection in connections {
                try ConnectionResolver(context: self).connect(objects, of: layout, by: connection)
            }
        }
        return try sweep(plan)
    }

    /// Deletes all objects that match the deletion predicates of the mapping's entities.
    private func sweep(_ plan: EntityMappingPlan) throws(PersistenceError) -> Int {
        var count = 0
        for (name, predicate) in plan.deletions {
            for object in try fetch(FetchRequest(name, where: predicate)) {
                delete(object)
                count += 1
            }
        }
        return count
    }
}

// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectContext {
    /// Connects the objects of an import, by entity and without unmodified ones.
    ///
    /// - Returns: The number of destinations of each entity's objects.
    /// - Throws: ``PersistenceError``; `CancellationError` between two connections.
    func connect(
        _ keys: [[Int64]], by plan: EntityMappingPlan, _ observer: (any ConnectionObserver)? = nil
    ) throws -> [Int] {
        var counts = Array(repeating: 0, count: keys.count)
        for layout in model.layouts where !keys[layout.index].isEmpty {
            let connections = plan.rules[layout.index].connections.filter {
                plan.mode != .insertOnly || !$0.relationship.writesDestinations
            }
            if connections.isEmpty { continue }
            var resolver = try ConnectionResolver(
                keys[layout.index], of: layout, by: connections, in: self, observer: observer)
            for connection in connections {
                try Task.checkCancellation()
                try resolver.connect(by: connection)
            }
            counts[layout.index] = resolver.count
        }
        return counts
    }

    /// Deletes all objects that match the deletion predicates of the mapping's entities.
    ///
    /// - Parameters:
    ///   - plan: The mapping.
    ///   - fence: What was written since the request was sent, whose objects stay; `nil` for nothing.
    /// - Returns: The number of deleted objects by entity.
    /// - Throws: ``PersistenceError`` if a predicate is invalid, or of the database.
    func deleteMatches(
        of plan: EntityMappingPlan, except fence: WriteFence? = nil
    ) throws(PersistenceError) -> [Int] {
        var counts = Array(repeating: 0, count: model.layouts.count)
        for rule in plan.deletions {
            if let index = rule.index {
                let table = try model.layout(named: rule.entity).table
                try database.addIndex(index, of: table, in: transaction)
            }
            let ids = try fetchIDs(FetchRequest(rule.entity, where: rule.predicate)).filter {
                fence?.contains($0) != true
            }
            recordAbsence(of: ids)
            for id in ids { counts[id.layout.index] += 1 }
            delete(ids)
        }
        return counts
    }
}

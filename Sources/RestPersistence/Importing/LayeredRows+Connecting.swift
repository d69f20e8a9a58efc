// SPDX-License-Identifier: Apache-2.0

extension LayeredRows {
    /// Connects the objects of an import, by entity and without unmodified ones.
    ///
    /// - Returns: The destinations that each connection found.
    /// - Throws: ``PersistenceError``; `CancellationError` between two connections.
    func connect(_ keys: [[Int64]], by plan: EntityMappingPlan) throws -> [ConnectedRows] {
        var connected: [ConnectedRows] = []
        for layout in model.layouts where !keys[layout.index].isEmpty {
            let connections = plan.rules[layout.index].connections.filter {
                plan.mode != .insertOnly || !$0.relationship.writesDestinations
            }
            if connections.isEmpty { continue }
            var resolver = try ConnectionResolver(
                keys[layout.index], of: layout, by: connections, in: self)
            for connection in connections {
                try Task.checkCancellation()
                connected.append(try resolver.connect(by: connection))
            }
        }
        return connected
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
            try RowDeletion(in: self).delete(ids.map { ($0.key, $0.layout) })
        }
        return counts
    }
}

// SPDX-License-Identifier: Apache-2.0

import RestMapping

/// The record of new rows for the save that writes them.
///
/// Another connection may insert the same objects before a context is saved that is not in a transaction. The
/// save then finds them by identity, and by the condition on existing objects.
struct InsertionRecord {
    private let placement: ImportPlacement
    private let target: FormerTarget?

    init(_ placement: ImportPlacement, _ target: FormerTarget?) {
        self.placement = placement
        self.target = target
    }

    /// Records the new rows of an entity, and the new object of a request.
    func add(_ entity: EntityBatch) {
        let (layered, layout) = (placement.layered, entity.layout)
        let resolution = placement.resolutions[layout.index]
        layered.layers.top.imported.add(created: resolution.createdKeys)
        if entity.identity.isEmpty { return }
        let rules = placement.batch.plan.rules[layout.index]
        let predicate = IdentificationPredicate(rules, of: placement.node)
        let shared = predicate.map {
            StoredPredicate(
                $0.predicate ?? .all, on: layout, in: layered.model,
                store: layered.database.identity)
        }
        var assigned: [Int64: ColumnMask] = [:]
        var conditions: [Int64: any StoredRowCondition] = [:]
        func record(_ row: Int, _ key: Int64, _ mask: ColumnMask) {
            assigned[key] = mask
            conditions[key] = predicate?.storedCondition(of: row, in: entity, shared: shared)
        }
        if layered.transaction == nil {
            for row in resolution.created {
                if let key = resolution.key(of: row) { record(row, key, entity.masks[row]) }
            }
        }
        var stored: [Int64: Bool] = [:]
        if let target, target.root.entity == layout.index {
            record(target.root.row, target.key, target.assigned)
            stored[target.key] = target.wasNew
        }
        layered.layers.top.imported.add(
            ImportedInsertions.Group(
                entity: layout.index, identity: entity.identity, assigned: assigned,
                stored: stored, conditions: conditions))
    }
}

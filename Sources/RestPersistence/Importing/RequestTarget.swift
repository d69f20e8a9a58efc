// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping

/// The row of the object of a request, which is not searched for by identity.
struct RequestTarget {
    let root: BatchRow
    let key: Int64

    /// Returns the row of the request's object; `nil` if there is none, or for a list.
    ///
    /// - Throws: ``PersistenceError`` with code `invalidMapping` if the representation is of another entity.
    static func find(
        in placement: ImportPlacement, _ options: ImportOptions
    ) throws(PersistenceError) -> RequestTarget? {
        let batch = placement.batch
        guard let target = options.target, placement.node.kind != .array, batch.roots.count == 1
        else { return nil }
        let root = batch.roots[0]
        let layout = placement.layered.model.layouts[root.entity]
        if layout.includes(target.layout.index) {
            return RequestTarget(root: root, key: target.key)
        }
        guard options.requiresTarget else { return nil }
        throw PersistenceError(
            .invalidMapping, entity: layout.name,
            details: [
                "the response is mapped to \(layout.name), the object of the request is of "
                    + target.entityName
            ])
    }
}

/// The object of a request in its state before values are merged into it.
///
/// It was not searched for, although a list may have brought it before, also after it was saved without the
/// identity that the server has given it.
struct RequestedObject {
    let root: BatchRow
    let key: Int64
    /// The columns that the document assigns.
    let assigned: ColumnMask
    /// A Boolean value that indicates whether the object was new when the request was sent; `nil` if it
    /// is unsaved.
    let wasNew: Bool?

    init(_ target: RequestTarget, in placement: ImportPlacement, _ options: ImportOptions) {
        (root, key) = (target.root, target.key)
        let entity = placement.batch.entities[root.entity]
        assigned = entity.masks[placement.resolutions[root.entity].canonical[root.row]]
        let state = placement.layered.layers.state(of: key, entity.layout.table.index)
        wasNew = state == .inserted ? nil : options.sendsNewTarget
    }
}

/// The record of new rows for the save that writes them.
///
/// Another connection may insert the same objects before a context is saved that is not in a transaction. The
/// save then finds them by identity, and by the condition on existing objects.
struct InsertionRecord {
    private let placement: ImportPlacement
    private let requested: RequestedObject?

    init(_ placement: ImportPlacement, _ requested: RequestedObject?) {
        self.placement = placement
        self.requested = requested
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
        if let requested, requested.root.entity == layout.index {
            record(requested.root.row, requested.key, requested.assigned)
            stored[requested.key] = requested.wasNew
        }
        layered.layers.top.imported.add(
            ImportedInsertions.Group(
                entity: layout.index, identity: entity.identity, assigned: assigned,
                stored: stored, conditions: conditions))
    }
}

// SPDX-License-Identifier: Apache-2.0

import RestMapping

extension ImportPlacement {
    /// Discards the new objects that could not be saved, if the policy drops invalid objects.
    ///
    /// It runs after all relationships have been set, so that a parent or a connection can make an
    /// object valid. Objects that require a discarded one are discarded as well, and so are new objects
    /// that the delete rules delete with it; other new ones lose their reference to it, and existing ones
    /// keep the reference that they had.
    ///
    /// - Complexity: O(*n*) in the number of new objects and of their references: after the first
    ///   round, only objects that lost a reference are checked. The rules of ``ValidatingObject`` may
    ///   depend on any object, so those of all are checked again before the end.
    mutating func discardInvalid() throws(PersistenceError) {
        var groups = batch.entities.compactMap { discardableObjects(of: $0) }
        if groups.isEmpty { return }
        let placed = context.layers.top
        var checked = groups.map { Set($0.rows.keys) }
        var hasDiscarded = false
        while true {
            let version = context.changesVersion
            var invalidCount = 0
            for index in groups.indices where !checked[index].isEmpty {
                invalidCount += try discardInvalid(checked[index], of: &groups[index])
            }
            if invalidCount > 0 {
                hasDiscarded = true
                checked = groups.map { affected($0, since: version) }
            } else if hasDiscarded {
                hasDiscarded = false
                checked = groups.map { hasRules($0) ? Set($0.rows.keys) : [] }
            } else {
                break
            }
        }
        if groups.allSatisfy(\.invalid.isEmpty) { return }
        try restoreReferences(placed)
        restoreWaitingReferences()
        for index in resolutions.indices {
            let table = resolutions[index].batch.layout.table.index
            let discarded = resolutions[index].created.filter { row in
                resolutions[index].key(of: row).map { context.layers.isDeleted($0, table) } == true
            }
            resolutions[index].drop(discarded)
            counts[index].discarded += discarded.count
        }
    }

    /// The new objects of an entity that are discarded if they are invalid.
    private struct DiscardableObjects {
        let entity: EntityBatch
        /// The row of each object that is still there.
        var rows: [Int64: Int]
        /// The rows of the discarded objects.
        var invalid: Set<Int> = []
    }

    private func discardableObjects(of entity: EntityBatch) -> DiscardableObjects? {
        let resolution = resolutions[entity.layout.index]
        var rows: [Int64: Int] = [:]
        for row in resolution.created where entity.isDroppable[row] {
            if let key = resolution.key(of: row) { rows[key] = row }
        }
        return rows.isEmpty ? nil : DiscardableObjects(entity: entity, rows: rows)
    }

    /// Discards the invalid ones among some objects, and returns their number.
    private func discardInvalid(
        _ keys: Set<Int64>, of group: inout DiscardableObjects
    ) throws(PersistenceError) -> Int {
        let entity = group.entity
        let layout = entity.layout
        let present = keys.filter { !context.layers.isDeleted($0, layout.table.index) }
        if present.isEmpty { return 0 }
        var invalid: Set<Int64> = []
        for error in try ChangeValidator(context).insertionErrors(
            of: present, layout.table)
        {
            guard let row = group.rows[error.objectID.key], !isDeferred(error.property, layout)
            else { continue }
            invalid.insert(error.objectID.key)
            batch.issues.append(
                ImportIssue(
                    node: entity.nodes[row], entity: layout.index, property: error.property,
                    code: error.code == .missingValue ? .missingValue : .validationFailed,
                    expected: error.code == .missingValue ? "a value" : "a valid object"))
        }
        // What the store had before is not deleted with an object that it never had.
        RowDeleter(context).delete(invalid.sorted().map { ($0, layout) }) { key, layout in
            resolutions[layout.index].createdKeys.contains(key)
        }
        for key in invalid {
            if let row = group.rows.removeValue(forKey: key) { group.invalid.insert(row) }
        }
        return invalid.count
    }

    /// Returns the objects that lost a reference, or an object that refers to them.
    private func affected(_ group: DiscardableObjects, since version: Int) -> Set<Int64> {
        let layout = group.entity.layout
        guard var keys = context.changedKeys(of: layout.table.index, since: version) else {
            return Set(group.rows.keys)
        }
        for relationship in layout.relationships where relationship.isRequiredInverse {
            guard case .inverseColumn(let column, _) = relationship.storage else { continue }
            let table = context.model.layouts[relationship.destination].table.index
            guard let changed = context.changedKeys(of: table, since: version) else {
                return Set(group.rows.keys)
            }
            let changes = context.layers.top.tables[table]
            for key in changed {
                guard let slot = changes.slot(of: key),
                    case .integer(let owner) = changes.value(slot, column)
                else { continue }
                keys.insert(owner)
            }
        }
        return keys.filter { group.rows[$0] != nil }
    }

    private func hasRules(_ group: DiscardableObjects) -> Bool {
        ChangeValidator(context).hasRules(group.entity.layout.table)
    }

    /// Returns a Boolean value that indicates whether the caller connects a relationship later.
    private func isDeferred(_ property: String?, _ layout: EntityLayout) -> Bool {
        defersConnections
            && batch.plan.rules[layout.index].connections.contains {
                $0.relationship.name == property
            }
    }
}

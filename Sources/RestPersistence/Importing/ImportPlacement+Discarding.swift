// SPDX-License-Identifier: Apache-2.0

import RestMapping

extension ImportPlacement {
    /// Discards the new objects that could not be saved, if the policy drops invalid objects.
    ///
    /// It runs after all relationships have been set, so that a parent or a connection can make an
    /// object valid. Objects that require a discarded one are discarded as well; others lose their
    /// reference to it.
    mutating func discardInvalid() throws(PersistenceError) {
        var hasChanged = true
        while hasChanged {
            hasChanged = false
            for entity in batch.entities where entity.count > 0 {
                if try discardInvalid(entity) { hasChanged = true }
            }
        }
    }

    private mutating func discardInvalid(_ entity: EntityBatch) throws(PersistenceError) -> Bool {
        let layout = entity.layout
        let resolution = resolutions[layout.index]
        var rows: [Int64: Int] = [:]
        for row in resolution.created where entity.isDroppable[row] {
            guard let key = resolution.key(of: row), !context.isDeleted(key, layout.table.index)
            else { continue }
            rows[key] = row
        }
        if rows.isEmpty { return false }
        var invalid: Set<Int> = []
        for error in try context.insertionErrors(of: Set(rows.keys), layout.table) {
            guard let row = rows[error.objectID.key], !isDeferred(error.property, layout) else {
                continue
            }
            invalid.insert(row)
            batch.issues.append(
                ImportIssue(
                    node: entity.nodes[row], entity: layout.index, property: error.property,
                    code: error.code == .missingValue ? .missingValue : .validationFailed,
                    expected: error.code == .missingValue ? "a value" : "a valid object"))
        }
        if invalid.isEmpty { return false }
        for (key, row) in rows where invalid.contains(row) { context.delete(key, in: layout) }
        resolutions[layout.index].drop(invalid.sorted())
        counts[layout.index].discarded += invalid.count
        return true
    }

    /// Returns a Boolean value that indicates whether the caller connects a relationship later.
    private func isDeferred(_ property: String?, _ layout: EntityLayout) -> Bool {
        defersConnections
            && batch.plan.rules[layout.index].connections.contains {
                $0.relationship.name == property
            }
    }
}

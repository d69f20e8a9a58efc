// SPDX-License-Identifier: Apache-2.0

import RestMapping

/// The discarding of new objects that could not be saved, if the policy drops invalid objects.
///
/// It runs after all relationships have been set, so that a parent or a connection can make an
/// object valid. Objects that require a discarded one are discarded as well, and so are new objects
/// that the delete rules delete with it; other new ones lose their reference to it, and existing ones
/// keep the reference that they had.
struct InvalidObjectDiscarding<Rules: ObjectRules> {
    let placement: ImportPlacement
    private let rules: Rules
    /// A Boolean value that indicates whether the caller makes connections after further imports.
    private let defersConnections: Bool
    private var batch: ImportBatch { placement.batch }
    var layered: LayeredRows { placement.layered }
    private var validator: ChangeValidator<Rules> { ChangeValidator(layered, rules) }

    init(_ placement: ImportPlacement, _ rules: Rules, defersConnections: Bool) {
        self.placement = placement
        self.rules = rules
        self.defersConnections = defersConnections
    }

    /// Discards the invalid objects, and restores the references that they have taken.
    ///
    /// - Returns: A Boolean value that indicates whether objects were discarded.
    /// - Throws: ``PersistenceError`` of the database.
    /// - Complexity: O(*n*) in the number of new objects and of their references: after the first
    ///   round, only objects that lost a reference are checked. The rules of classes may depend on any
    ///   object, so those of all are checked again before the end.
    func discardInvalid() throws(PersistenceError) -> Bool {
        var groups = batch.entities.compactMap { discardableObjects(of: $0) }
        if groups.isEmpty { return false }
        let placed = layered.layers.top
        var checked = groups.map { Set($0.rows.keys) }
        var hasDiscarded = false
        while true {
            let version = layered.changesVersion
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
        if groups.allSatisfy(\.invalid.isEmpty) { return false }
        try restoreReferences(placed)
        return true
    }

    /// Drops the rows of the discarded objects.
    func drop() {
        for index in placement.resolutions.indices {
            let table = placement.resolutions[index].batch.layout.table.index
            let discarded = placement.resolutions[index].created.filter { row in
                placement.resolutions[index].key(of: row).map {
                    layered.layers.isDeleted($0, table)
                } == true
            }
            placement.resolutions[index].drop(discarded)
            placement.counts[index].discarded += discarded.count
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
        let resolution = placement.resolutions[entity.layout.index]
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
        let present = keys.filter { !layered.layers.isDeleted($0, layout.table.index) }
        if present.isEmpty { return 0 }
        var invalid: Set<Int64> = []
        for error in try validator.insertionErrors(of: present, layout.table) {
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
        let deletion = RowDeletion(
            in: layered,
            cascadingTo: { [placement] in
                placement.resolutions[$0.layout.index].createdKeys.contains($0.key)
            })
        try deletion.delete(invalid.sorted().map { ($0, layout) })
        for key in invalid {
            if let row = group.rows.removeValue(forKey: key) { group.invalid.insert(row) }
        }
        return invalid.count
    }

    /// Returns the objects that lost a reference, or an object that refers to them.
    private func affected(_ group: DiscardableObjects, since version: Int) -> Set<Int64> {
        let layout = group.entity.layout
        guard var keys = layered.changedKeys(of: layout.table.index, since: version) else {
            return Set(group.rows.keys)
        }
        for relationship in layout.relationships where relationship.isRequiredInverse {
            guard case .inverseColumn(let column, _) = relationship.storage else { continue }
            let table = layered.model.layouts[relationship.destination].table.index
            guard let changed = layered.changedKeys(of: table, since: version) else {
                return Set(group.rows.keys)
            }
            let changes = layered.layers.top.tables[table]
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
        rules.areDeclared(for: group.entity.layout.table)
    }

    /// Returns a Boolean value that indicates whether the caller connects a relationship later.
    private func isDeferred(_ property: String?, _ layout: EntityLayout) -> Bool {
        defersConnections
            && batch.plan.rules[layout.index].connections.contains {
                $0.relationship.name == property
            }
    }
}

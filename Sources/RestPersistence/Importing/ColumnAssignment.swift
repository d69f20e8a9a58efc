// SPDX-License-Identifier: Apache-2.0

import RestMapping

/// The references that are stored in columns.
///
/// A document may have both sides of a relationship, and they may contradict each other. What an object
/// itself names wins over the lists that contain it, and of several lists the last. An object that is
/// named wins over null, and over a list without it. The decision depends on the document alone and not
/// on the store, so that importing it again changes nothing.
struct ColumnAssignment {
    private let placement: ImportPlacement
    private var batch: ImportBatch { placement.batch }
    private var layered: LayeredRows { placement.layered }

    init(_ placement: ImportPlacement) { self.placement = placement }

    /// The column of a row.
    private struct ColumnOfRow: Hashable {
        let row: BatchRow
        let column: Int
    }

    /// The column of an object that the document does not contain.
    private struct ColumnOfObject: Hashable {
        let key: Int64
        let column: Int
    }

    /// Assigns the references that are stored in columns to the rows with the column.
    func assignColumns() {
        let lists = batch.relations.filter { relation in
            guard case .inverseColumn = relation.relationship.storage else { return false }
            return !relation.relationship.isOneToOne
        }
        var waiting: Set<ColumnOfRow> = []
        for relation in batch.relations {
            guard case .column(let column) = relation.relationship.storage,
                !relation.relationship.isOneToOne
            else { continue }
            if lists.isEmpty {
                assignOwnDestinations(of: relation, column) { _, _ in }
            } else {
                assignOwnDestinations(of: relation, column) { row, waits in
                    let column = ColumnOfRow(row: row, column: column)
                    if waits { waiting.insert(column) } else { waiting.remove(column) }
                }
            }
        }
        if !lists.isEmpty { assignMembers(of: lists, waiting) }
    }

    /// Assigns the destinations that objects themselves name, and calls a closure with each row and whether
    /// its last reference waits for its object.
    private func assignOwnDestinations(
        of relation: RelationBatch, _ column: Int, _ note: (BatchRow, Bool) -> Void
    ) {
        let owners = placement.resolutions[relation.entity]
        for assignment in relation.assignments {
            let canonical = owners.canonical[assignment.owner]
            let row = owners.aliases[canonical] ?? BatchRow(entity: relation.entity, row: canonical)
            let rows = batch.entities[row.entity]
            let member = relation.members(of: assignment).first
            if let key = member.flatMap(placement.key(of:)) {
                rows.set(.integer(key), column, of: row.row)
            } else if member?.row == nil
                || placement.isLeftOut(member) && !rows.layout.columns[column].isRequired
            {
                rows.set(.null, column, of: row.row)
            } else {
                // A representation that was dropped assigns nothing.
                continue
            }
            let isIdentity = member != nil && member?.row == nil
            note(row, isIdentity && relation.missing == .pending && rows.isNull(row.row, column))
        }
    }

    /// Assigns the owner and the position of the members of lists, the last lists first.
    private func assignMembers(of lists: [RelationBatch], _ waiting: Set<ColumnOfRow>) {
        var statements: [(ordinal: Int, relation: RelationBatch, list: Int)] = []
        for relation in lists {
            for (list, ordinal) in placement.placedLists(relation).ordinals.enumerated() {
                statements.append((ordinal, relation, list))
            }
        }
        statements.sort { $0.ordinal > $1.ordinal }
        var named: Set<ColumnOfObject> = []
        // The objects outside of the document that have their owner already, with their tables.
        var unchanged: [Int64: Int] = [:]
        for (_, relation, list) in statements {
            guard case .inverseColumn(let column, let position) = relation.relationship.storage
            else { continue }
            let lists = placement.placedLists(relation)
            let owner = StoredValue.integer(lists.owners[list])
            for index in lists.range(of: list) {
                let place = lists.members[index]
                let value = place.position.map { StoredValue.integer($0) }
                if let row = placement.row(of: place.member) {
                    let rows = batch.entities[row.entity]
                    if rows.masks[row.row].contains(column) {
                        let isOther = rows.value(row.row, column) != owner
                        let isNull =
                            rows.isNull(row.row, column)
                            && !waiting.contains(ColumnOfRow(row: row, column: column))
                        if isOther, !isNull { continue }
                    }
                    rows.set(owner, column, of: row.row)
                    if let position, let value, !rows.masks[row.row].contains(position) {
                        rows.set(value, position, of: row.row)
                    }
                } else if let key = place.key,
                    named.insert(ColumnOfObject(key: key, column: column)).inserted
                {
                    let layout = layered.model.layouts[relation.relationship.destination]
                    if relation.stored?.isStored[index] == true {
                        if !placement.keepsValues(of: key) { unchanged[key] = layout.table.index }
                        continue
                    }
                    placement.set(owner, column, of: key, in: layout)
                    if let position, let value {
                        placement.set(value, position, of: key, in: layout)
                    }
                }
            }
        }
        layered.layers.top.unchangedCount += unchanged.count { key, table in
            layered.layers.state(of: key, table) == nil
        }
    }
}

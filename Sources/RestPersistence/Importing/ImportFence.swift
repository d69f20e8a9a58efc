// SPDX-License-Identifier: Apache-2.0

/// The part of an import that knows which requests were sent later.
///
/// The server may have read the values of a response before a save or a later request has replaced them.
struct ImportFence {
    private let placement: ImportPlacement
    /// The writes since the request was sent; `nil` for none.
    private let fence: WriteFence?
    private var batch: ImportBatch { placement.batch }
    private var layered: LayeredRows { placement.layered }

    init(_ placement: ImportPlacement, _ fence: WriteFence?) {
        self.placement = placement
        self.fence = fence
    }

    /// Drops the representations of objects that were deleted since.
    func dropRemovedObjects() {
        guard let fence else { return }
        for index in placement.resolutions.indices {
            let entity = batch.entities[index]
            guard entity.count > 0, !entity.identity.isEmpty else { continue }
            let removed = fence.written.removedIdentities(
                of: entity.layout.table.index, by: entity.identity)
            if removed.isEmpty { continue }
            let resolution = placement.resolutions[index]
            let rows = (0..<entity.count).filter { row in
                resolution.canonical[row] == row && resolution.isUnresolved(row)
                    && removed.contains(IdentityKey(entity.identity.map { entity.value(row, $0) }))
            }
            holdBack(rows, of: index)
        }
    }

    /// Drops the representations of objects that may be new objects of the store, whose creations are not answered.
    ///
    /// Otherwise the store would show two rows for one object until the answer comes.
    func dropCreatedObjects() throws(PersistenceError) {
        guard let fence, let transaction = layered.transaction,
            let observer = layered.database.saveObserver
        else { return }
        for (index, keys) in fence.creations {
            let entity = batch.entities[index]
            guard entity.count > 0, let column = entity.layout.identity.first else { continue }
            let resolution = placement.resolutions[index]
            let rows = (0..<entity.count).filter { row in
                resolution.canonical[row] == row && resolution.isUnresolved(row)
                    && !entity.value(row, column).isNull
            }
            if rows.isEmpty { continue }
            let objects = rows.map { row in
                var image: [String: StoredValue] = [:]
                for column in entity.layout.attributeColumns
                where entity.masks[row].contains(column) {
                    image[entity.layout.columns[column].name] = entity.value(row, column)
                }
                return BroughtObject(identity: entity.value(row, column), image: image)
            }
            let held = try observer.recognize(
                objects, of: index, as: keys, in: transaction.connection)
            holdBack(held.sorted().map { rows[$0] }, of: index)
        }
    }

    /// Drops representations, and those of new objects that cannot be saved without them.
    private func holdBack(_ rows: [Int], of entity: Int) {
        if rows.isEmpty { return }
        placement.resolutions[entity].drop(rows)
        placement.isHeldBack = true
        let held = Set(rows)
        for relation in batch.relations {
            guard case .column(let column) = relation.relationship.storage,
                batch.entities[relation.entity].layout.columns[column].isRequired
            else { continue }
            let owners = placement.resolutions[relation.entity]
            let incomplete = relation.assignments.filter { assignment in
                guard let row = relation.members(of: assignment).first?.row,
                    row.entity == entity, owners.isUnresolved(assignment.owner)
                else { return false }
                return held.contains(placement.resolutions[entity].canonical[row.row])
            }
            let incompleteRows = Set(incomplete.map { owners.canonical[$0.owner] })
            holdBack(incompleteRows.sorted(), of: relation.entity)
        }
    }

    /// Removes objects that were written since from those that the document replaces.
    func keepWrittenObjects(among replaced: inout [(key: Int64, entity: Int)]) {
        guard let fence else { return }
        let count = replaced.count
        replaced.removeAll { fence.written.contains($0.key) }
        if replaced.count < count { placement.isHeldBack = true }
    }

    /// Records what the document contains, if other requests are in progress: a response to one of them can
    /// be older, and have other values.
    ///
    /// Values that the fence holds back are not recorded: the response does not write them, and a later request
    /// or save already has.
    func recordValues() {
        guard let transaction = layered.transaction, transaction.recordsValues else { return }
        var written = WrittenValues()
        for resolution in placement.resolutions {
            let entity = resolution.batch
            let width = entity.layout.table.width
            for row in 0..<entity.count where resolution.canonical[row] == row {
                guard let key = resolution.key(of: row), !placement.keepsValues(of: key) else {
                    continue
                }
                let isUnmodified = resolution.unmodified.contains(row)
                if isUnmodified, fence?.written.contains(key) != true { written.add(row: key) }
                var mask = isUnmodified ? ColumnMask(first: width) : entity.masks[row]
                if let fence {
                    mask.subtract(
                        fence.written.columns(of: key, among: mask, in: entity.layout.table))
                }
                if !mask.isEmpty { written.add(mask, of: key) }
            }
        }
        for relation in batch.relations where !relation.isUnion {
            let (relationship, layout) = (
                relation.relationship, layered.model.layouts[relation.entity]
            )
            let table = layered.model.layouts[relationship.destination].table
            for (owner, members) in placement.assignedKeys(relation)
            where !placement.keepsValues(of: owner) {
                var list = WrittenValues()
                list.add(relationship, of: owner, in: layout, layered.model)
                if let fence { list.subtract(fence.written) }
                written.formUnion(list)
                guard case .inverseColumn(let column, _) = relationship.storage else { continue }
                let mask = ColumnMask(column: column)
                // The list says of its members as well to which object they belong.
                for (key, _) in members where !placement.keepsValues(of: key) {
                    let known = fence?.written.columns(of: key, among: mask, in: table)
                    if known?.contains(column) != true { written.add(mask, of: key) }
                }
            }
        }
        transaction.written.formUnion(written)
    }
}

extension WrittenValues {
    /// Adds the members of a relationship of an object.
    mutating func add(
        _ relationship: RelationshipLayout, of owner: Int64, in layout: EntityLayout,
        _ model: ManagedObjectModel
    ) {
        switch relationship.storage {
        case .column(let column):
            var mask = ColumnMask()
            mask.insert(column)
            add(mask, of: owner)
        case .inverseColumn(let column, _):
            let table = model.layouts[relationship.destination].table.index
            add(List(table: table, column: column, owner: owner))
        case .link(let link, let isForward):
            add(members: link, of: owner, isSource: isForward)
            if relationship.isSymmetric { add(members: link, of: owner, isSource: !isForward) }
        }
    }
}

extension LayeredRows {
    /// Undoes the changes of an import that were written since its request was sent, such as those of
    /// relationships that connections and the lists of other objects set.
    ///
    /// - Parameters:
    ///   - fence: What was written since.
    ///   - former: The unsaved changes before the import.
    /// - Returns: A Boolean value that indicates whether there were any.
    func holdBack(_ fence: WriteFence, since former: ChangeSet) -> Bool {
        var isHeldBack = false
        for table in model.tables where layers.top.tables[table.index].count > 0 {
            let restored = heldBackColumns(fence.written, table, former.tables[table.index])
            if restored.isEmpty { continue }
            isHeldBack = true
            layers.updateMany(table.index, keys: nil) {
                $0.restore(restored, from: former.tables[table.index])
            }
        }
        for (link, written) in fence.written.links {
            for (pair, change) in layers.top.links[link].pairs
            where written.contains(pair) && former.links[link].pairs[pair] != change {
                isHeldBack = true
                layers.top.updateLink(link) { changes in
                    changes.remove(pair)
                    if let known = former.links[link].pairs[pair] { changes.set(pair, known) }
                }
            }
        }
        if isHeldBack { layers.record { $0.recordAll() } }
        return isHeldBack
    }

    private func heldBackColumns(
        _ written: WrittenValues, _ table: TableLayout, _ former: TableChanges
    ) -> [Int64: ColumnMask] {
        let changes = layers.top.tables[table.index]
        var restored: [Int64: ColumnMask] = [:]
        for slot in 0..<changes.count where changes.states[slot] == .updated {
            let key = changes.keys[slot]
            var mask = written.columns(of: key, among: changes.masks[slot], in: table)
            if !written.lists.isEmpty {
                for column in table.references where changes.masks[slot].contains(column) {
                    guard case .integer(let owner) = changes.value(slot, column) else { continue }
                    let list = WrittenValues.List(
                        table: table.index, column: column, owner: owner)
                    guard written.lists.contains(list) else { continue }
                    mask.insert(column)
                    if let position = table.position(besides: column) {
                        mask.insert(position)
                    }
                }
            }
            for column in mask.columns
            where former.changedValue(key, column) == changes.value(slot, column) {
                mask.remove(column)
            }
            if !mask.isEmpty { restored[key] = mask }
        }
        return restored
    }

    /// Records the new objects among some that are deleted before they were saved: a response has said that
    /// the server does not have them any more.
    func recordAbsence(of ids: [ManagedObjectID]) {
        guard let transaction, transaction.recordsValues else { return }
        for id in ids {
            let layout = id.layout
            guard layers.state(of: id.key, layout.table.index) == .inserted else { continue }
            var row = Array(repeating: StoredValue.null, count: layout.width)
            layers.overlay(id.key, layout.table.index, on: &row)
            transaction.written.add(removed: row, layout.table.index)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The parts of an import that depend on its mode.
extension ImportPlacement {
    var mode: ImportMode { batch.plan.mode }

    /// Returns a Boolean value that indicates whether the document has no effect on an object.
    ///
    /// Whatever an import writes is written by ``set(_:_:of:in:)``, as a row of a join table, of which one object
    /// must be changeable, or from the columns that a row assigns, of which ``removeEqualValues(_:_:)`` removes
    /// those that stay. References that have waited are connected in every mode.
    func keepsValues(of key: Int64) -> Bool { mode == .insertOnly && !isCreated(key) }

    /// Sets a column of an object, unless it keeps its values.
    func set(_ value: StoredValue, _ column: Int, of key: Int64, in layout: EntityLayout) {
        if keepsValues(of: key) { return }
        context.set(value, column, of: key, in: layout)
        if value.isNull { removeReferences(of: column, key, in: layout) }
    }

    // MARK: Updating only

    /// Drops the representations for which no object has been found, if none may be inserted.
    mutating func leaveOutUnknown() {
        if mode != .updateOnly { return }
        for index in resolutions.indices {
            let resolution = resolutions[index]
            let rows = (0..<resolution.batch.count).filter {
                resolution.canonical[$0] == $0 && resolution.isUnresolved($0)
            }
            if rows.isEmpty { continue }
            leftOutRows.formUnion(rows.map { BatchRow(entity: index, row: $0) })
            counts[index].leftOut += rows.count
            resolutions[index].drop(rows)
        }
    }

    /// Returns a Boolean value that indicates whether a member is a representation whose object does not exist
    /// and may not be inserted.
    func isLeftOut(_ member: BatchMember?) -> Bool {
        guard !leftOutRows.isEmpty, let row = member?.row else { return false }
        let canonical = resolutions[row.entity].canonical[row.row]
        return leftOutRows.contains(BatchRow(entity: row.entity, row: canonical))
    }

    // MARK: Deleting only

    /// Deletes the objects of the document's elements, except those that were written since.
    mutating func deleteRoots(except fence: WriteFence?) throws(PersistenceError) {
        var keys: [Int: Set<Int64>] = [:]
        for index in resolutions.indices {
            let resolution = resolutions[index]
            let count = (0..<resolution.batch.count).count {
                resolution.canonical[$0] == $0 && !resolution.batch.isDropped[$0]
                    && resolution.aliases[$0] == nil
            }
            counts[index].leftOut = count
        }
        for root in batch.roots {
            guard let key = resolutions[root.entity].key(of: root.row) else { continue }
            if fence?.written.contains(key) == true {
                isHeldBack = true
                continue
            }
            let entity = canonicalRow(root).entity
            guard keys[entity, default: []].insert(key).inserted else { continue }
            counts[entity].deleted += 1
            counts[entity].leftOut -= 1
        }
        var rows: [(key: Int64, layout: EntityLayout)] = []
        for (entity, keys) in keys.sorted(by: { $0.key < $1.key }) {
            rows += try context.withEntities(keys.sorted(), in: context.model.layouts[entity])
        }
        RowDeleter(context).delete(rows)
    }
}

extension RelationshipLayout {
    /// A Boolean value that indicates whether setting the relationship of an object changes rows of its
    /// destinations, or of their former partners.
    var writesDestinations: Bool {
        if case .inverseColumn = storage { return true }
        return isOneToOne
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The parts of an import that depend on its mode.
extension ImportPlacement {
    var mode: ImportMode { batch.plan.mode }

    /// Returns a Boolean value that indicates whether the representation of an object has no effect on it.
    func keepsValues(of key: Int64) -> Bool { mode == .insertOnly && !isCreated(key) }

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
        context.delete(rows)
    }

    // MARK: Inserting only

    /// Restores the rows that existed before, if only new ones may be written.
    ///
    /// New rows stay, with the rows of join tables that refer to them.
    ///
    /// - Parameter former: The unsaved changes before.
    /// - Throws: ``PersistenceError`` of reading the rows.
    mutating func restoreExisting(_ former: ChangeSet) throws(PersistenceError) {
        if mode != .insertOnly { return }
        for index in counts.indices {
            counts[index].leftOut += counts[index].updated + counts[index].unchanged
            (counts[index].updated, counts[index].unchanged) = (0, 0)
        }
        for table in context.model.tables {
            let (rows, known) = (context.top.tables[table.index], former.tables[table.index])
            if rows.count == 0 { continue }
            var restored = known
            for slot in 0..<rows.count where rows.states[slot] == .inserted {
                if known.slot(of: rows.keys[slot]) == nil { restored.append(rows, slot) }
            }
            context.updateMany(table.index) { $0 = restored }
        }
        for link in context.model.links.indices {
            let known = former.links[link].pairs
            for (pair, change) in context.top.links[link].pairs where known[pair] != change {
                if change.isMember, isCreated(pair.source) || isCreated(pair.target) { continue }
                context.top.updateLink(link) { changes in
                    changes.remove(pair)
                    if let former = known[pair] { changes.set(pair, former) }
                }
            }
        }
        let changed = context.top.pending.divided { isCreated($0.key) }.1
        context.top.pending = former.pending
        context.top.pending.absorb(changed)
        context.journal.recordAll()
        context.refreshAllObjects()
        try removeTakenPartners()
    }

    /// Removes the one-to-one references of new objects to objects that have another partner, or that would
    /// have to refer to the new one.
    private func removeTakenPartners() throws(PersistenceError) {
        for layout in context.model.layouts {
            for relationship in layout.relationships where relationship.isOneToOne {
                guard case .column(let column) = relationship.storage,
                    let index = relationship.inverse
                else { continue }
                let destination = context.model.layouts[relationship.destination]
                let rows = context.top.tables[layout.table.index]
                var sources: [Int64: Int64] = [:]
                for slot in 0..<rows.count
                where layout.index == rows.entities[slot] && isCreated(rows.keys[slot]) {
                    if case .integer(let key) = rows.value(slot, column), !isCreated(key) {
                        sources[rows.keys[slot]] = key
                    }
                }
                if sources.isEmpty { continue }
                let partners = try context.members(
                    of: Set(sources.values).sorted(), destination.relationships[index],
                    in: destination)
                for (source, key) in sources.sorted(by: { $0.key < $1.key })
                where relationship.isSymmetric
                    || partners[key]?.contains(where: { $0 != source }) == true
                {
                    context.set(.null, column, of: source, in: layout)
                }
            }
        }
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

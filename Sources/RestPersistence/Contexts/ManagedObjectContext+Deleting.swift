// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectContext {
    /// Deletes an object, applies the delete rules of its relationships, and removes it from the
    /// relationships of other objects.
    ///
    /// Deleting an object that is already deleted has no effect. A relationship with the rule
    /// ``DeleteRule/deny`` that still has destinations is an error of the next save.
    public func delete(_ object: ManagedObject) {
        precondition(object.context === self, "\(object.objectID) belongs to another context")
        delete(object.objectID.key, in: object.layout)
    }

    /// Deletes the objects with IDs, as ``delete(_:)`` does, without creating them.
    ///
    /// The destinations of all objects to delete are read together.
    package func delete(_ ids: [ManagedObjectID]) {
        delete(ids.map { (database.currentKey(of: $0.key), $0.layout) })
    }

    /// Deletes a row and its object, if one exists, and applies the delete rules.
    func delete(_ key: Int64, in layout: EntityLayout) { delete([(key, layout)]) }

    /// Deletes rows and their objects, and applies the delete rules level by level, because chains of
    /// rows can be long.
    private func delete(_ rows: [(key: Int64, layout: EntityLayout)]) {
        var referrers: [Int: Referrers] = [:]
        var level = rows
        while !level.isEmpty {
            var keys: [Int: [Int64]] = [:]
            for (key, layout) in level {
                let table = layout.table.index
                if isDeleted(key, table) { continue }
                if identityMap[key]?.isDeleted == true {
                    // The store has deleted the row, so that its unsaved changes are void.
                    update(table, key) { $0.forget(key) }
                    continue
                }
                keys[layout.index, default: []].append(key)
            }
            level = []
            for (entity, keys) in keys.sorted(by: { $0.key < $1.key }) {
                let layout = model.layouts[entity]
                for relationship in layout.relationships where relationship.deleteRule == .cascade {
                    level += destinationsOrFailure(of: keys, relationship, in: layout)
                }
                let known = referrers[entity] ?? Referrers(of: layout, in: model)
                referrers[entity] = known
                for key in keys { deleteRow(key, layout, known) }
            }
        }
    }

    private func deleteRow(_ key: Int64, _ layout: EntityLayout, _ referrers: Referrers) {
        if isDeleted(key, layout.table.index) { return }
        if let object = identityMap[key] {
            if !object.isLoaded { object.load() }
            object.markDeleted()
            if isObserved { noteDeletion(of: object) }
        }
        update(layout.table.index, key) { $0.delete(key, entity: layout.index) }
        removeReferences(to: key, referrers)
    }

    /// Returns the destinations of rows with their entities.
    private func destinationsOrFailure(
        of keys: [Int64], _ relationship: RelationshipLayout, in layout: EntityLayout
    ) -> [(key: Int64, layout: EntityLayout)] {
        do throws(PersistenceError) {
            let members = try members(of: keys, relationship, in: layout)
            let found = keys.flatMap { members[$0] ?? [] }
            let destination = model.layouts[relationship.destination]
            if destination.subentities.count == 1 { return found.map { ($0, destination) } }
            let rows = try rows(found.filter { identityMap[$0] == nil }, destination)
            return try found.map { key throws(PersistenceError) in
                if let object = identityMap[key] { return (key, object.layout) }
                guard let row = rows[key] else { return (key, destination) }
                return (key, try model.layout(ofRow: row, in: destination))
            }
        } catch {
            failure = failure ?? error
            return []
        }
    }

    /// Removes references to a deleted row from unsaved changes; saving removes stored ones.
    ///
    /// References that deny the deletion are kept, so that saving finds them.
    private func removeReferences(to key: Int64, _ referrers: Referrers) {
        for (table, column) in referrers.columns {
            for source in references(to: key, column, table.index) {
                set(.null, column, of: source, in: model.layouts[table.entities[0]])
            }
        }
        for (link, isSource) in referrers.links {
            for (pair, _) in top.links[link].pairs(of: key, isSource: isSource) {
                journal.record(pair, link)
            }
            top.updateLink(link) { $0.removePairs(of: key, isSource: isSource) }
        }
    }

    /// What refers to the rows of an entity.
    private struct Referrers {
        /// The columns whose references do not deny the deletion of a row.
        private(set) var columns: [(table: TableLayout, column: Int)] = []
        private(set) var links: [(link: Int, isSource: Bool)] = []

        init(of layout: EntityLayout, in model: ManagedObjectModel) {
            let entities = layout.table.entities
            let denying = layout.relationships.compactMap { relationship in
                guard relationship.deleteRule == .deny,
                    case .inverseColumn(let column, _) = relationship.storage
                else { return nil as (table: Int, column: Int)? }
                return (model.layouts[relationship.destination].table.index, column)
            }
            for table in model.tables {
                for column in table.references {
                    guard let destination = table.columns[column].destination,
                        entities.contains(destination),
                        !denying.contains(where: { $0 == (table.index, column) })
                    else { continue }
                    columns.append((table, column))
                }
            }
            for (index, link) in model.links.enumerated() {
                if entities.contains(link.source) { links.append((index, true)) }
                if entities.contains(link.target) { links.append((index, false)) }
            }
        }
    }
}

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

    /// Deletes a row and its object, if one exists, and applies the delete rules.
    func delete(_ key: Int64, in layout: EntityLayout) {
        // A list instead of recursion, because chains of rows can be long.
        var pending = [(key: key, layout: layout)]
        while let (key, layout) = pending.popLast() {
            let table = layout.table.index
            if isDeleted(key, table) { continue }
            if identityMap[key]?.isDeleted == true {
                // The store has deleted the row, so that its unsaved changes are void.
                update(table, key) { $0.forget(key) }
                continue
            }
            let cascades = layout.relationships.filter { $0.deleteRule == .cascade }
            for relationship in cascades {
                let destination = model.layouts[relationship.destination]
                for member in membersOrFailure(of: key, relationship, in: layout) {
                    pending.append((member, concreteLayout(of: member, destination)))
                }
            }
            deleteRow(key, layout)
        }
    }

    private func deleteRow(_ key: Int64, _ layout: EntityLayout) {
        if let object = identityMap[key] {
            if !object.isLoaded { object.load() }
            object.markDeleted()
            if isObserved { noteDeletion(of: object) }
        }
        update(layout.table.index, key) { $0.delete(key, entity: layout.index) }
        removeReferences(to: key, of: layout)
    }

    private func membersOrFailure(
        of key: Int64, _ relationship: RelationshipLayout, in layout: EntityLayout
    ) -> [Int64] {
        do throws(PersistenceError) {
            return try members(of: [key], relationship, in: layout)[key] ?? []
        } catch {
            failure = failure ?? error
            return []
        }
    }

    /// Returns the layout of a row's entity, given that of one of its super-entities.
    private func concreteLayout(of key: Int64, _ layout: EntityLayout) -> EntityLayout {
        if layout.subentities.count == 1 { return layout }
        if let object = identityMap[key] { return object.layout }
        do throws(PersistenceError) {
            guard let row = try rows([key], layout)[key] else { return layout }
            return try model.layout(ofRow: row, in: layout)
        } catch {
            failure = failure ?? error
            return layout
        }
    }

    /// Removes references to a deleted row from unsaved changes; saving removes stored ones.
    ///
    /// References that deny the deletion are kept, so that saving finds them.
    private func removeReferences(to key: Int64, of layout: EntityLayout) {
        let entities = layout.table.entities
        let denying = denyingColumns(of: layout)
        for other in model.tables {
            for column in other.references {
                guard let destination = other.columns[column].destination,
                    entities.contains(destination),
                    !denying.contains(where: { $0.table == other.index && $0.column == column })
                else { continue }
                for source in references(to: key, column, other.index) {
                    set(.null, column, of: source, in: model.layouts[other.entities[0]])
                }
            }
        }
        for (index, link) in model.links.enumerated() {
            for (isSource, entity) in [(true, link.source), (false, link.target)]
            where entities.contains(entity) {
                for (pair, _) in top.links[index].pairs(of: key, isSource: isSource) {
                    journal.record(pair, index)
                }
                top.updateLink(index) { $0.removePairs(of: key, isSource: isSource) }
            }
        }
    }

    private func denyingColumns(of layout: EntityLayout) -> [(table: Int, column: Int)] {
        layout.relationships.compactMap { relationship in
            guard relationship.deleteRule == .deny,
                case .inverseColumn(let column, _) = relationship.storage
            else { return nil }
            return (model.layouts[relationship.destination].table.index, column)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectContext {
    /// Returns the references of the objects of a class to objects that do not exist.
    ///
    /// They include unsaved ones of this context, and those of objects of subclasses. They are in the
    /// order of their owners, and of each owner in the order of relationship and position.
    ///
    /// - Throws: ``PersistenceError`` if the model has no such entity, or for the database.
    /// - Complexity: O(*n*) in the number of references of the entity and of unsaved ones.
    public func pendingReferences<Object: ManagedEntity>(
        of type: Object.Type
    ) throws(PersistenceError) -> [PendingReference] {
        try pendingReferences(of: model.layout(of: type))
    }

    /// Returns the references of the objects of an entity to objects that do not exist.
    ///
    /// - Throws: An error of the form with a class.
    public func pendingReferences(
        ofEntity name: String
    ) throws(PersistenceError) -> [PendingReference] {
        try pendingReferences(of: model.layout(named: name))
    }

    private func pendingReferences(
        of layout: EntityLayout
    ) throws(PersistenceError) -> [PendingReference] {
        let unsaved = layered.unsavedPendingReferences
        var found: Set<PendingReference> = []
        for entity in layout.subentities.map({ model.layouts[$0] }) {
            let rows = try read { database in
                let table = PendingReferenceTable(database: database)
                return try table.isPresent ? table.rows(ofEntity: entity.name) : []
            }
            for row in rows where !layered.layers.isDeleted(row.owner, entity.table.index) {
                guard let waiting = WaitingReference(row, in: model), !unsaved.removes(waiting)
                else { continue }
                let relationship = entity.relationships[waiting.owner.relationship]
                if isReassigned(row.owner, relationship, in: entity) { continue }
                found.insert(
                    PendingReference(
                        owner: id(row.owner, entity), relationship: row.relationship,
                        destination: row.destination, attribute: row.attribute,
                        identity: row.identity, position: row.position))
            }
        }
        for (owner, change) in unsaved.changes where layout.includes(change.entity) {
            let entity = model.layouts[change.entity]
            let relationship = entity.relationships[owner.relationship]
            if layered.layers.isDeleted(owner.key, entity.table.index) { continue }
            if isReassigned(owner.key, relationship, in: entity) { continue }
            let destination = model.layouts[relationship.destination]
            for reference in change.references {
                found.insert(
                    PendingReference(
                        owner: id(owner.key, entity), relationship: relationship.name,
                        destination: destination.name,
                        attribute: destination.columns[reference.column].name,
                        identity: reference.identity, position: reference.position))
            }
        }
        return found.sorted { left, right in
            if left.owner.key != right.owner.key { return left.owner.key < right.owner.key }
            if left.relationship != right.relationship {
                return left.relationship < right.relationship
            }
            if left.position != right.position {
                return (left.position ?? -1) < (right.position ?? -1)
            }
            return left.identity.compare(right.identity) < 0
        }
    }

    private func id(_ key: Int64, _ layout: EntityLayout) -> ManagedObjectID {
        ManagedObjectID(key: key, layout: layout, store: database.identity)
    }

    /// Returns a Boolean value that indicates whether an unsaved change sets a to-one relationship to
    /// an object.
    private func isReassigned(
        _ key: Int64, _ relationship: RelationshipLayout, in layout: EntityLayout
    ) -> Bool {
        guard case .column(let column) = relationship.storage else { return false }
        return layered.layers.changedValue(key, column, layout.table.index).map { !$0.isNull }
            ?? false
    }

    // MARK: Edits

    /// Removes the references of a relationship that wait for their objects, because a program has set it.
    func removePendingReferences(of object: ManagedObject, _ relationship: RelationshipLayout) {
        let owner = ReferenceChanges.Owner(
            key: object.objectID.key, relationship: relationship.index)
        do throws(PersistenceError) {
            guard try layered.hasPendingReferences(of: owner, relationship, in: object.layout)
            else {
                return
            }
        } catch {
            errors.note(error)
            return
        }
        layered.layers.top.pending.set(
            ReferenceChanges.Change(
                entity: object.layout.index, isReplacing: true, references: [], isEdit: true),
            of: owner)
    }
}

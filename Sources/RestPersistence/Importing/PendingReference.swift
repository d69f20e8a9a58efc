// SPDX-License-Identifier: Apache-2.0

/// A reference of an imported object to an object that does not exist.
///
/// The import of the destination connects the objects, and then removes the reference; if a program or another
/// connection inserts the destination, the transaction that saves it does. An import that sets the relationship
/// again replaces it, and so does one that gives the owner another object. A program that sets the relationship,
/// also to no object, removes it, and so does deleting the owner. Of several references to an object that
/// can have one owner only, the newest is kept. The relationship of a destination that has another value by
/// then keeps it, and so does one of which the destination's own document has null, or a list without the
/// owner.
public struct PendingReference: Sendable, Hashable {
    /// The object with the relationship.
    public let owner: ManagedObjectID
    /// The name of the relationship.
    public let relationship: String
    /// The name of the destination entity.
    public let destination: String
    /// The name of the attribute of the destination that has the identity.
    public let attribute: String
    /// The identity of the destination.
    public let identity: StoredValue
    /// The position of the destination in an ordered relationship; `nil` in any other.
    public let position: Int64?
}

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
        let unsaved = unsavedPendingReferences
        var found: Set<PendingReference> = []
        for entity in layout.subentities.map({ model.layouts[$0] }) {
            let rows = try read { database in
                let table = PendingReferenceTable(database: database)
                return try table.isPresent ? table.rows(ofEntity: entity.name) : []
            }
            for row in rows where !layers.isDeleted(row.owner, entity.table.index) {
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
            if layers.isDeleted(owner.key, entity.table.index) { continue }
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
        return layers.changedValue(key, column, layout.table.index).map { !$0.isNull } ?? false
    }
}

extension ManagedObjectStore {
    /// Returns the references of the objects of a class to objects that do not exist.
    ///
    /// See ``ManagedObjectContext/pendingReferences(of:)``.
    ///
    /// - Throws: ``PersistenceError`` if the model has no such entity, or for the database;
    ///   `CancellationError`.
    public func pendingReferences<Object: ManagedEntity>(
        of type: Object.Type
    ) async throws -> [PendingReference] {
        try await read { context in try context.pendingReferences(of: type) }
    }
}

extension ManagedObjectContext {
    /// Removes the references of a relationship that wait for their objects, because a program has set it.
    func removePendingReferences(of object: ManagedObject, _ relationship: RelationshipLayout) {
        if !layers.marksEdits { return }
        let owner = ReferenceChanges.Owner(
            key: object.objectID.key, relationship: relationship.index)
        do throws(PersistenceError) {
            guard try hasPendingReferences(of: owner, relationship, in: object.layout) else {
                return
            }
        } catch {
            errors.note(error)
            return
        }
        layers.top.pending.set(
            ReferenceChanges.Change(
                entity: object.layout.index, isReplacing: true, references: [], isEdit: true),
            of: owner)
    }

    private func hasPendingReferences(
        of owner: ReferenceChanges.Owner, _ relationship: RelationshipLayout,
        in layout: EntityLayout
    ) throws(PersistenceError) -> Bool {
        for layer in [layers.top] + layers.lower.reversed() {
            guard let change = layer.pending.changes[owner] else { continue }
            if !change.references.isEmpty { return true }
            if change.isReplacing { return false }
        }
        if layers.state(of: owner.key, layout.table.index) == .inserted { return false }
        return try read { database in
            let table = PendingReferenceTable(database: database)
            guard try table.isPresent else { return false }
            return try table.rows(ofOwners: [owner.key]).contains {
                $0.relationship == relationship.name
            }
        }
    }
}

// MARK: - Imports

extension ManagedObjectContext {
    /// The unsaved changes of pending references in all layers.
    var unsavedPendingReferences: ReferenceChanges {
        if layers.lower.allSatisfy(\.pending.isEmpty) { return layers.top.pending }
        var changes = ReferenceChanges()
        for layer in layers.lower { changes.absorb(layer.pending) }
        changes.absorb(layers.top.pending)
        return changes
    }

    /// A Boolean value that indicates whether the context or the store has pending references.
    var hasPendingReferences: Bool {
        get throws(PersistenceError) {
            if !layers.top.pending.isEmpty || !layers.lower.allSatisfy(\.pending.isEmpty) {
                return true
            }
            return try read { try !PendingReferenceTable(database: $0).isEmpty }
        }
    }
}

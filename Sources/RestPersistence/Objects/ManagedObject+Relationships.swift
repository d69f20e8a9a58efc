// SPDX-License-Identifier: Apache-2.0

extension ManagedObject {
    /// Returns the destination of the to-one relationship at a property index.
    public final func managedValue<Destination: ManagedEntity>(_ index: Int) -> Destination? {
        relatedObject(relationship(index)) as? Destination
    }

    /// Sets the destination of the to-one relationship at a property index and updates its inverse.
    public final func setManagedValue<Destination: ManagedEntity>(
        _ index: Int, _ destination: Destination?
    ) {
        setRelated(destination, relationship(index))
    }

    /// Returns the destinations of the ordered to-many relationship at a property index.
    public final func managedValue<Destination: ManagedEntity>(_ index: Int) -> [Destination] {
        relatedObjects(relationship(index)).compactMap { $0 as? Destination }
    }

    /// Sets the destinations of the ordered to-many relationship at a property index and updates its
    /// inverse.
    ///
    /// Of a destination that occurs twice, the first position counts.
    public final func setManagedValue<Destination: ManagedEntity>(
        _ index: Int, _ destinations: [Destination]
    ) {
        setRelated(destinations, relationship(index))
    }

    /// Returns the destinations of the to-many relationship at a property index.
    public final func managedValue<Destination: ManagedEntity>(_ index: Int) -> Set<Destination> {
        Set(relatedObjects(relationship(index)).compactMap { $0 as? Destination })
    }

    /// Sets the destinations of the to-many relationship at a property index and updates its inverse.
    public final func setManagedValue<Destination: ManagedEntity>(
        _ index: Int, _ destinations: Set<Destination>
    ) {
        setRelated(Array(destinations), relationship(index))
    }

    private func relationship(_ index: Int) -> RelationshipLayout {
        guard case .relationship(let relationship) = layout.properties[index] else {
            preconditionFailure("property \(index) of \(layout.name) is not a relationship")
        }
        return layout.relationships[relationship]
    }

    /// Returns the destinations of a relationship by name.
    ///
    /// They are in their order, or in the order of their keys if the relationship has none.
    ///
    /// Use it for entities without a class.
    public final func related(_ name: String) throws(PersistenceError) -> [ManagedObject] {
        let relationship = try relationship(name)
        if relationship.isToMany { return relatedObjects(relationship) }
        return relatedObject(relationship).map { [$0] } ?? []
    }

    /// Sets the destinations of a relationship by name and updates its inverse.
    ///
    /// Use it for entities without a class.
    ///
    /// - Throws: ``PersistenceError`` for an unknown name, an object of another entity, or more than
    ///   one object for a to-one relationship.
    public final func setRelated(
        _ name: String, _ destinations: [ManagedObject]
    ) throws(PersistenceError) {
        let relationship = try relationship(name)
        guard relationship.isToMany || destinations.count < 2,
            destinations.allSatisfy({
                context.model.layouts[relationship.destination].includes($0.layout.index)
            })
        else {
            throw PersistenceError(
                .unknownProperty, entity: layout.name, property: name,
                details: ["the objects cannot be its destinations"])
        }
        if relationship.isToMany {
            setRelated(destinations, relationship)
        } else {
            setRelated(destinations.first, relationship)
        }
    }

    private func relationship(_ name: String) throws(PersistenceError) -> RelationshipLayout {
        guard case .relationship(let index) = layout.propertyIndices[name] else {
            throw PersistenceError(.unknownProperty, entity: layout.name, property: name)
        }
        return layout.relationships[index]
    }

    // MARK: Reading

    private func relatedObject(_ relationship: RelationshipLayout) -> ManagedObject? {
        if case .column(let column) = relationship.storage {
            if !isLoaded { load() }
            noteRead(of: relationship)
            guard case .integer(let key) = values[column] else { return nil }
            return context.relationships.relatedObject(key, of: self, column, relationship)
        }
        return relatedObjects(relationship).first
    }

    private func relatedObjects(_ relationship: RelationshipLayout) -> [ManagedObject] {
        noteRead(of: relationship)
        return context.relationships.relatedObjects(of: self, relationship)
    }

    // MARK: Writing

    /// Returns whether an object can be a destination; if not, the next save reports it.
    private func canRelate(to other: ManagedObject, _ relationship: RelationshipLayout) -> Bool {
        precondition(
            other.context === context, "\(other.objectID) belongs to another context")
        guard other.objectState == .deleted || other.objectState == .detached else { return true }
        context.errors.deferred.append(
            ValidationError(
                .deletedObjectChanged, other.objectID, nil,
                "was assigned to \(objectID).\(relationship.name) after it was deleted"))
        return false
    }

    private func setRelated(_ destination: ManagedObject?, _ relationship: RelationshipLayout) {
        guard isChangeable(relationship.name) else { return }
        if let destination, !canRelate(to: destination, relationship) { return }
        guard case .column(let column) = relationship.storage else {
            setRelated(destination.map { [$0] } ?? [], relationship)
            return
        }
        let inverse = relationship.inverse.map {
            context.model.layouts[relationship.destination].relationships[$0]
        }
        if let inverse, !inverse.isToMany {
            let displaced = OneToOneRule.displaced(
                by: self, destination, isSymmetric: relationship.isSymmetric
            ) {
                $0.relatedObject(relationship)
            } sources: { destination in
                context.relationships.relatedObjects(of: destination, inverse).filter {
                    $0.relatedObject(relationship) == destination
                }
            }
            for object in displaced { object.setStored(.null, at: column) }
        }
        let key = destination.map { StoredValue.integer($0.objectID.key) } ?? .null
        // The last position: the object joins the end of the destination's list.
        if case .inverseColumn(_, let position?) = inverse?.storage, values[column] != key {
            setStored(.null, at: position)
        }
        setStored(key, at: column)
        context.removePendingReferences(of: self, relationship)
        if relationship.isSymmetric, let destination, destination != self {
            destination.setStored(.integer(objectID.key), at: column)
        }
    }

    /// Sets the destinations of a relationship that is not stored in a column of this object.
    private func setRelated(
        _ destinations: [ManagedObject], _ relationship: RelationshipLayout
    ) {
        guard isChangeable(relationship.name) else { return }
        var keys: Set<Int64> = []
        let destinations = destinations.filter {
            canRelate(to: $0, relationship) && keys.insert($0.objectID.key).inserted
        }
        let current = context.relationships.positionedRelations(of: self, relationship)
        context.removePendingReferences(of: self, relationship)
        switch relationship.storage {
        case .column: preconditionFailure("a to-many relationship owns no column")
        case .inverseColumn(let column, let position):
            for object in context.relationships.relatedObjects(of: self, relationship)
            where !keys.contains(object.objectID.key) {
                object.setStored(.null, at: column)
            }
            for (index, object) in destinations.enumerated() {
                object.setStored(.integer(objectID.key), at: column)
                if let position { object.setStored(.integer(Int64(index)), at: position) }
            }
        case .link:
            relationship.forEachChange(
                to: destinations.map(\.objectID.key), from: current.map { ($0.key, $0.position) }
            ) { key, change in
                var change = change
                change.isEdit = true
                context.setLink(from: objectID.key, to: key, of: relationship, change)
            }
        }
    }
}

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

    /// Returns the destinations of the to-many relationship at a property index.
    public final func managedValue<Destination: ManagedEntity>(_ index: Int) -> Set<Destination> {
        Set(relatedObjects(relationship(index)).compactMap { $0 as? Destination })
    }

    /// Sets the destinations of the to-many relationship at a property index and updates its inverse.
    public final func setManagedValue<Destination: ManagedEntity>(
        _ index: Int, _ destinations: Set<Destination>
    ) {
        setRelated(destinations, relationship(index))
    }

    private func relationship(_ index: Int) -> RelationshipLayout {
        guard case .relationship(let relationship) = layout.properties[index] else {
            preconditionFailure("property \(index) of \(layout.name) is not a relationship")
        }
        return layout.relationships[relationship]
    }

    /// Returns the destinations of a relationship by name, in the order of their keys.
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
            destinations.allSatisfy({ $0.layout.index == relationship.destination })
        else {
            throw PersistenceError(
                .unknownProperty, entity: layout.name, property: name,
                details: ["the objects cannot be its destinations"])
        }
        if relationship.isToMany {
            setRelated(Set(destinations), relationship)
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
        if !isLoaded { load() }
        if case .column(let column) = relationship.storage {
            guard case .integer(let key) = values[column] else { return nil }
            return context.relatedObject(key, relationship.destination)
        }
        return relatedObjects(relationship).first
    }

    private func relatedObjects(_ relationship: RelationshipLayout) -> [ManagedObject] {
        context.relatedObjects(of: self, relationship)
    }

    // MARK: Writing

    private func checkRegion(_ other: ManagedObject) {
        precondition(
            other.context === context, "\(other.objectID) belongs to another context")
        precondition(!other.isDeleted, "\(other.objectID) was deleted")
    }

    private func setRelated(_ destination: ManagedObject?, _ relationship: RelationshipLayout) {
        if let destination { checkRegion(destination) }
        guard case .column(let column) = relationship.storage else {
            setRelated(Set(destination.map { [$0] } ?? []), relationship)
            return
        }
        if let destination, let inverse = relationship.inverse {
            let other = destination.layout.relationships[inverse]
            if !other.isToMany {
                for source in context.relatedObjects(of: destination, other) where source != self {
                    source.setStored(.null, at: column)
                }
            }
        }
        setStored(destination.map { .integer($0.objectID.key) } ?? .null, at: column)
    }

    private func setRelated<Destination: ManagedObject>(
        _ destinations: Set<Destination>, _ relationship: RelationshipLayout
    ) {
        for destination in destinations { checkRegion(destination) }
        precondition(!isDeleted, "\(objectID) was deleted and cannot be changed")
        let identifiers = Set(destinations.map(ObjectIdentifier.init))
        let current = relatedObjects(relationship)
        let currentIdentifiers = Set(current.map(ObjectIdentifier.init))
        let removed = current.filter { !identifiers.contains(ObjectIdentifier($0)) }
        let added = destinations.filter { !currentIdentifiers.contains(ObjectIdentifier($0)) }
        switch relationship.storage {
        case .column: preconditionFailure("a to-many relationship owns no column")
        case .inverseColumn(let column):
            for object in removed { object.setStored(.null, at: column) }
            for object in added { object.setStored(.integer(objectID.key), at: column) }
        case .link(let link, let isForward):
            let isSymmetric =
                relationship.inverse == relationship.index
                && relationship.destination == layout.index
            for (objects, isMember) in [(removed, false), (Array(added), true)] {
                for object in objects {
                    let pair = LinkPair(objectID.key, object.objectID.key, isForward: isForward)
                    context.changes.setLink(pair, link, isMember: isMember)
                    if isSymmetric {
                        context.changes.setLink(pair.reversed, link, isMember: isMember)
                    }
                }
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import RestMapping

/// The destinations of relationships that are stored in other rows and in join tables.
struct DestinationAssignment {
    private let placement: ImportPlacement
    private var batch: ImportBatch { placement.batch }
    private var layered: LayeredRows { placement.layered }

    init(_ placement: ImportPlacement) { self.placement = placement }

    // MARK: Unions

    /// Reads the existing destinations that unions keep in their places.
    func readExistingOrders() throws(PersistenceError) {
        for relation in batch.relations where relation.isUnion && relation.relationship.isOrdered {
            let layout = layered.model.layouts[relation.entity]
            let created = placement.resolutions[layout.index].createdKeys
            var orders: [Int64: ExistingOrder] = [:]
            if layered.database.comparesImports {
                orders = try placement.unchangedOrders(of: relation)
            }
            let owners = placement.assigned(relation).map(\.owner).filter {
                orders[$0] == nil && !created.contains($0)
            }
            relation.existingOrders = orders
            if owners.isEmpty { continue }
            let members = try layered.orderedMembers(
                of: owners, relation.relationship)
            relation.existingOrders.merge(members.mapValues { ExistingOrder($0) }) { $1 }
        }
    }

    // MARK: Replaced objects

    /// Returns the replaced destinations to delete, which are those that the document does not contain.
    ///
    /// Parts without identity that their owner deletes with itself are replaced by any other ones: nothing
    /// could find them again. A list with a dropped element replaces nothing: the element may be any of the
    /// destinations.
    func replaced(
        by relation: RelationBatch
    ) throws(PersistenceError) -> [(key: Int64, entity: Int)] {
        guard placement.deletesReplaced(relation) else { return [] }
        let destination = relation.relationship.destination
        let imported = Set(
            layered.model.layouts[destination].subentities.flatMap { entity in
                let members = placement.resolutions[entity]
                return (0..<members.batch.count).compactMap { members.key(of: $0) }
            })
        let incomplete = placement.incompleteOwners(of: relation)
        let assigned = placement.assignedKeys(relation).filter { !incomplete.contains($0.key) }
        let current: Set<Int64>
        if let stored = relation.stored {
            let owners = placement.placedLists(relation).owners
            let others = stored.others.lazy.filter { !incomplete.contains(owners[$0.list]) }
            current = Set(others.map(\.key))
        } else {
            let layout = layered.model.layouts[relation.entity]
            current = Set(
                try existingDestinations(Array(assigned.keys), relation.relationship, layout)
                    .values.joined())
        }
        let unassigned = current.subtracting(imported)
            .subtracting(assigned.values.joined().map(\.key))
        return unassigned.sorted().map { ($0, destination) }
    }

    // MARK: Relationships in other rows and join tables

    /// Removes the destinations that the document does not assign to a relationship.
    func removeDestinations(_ relation: RelationBatch) throws(PersistenceError) {
        let relationship = relation.relationship
        if relation.isUnion || relationship.isOneToOne { return }
        if case .column = relationship.storage { return }
        let others = try otherDestinations(relation)
        if others.isEmpty { return }
        let incomplete = placement.incompleteOwners(of: relation)
        var named: Set<Int64>?
        for (owner, members) in others where !incomplete.contains(owner) {
            for member in members {
                if case .inverseColumn(let column, _) = relationship.storage {
                    // The member itself may name the owner.
                    let keys = named ?? self.namedMembers(column, relation)
                    named = keys
                    if !keys.contains(member) {
                        let destination = layered.model.layouts[relationship.destination]
                        placement.set(.null, column, of: member, in: destination)
                    }
                } else {
                    set(relation, owner, member, .removed)
                }
            }
        }
    }

    /// Returns the destinations that objects have and the document does not assign to them.
    private func otherDestinations(
        _ relation: RelationBatch
    ) throws(PersistenceError) -> [Int64: Set<Int64>] {
        var others: [Int64: Set<Int64>] = [:]
        if let stored = relation.stored {
            let owners = placement.placedLists(relation).owners
            for (list, key) in stored.others { others[owners[list], default: []].insert(key) }
            return others
        }
        let assigned = placement.assignedKeys(relation)
        let current = try existingDestinations(
            Array(assigned.keys), relation.relationship, layered.model.layouts[relation.entity])
        for (owner, members) in assigned {
            let found = editedMembers(of: owner, relation).union(current[owner] ?? [])
                .subtracting(members.map(\.key))
            if !found.isEmpty { others[owner] = found }
        }
        return others
    }

    /// Adds the destinations that the document assigns to a relationship with a join table.
    func addDestinations(_ relation: RelationBatch) throws(PersistenceError) {
        guard case .link(let link, let isForward) = relation.relationship.storage else { return }
        let lists = placement.placedLists(relation)
        let isOrdered = relation.relationship.isOrdered
        let current =
            relation.stored != nil || isOrdered
            ? [:]
            : try existingDestinations(
                lists.owners, relation.relationship, layered.model.layouts[relation.entity])
        for (index, owner) in lists.owners.enumerated() {
            let known = Set(current[owner] ?? [])
            let edited = isOrdered ? [] : editedMembers(of: owner, relation)
            for place in lists.range(of: index) {
                guard let key = lists.members[place].key else { continue }
                let pair = LinkPair(owner, key, isForward: isForward)
                if let stored = relation.stored, layered.layers.linkChange(pair, link) == nil {
                    // The import has not changed the pair.
                    if stored.isStored[place] { continue }
                } else if known.contains(key), !edited.contains(key) {
                    continue
                }
                if !isOrdered {
                    set(relation, owner, key, LinkChange(isMember: true))
                } else if let position = lists.members[place].position {
                    set(
                        relation, owner, key, LinkChange(position: position, isForward: isForward))
                }
            }
        }
    }

    /// Returns the destinations that a program has added or removed, by unsaved changes.
    private func editedMembers(of owner: Int64, _ relation: RelationBatch) -> Set<Int64> {
        guard case .link(let link, let isForward) = relation.relationship.storage else { return [] }
        let changes = layered.layers.linkChanges(of: owner, link, isSource: isForward)
        return Set(
            changes.lazy.filter { $0.change.isEdit }.map { $0.pair.key(isSource: !isForward) })
    }

    private func set(
        _ relation: RelationBatch, _ owner: Int64, _ member: Int64, _ change: LinkChange
    ) {
        if placement.keepsValues(of: owner), placement.keepsValues(of: member) { return }
        layered.layers.setLink(from: owner, to: member, of: relation.relationship, change)
    }

    /// Returns the objects that the document has as destinations, in their own representations or in lists
    /// of the relationship that are assigned by another policy.
    private func namedMembers(_ column: Int, _ relation: RelationBatch) -> Set<Int64> {
        let table = layered.model.layouts[relation.relationship.destination].table
        var keys: Set<Int64> = []
        for other in batch.relations {
            if other.entity == relation.entity,
                other.relationship.index == relation.relationship.index
            {
                keys.formUnion(placement.assignedKeys(other).values.joined().map(\.key))
            }
            guard case .column(column) = other.relationship.storage,
                layered.model.layouts[other.entity].table === table
            else { continue }
            for own in placement.assigned(other)
            where own.members.first.flatMap(placement.key(of:)) != nil {
                keys.insert(own.owner)
            }
        }
        return keys
    }

    /// Returns the destinations of existing owners; new owners have none.
    private func existingDestinations(
        _ owners: [Int64], _ relationship: RelationshipLayout, _ layout: EntityLayout
    ) throws(PersistenceError) -> [Int64: [Int64]] {
        let created = placement.resolutions[layout.index].createdKeys
        let existing = owners.filter { !created.contains($0) }
        if existing.isEmpty { return [:] }
        return try layered.members(of: existing, relationship, in: layout)
    }
}

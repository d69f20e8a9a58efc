// SPDX-License-Identifier: Apache-2.0

import RestMapping

extension ImportPlacement {
    // MARK: Unions

    /// Reads the existing destinations that unions keep in their places.
    func readExistingOrders() throws(PersistenceError) {
        for relation in batch.relations where relation.isUnion && relation.relationship.isOrdered {
            let layout = context.model.layouts[relation.entity]
            let created = resolutions[layout.index].createdKeys
            let owners = assigned(relation).map(\.owner).filter { !created.contains($0) }
            if owners.isEmpty { continue }
            relation.existingOrders = try context.orderedMembers(of: owners, relation.relationship)
                .mapValues { ExistingOrder($0) }
        }
    }

    // MARK: Destinations

    /// Returns the final destinations of each object, with those of its last list.
    func assigned(_ relation: RelationBatch) -> [AssignedMembers] {
        let owners = resolutions[relation.entity]
        var indices: [Int64: Int] = [:]
        var result: [AssignedMembers] = []
        for assignment in relation.assignments {
            guard let owner = owners.key(of: assignment.owner) else { continue }
            let members = relation.members(of: assignment)
            if let index = indices[owner] {
                if relation.isUnion {
                    result[index].members += members
                } else {
                    result[index].members = members
                }
                result[index].ordinal = assignment.ordinal
            } else {
                indices[owner] = result.count
                result.append(
                    AssignedMembers(owner: owner, members: members, ordinal: assignment.ordinal))
            }
        }
        return result
    }

    /// Returns the destinations of an object, each once and in the order of the document, without those
    /// that were dropped.
    ///
    /// References that wait for their objects have positions as well. The first occurrence counts.
    func placed(_ assigned: AssignedMembers, _ relation: RelationBatch) -> [PlacedMember] {
        let order = relation.existingOrders[assigned.owner]
        var next = order?.next ?? 0
        var known: Set<Int64> = []
        var waiting: Set<StoredValue> = []
        var placed: [PlacedMember] = []
        placed.reserveCapacity(assigned.members.count)
        for member in relation.relationship.isToMany ? assigned.members : assigned.members.prefix(1)
        {
            let key = key(of: member)
            if let key {
                guard known.insert(key).inserted else { continue }
                if order?.positions[key] != nil {
                    placed.append(PlacedMember(member: member, key: key, position: nil))
                    continue
                }
            } else {
                guard case .reference(let reference) = member else { continue }
                let identity = batch.references[reference.batch].identity(reference.index)
                guard waiting.insert(identity).inserted else { continue }
            }
            placed.append(PlacedMember(member: member, key: key, position: next))
            next += 1
        }
        return placed
    }

    /// Returns the destinations of each object that exist.
    func assignedKeys(
        _ relation: RelationBatch
    ) -> [Int64: [(key: Int64, position: Int64?)]] {
        var keys: [Int64: [(key: Int64, position: Int64?)]] = [:]
        for assigned in assigned(relation) {
            keys[assigned.owner] = placed(assigned, relation).compactMap { place in
                place.key.map { ($0, place.position) }
            }
        }
        return keys
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
        guard deletesReplaced(relation) else { return [] }
        let destination = relation.relationship.destination
        let imported = Set(
            context.model.layouts[destination].subentities.flatMap { entity in
                let members = resolutions[entity]
                return (0..<members.batch.count).compactMap { members.key(of: $0) }
            })
        let incomplete = incompleteOwners(of: relation)
        let assigned = assignedKeys(relation).filter { !incomplete.contains($0.key) }
        let current = try existingDestinations(
            assigned, relation.relationship, context.model.layouts[relation.entity])
        let unassigned = Set(current.values.joined()).subtracting(imported)
            .subtracting(assigned.values.joined().map(\.key))
        return unassigned.sorted().map { ($0, destination) }
    }

    private func deletesReplaced(_ relation: RelationBatch) -> Bool {
        if relation.policy == .replace { return true }
        let rules = batch.plan.rules[relation.relationship.destination]
        return relation.policy == .set && relation.relationship.deleteRule == .cascade
            && rules.identity.isEmpty && !rules.insertsAllObjects
    }

    /// Returns the owners of which an element of the list was dropped, if the list would replace others.
    func incompleteOwners(of relation: RelationBatch) -> Set<Int64> {
        guard deletesReplaced(relation) else { return [] }
        let owners = resolutions[relation.entity]
        return Set(
            relation.assignments.lazy.filter { !$0.isComplete }.compactMap {
                owners.key(of: $0.owner)
            })
    }

    /// Deletes replaced destinations; a row of a sub-entity by the delete rules of that entity.
    mutating func delete(_ replaced: [(key: Int64, entity: Int)]) throws(PersistenceError) {
        var keys: [Int: [Int64]] = [:]
        for (key, entity) in replaced {
            keys[entity, default: []].append(key)
            counts[entity].deleted += 1
        }
        var rows: [(key: Int64, layout: EntityLayout)] = []
        for (entity, keys) in keys.sorted(by: { $0.key < $1.key }) {
            rows += try context.withEntities(keys, in: context.model.layouts[entity])
        }
        context.delete(rows)
    }

    // MARK: Relationships in other rows and join tables

    /// Removes the destinations that the document does not assign to a relationship.
    func removeDestinations(_ relation: RelationBatch) throws(PersistenceError) {
        let relationship = relation.relationship
        if relation.isUnion || relationship.isOneToOne { return }
        if case .column = relationship.storage { return }
        let layout = context.model.layouts[relation.entity]
        let incomplete = incompleteOwners(of: relation)
        let assigned = assignedKeys(relation).filter { !incomplete.contains($0.key) }
        let current: [Int64: [Int64]]
        if let others = try otherDestinations(assigned, relationship, layout) {
            current = others
        } else {
            current = try existingDestinations(assigned, relationship, layout)
        }
        var named: Set<Int64>?
        for (owner, members) in assigned {
            let edited = editedMembers(of: owner, relation)
            let others = edited.union(current[owner] ?? [])
            if others.isEmpty { continue }
            let kept = Set(members.map(\.key))
            for member in others where !kept.contains(member) {
                if case .inverseColumn(let column, _) = relationship.storage {
                    // The member itself may name the owner.
                    let keys = named ?? self.namedMembers(column, relation)
                    named = keys
                    if !keys.contains(member) {
                        let destination = context.model.layouts[relationship.destination]
                        set(.null, column, of: member, in: destination)
                    }
                } else {
                    set(relation, owner, member, .removed)
                }
            }
        }
    }

    /// Adds the destinations that the document assigns to a relationship with a join table.
    func addDestinations(_ relation: RelationBatch) throws(PersistenceError) {
        guard case .link = relation.relationship.storage else { return }
        let assigned = assignedKeys(relation)
        let current = try existingDestinations(
            assigned, relation.relationship, context.model.layouts[relation.entity])
        let isForward = relation.relationship.isForward
        for (owner, members) in assigned {
            if relation.relationship.isOrdered {
                for case (let key, let position?) in members {
                    set(
                        relation, owner, key, LinkChange(position: position, isForward: isForward))
                }
                continue
            }
            let known = Set(current[owner] ?? [])
            let edited = editedMembers(of: owner, relation)
            for member in members
            where !known.contains(member.key) || edited.contains(member.key) {
                set(relation, owner, member.key, LinkChange(isMember: true))
            }
        }
    }

    /// Returns the destinations that a program has added or removed, by unsaved changes.
    private func editedMembers(of owner: Int64, _ relation: RelationBatch) -> Set<Int64> {
        guard case .link(let link, let isForward) = relation.relationship.storage else { return [] }
        let changes = context.linkChanges(of: owner, link, isSource: isForward)
        return Set(
            changes.lazy.filter { $0.change.isEdit }.map { $0.pair.key(isSource: !isForward) })
    }

    private func set(
        _ relation: RelationBatch, _ owner: Int64, _ member: Int64, _ change: LinkChange
    ) {
        let relationship = relation.relationship
        guard case .link(let link, let isForward) = relationship.storage,
            !keepsValues(of: owner) || !keepsValues(of: member)
        else { return }
        let pair = LinkPair(owner, member, isForward: isForward)
        context.setLink(pair, link, change)
        if relationship.isSymmetric, owner != member {
            context.setLink(
                pair.reversed, link, change.isMember ? LinkChange(isMember: true) : .removed)
        }
    }

    /// Returns the objects that the document has as destinations, in their own representations or in lists
    /// of the relationship that are assigned by another policy.
    private func namedMembers(_ column: Int, _ relation: RelationBatch) -> Set<Int64> {
        let table = context.model.layouts[relation.relationship.destination].table
        var keys: Set<Int64> = []
        for other in batch.relations {
            if other.entity == relation.entity,
                other.relationship.index == relation.relationship.index
            {
                keys.formUnion(assignedKeys(other).values.joined().map(\.key))
            }
            guard case .column(column) = other.relationship.storage,
                context.model.layouts[other.entity].table === table
            else { continue }
            for own in assigned(other) where own.members.first.flatMap(key(of:)) != nil {
                keys.insert(own.owner)
            }
        }
        return keys
    }

    /// Returns the destinations of existing owners that the document does not assign to them; `nil` if unsaved
    /// changes concern the relationship.
    ///
    /// An unchanged list has none, and its members are compared without collecting them.
    private func otherDestinations(
        _ assigned: [Int64: [(key: Int64, position: Int64?)]], _ relationship: RelationshipLayout,
        _ layout: EntityLayout
    ) throws(PersistenceError) -> [Int64: [Int64]]? {
        let table = context.model.layouts[relationship.destination].table
        guard case .inverseColumn(let column, _) = relationship.storage,
            !context.effectiveChanges(of: table.index).concerns(column)
        else { return nil }
        let created = resolutions[layout.index].createdKeys
        var known: Set<LinkPair> = []
        known.reserveCapacity(assigned.values.reduce(0) { $0 + $1.count })
        for (owner, members) in assigned {
            for member in members {
                known.insert(LinkPair(owner, member.key, isForward: true))
            }
        }
        return try context.storedMembers(
            of: assigned.keys.filter { !created.contains($0) }, column, of: table, besides: known)
    }

    /// Returns the destinations of existing owners; new owners have none.
    private func existingDestinations(
        _ assigned: [Int64: [(key: Int64, position: Int64?)]], _ relationship: RelationshipLayout,
        _ layout: EntityLayout
    ) throws(PersistenceError) -> [Int64: [Int64]] {
        let created = resolutions[layout.index].createdKeys
        let existing = assigned.keys.filter { !created.contains($0) }
        if existing.isEmpty { return [:] }
        return try context.members(of: existing, relationship, in: layout)
    }
}

/// The destinations that the document assigns to the relationship of an object.
struct AssignedMembers {
    let owner: Int64
    var members: ArraySlice<BatchMember>
    /// The number of assignments before it, of all relationships.
    var ordinal: Int
}

/// A destination in the list of an object.
struct PlacedMember {
    let member: BatchMember
    /// The key of the object; `nil` for a reference that waits for its object.
    let key: Int64?
    /// The position; `nil` for an existing destination that a union leaves in its place.
    let position: Int64?
}

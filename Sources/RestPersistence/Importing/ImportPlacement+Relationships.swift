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

    // MARK: Relationships in columns

    /// Assigns the references that are stored in columns to the rows with the column.
    func assignColumns(_ relation: RelationBatch) {
        let relationship = relation.relationship
        let owners = resolutions[relation.entity]
        switch relationship.storage {
        case .column(let column):
            for assignment in relation.assignments {
                let owner = owners.canonical[assignment.owner]
                switch relation.members(of: assignment).first {
                case let member?:
                    if let key = key(of: member) {
                        owners.batch.set(.integer(key), column, of: owner)
                    } else if member.row == nil {
                        owners.batch.set(.null, column, of: owner)
                    }
                case nil: owners.batch.set(.null, column, of: owner)
                }
            }
        case .inverseColumn(let column, let position):
            for (owner, assigned) in assigned(relation) {
                let order = relation.existingOrders[owner]
                for (index, member) in assigned.enumerated() {
                    let isKnown = key(of: member).map { order?.positions[$0] != nil } == true
                    let place =
                        isKnown
                        ? nil
                        : position.map {
                            (column: $0, value: (order?.next ?? 0) + Int64(index))
                        }
                    setInverse(column, owner, place, of: member, relationship.destination)
                }
            }
        case .link: break
        }
    }

    /// Sets the column of a destination, and its position in the list of the owner.
    private func setInverse(
        _ column: Int, _ owner: Int64, _ position: (column: Int, value: Int64)?,
        of member: BatchMember, _ destination: Int
    ) {
        if let row = row(of: member) {
            let members = resolutions[row.entity]
            let canonical = members.canonical[row.row]
            members.batch.set(.integer(owner), column, of: canonical)
            if let position {
                members.batch.set(.integer(position.value), position.column, of: canonical)
            }
        } else if let key = key(of: member) {
            let layout = context.model.layouts[destination]
            context.set(.integer(owner), column, of: key, in: layout)
            if let position {
                context.set(.integer(position.value), position.column, of: key, in: layout)
            }
        }
    }

    /// Returns the key of a member's object; `nil` if its row was dropped or there is no object.
    func key(of member: BatchMember) -> Int64? {
        switch member {
        case .row(let row): resolutions[row.entity].key(of: row.row)
        case .reference(let reference): referenced[reference.batch].keys[reference.index]
        }
    }

    /// Returns the row of a member's object; `nil` if the document does not contain the object.
    private func row(of member: BatchMember) -> BatchRow? {
        switch member {
        case .row(let row): row
        case .reference(let reference): referenced[reference.batch].rows[reference.index]
        }
    }

    /// Returns the final destination rows of each object, in document order.
    func assigned(
        _ relation: RelationBatch
    ) -> [(owner: Int64, members: ArraySlice<BatchMember>)] {
        let owners = resolutions[relation.entity]
        var indices: [Int64: Int] = [:]
        var result: [(owner: Int64, members: ArraySlice<BatchMember>)] = []
        for assignment in relation.assignments {
            guard let owner = owners.key(of: assignment.owner) else { continue }
            let members = relation.members(of: assignment)
            if let index = indices[owner] {
                if relation.isUnion {
                    result[index].members += members
                } else {
                    result[index].members = members
                }
            } else {
                indices[owner] = result.count
                result.append((owner, members))
            }
        }
        return result
    }

    // MARK: Replaced objects

    /// Returns the replaced destinations to delete, which are those that the document does not contain.
    ///
    /// A list with a dropped element replaces nothing: the element may be any of the destinations.
    func replaced(
        by relation: RelationBatch
    ) throws(PersistenceError) -> [(key: Int64, entity: Int)] {
        guard relation.policy == .replace else { return [] }
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

    /// Returns the owners of which an element of the list was dropped, if the list would replace others.
    private func incompleteOwners(of relation: RelationBatch) -> Set<Int64> {
        guard relation.policy == .replace else { return [] }
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
        if relation.isUnion { return }
        let relationship = relation.relationship
        let layout = context.model.layouts[relation.entity]
        if case .column(let column) = relationship.storage {
            if relationship.isSymmetric {
                setPartners(of: relation, column)
            } else {
                try removePreviousSources(of: relation, column, layout)
            }
            return
        }
        let incomplete = incompleteOwners(of: relation)
        let assigned = assignedKeys(relation).filter { !incomplete.contains($0.key) }
        let current = try existingDestinations(assigned, relationship, layout)
        var reassigned: Set<Int64>?
        for (owner, members) in assigned {
            let kept = Set(members.map(\.key))
            let edited = editedMembers(of: owner, relation)
            for member in edited.union(current[owner] ?? []) where !kept.contains(member) {
                if case .inverseColumn(let column, _) = relationship.storage {
                    // The document may assign another source to the member.
                    let keys = reassigned ?? self.reassigned(column, relation)
                    reassigned = keys
                    if !keys.contains(member) {
                        let destination = context.model.layouts[relationship.destination]
                        context.set(.null, column, of: member, in: destination)
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
                let order = relation.existingOrders[owner]
                for member in members where order?.positions[member.key] == nil {
                    let position = (order?.next ?? 0) + member.position
                    set(
                        relation, owner, member.key,
                        LinkChange(position: position, isForward: isForward))
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
        guard case .link(let link, let isForward) = relationship.storage else { return }
        let pair = LinkPair(owner, member, isForward: isForward)
        context.setLink(pair, link, change)
        if relationship.isSymmetric, owner != member {
            context.setLink(
                pair.reversed, link, change.isMember ? LinkChange(isMember: true) : .removed)
        }
    }

    /// Returns the final destinations of each object, with positions that count pending references.
    private func assignedKeys(
        _ relation: RelationBatch
    ) -> [Int64: [(key: Int64, position: Int64)]] {
        Dictionary(
            uniqueKeysWithValues: assigned(relation).map { owner, assigned in
                var known: Set<Int64> = []
                var members: [(key: Int64, position: Int64)] = []
                var position: Int64 = 0
                for member in assigned {
                    if let key = key(of: member) {
                        guard known.insert(key).inserted else { continue }
                        members.append((key, position))
                    } else if member.row != nil {
                        continue
                    }
                    position += 1
                }
                return (owner, members)
            })
    }

    /// Returns the objects whose column the document assigns.
    private func reassigned(_ column: Int, _ relation: RelationBatch) -> Set<Int64> {
        let destination = relation.relationship.destination
        // Other mappings may assign the relationship by another policy.
        let relations = batch.relations.filter {
            $0.entity == relation.entity && $0.relationship.index == relation.relationship.index
        }
        var keys = Set(relations.flatMap { assignedKeys($0).values.joined().map(\.key) })
        for entity in context.model.layouts[destination].subentities {
            let members = resolutions[entity]
            let rows = (0..<members.batch.count).lazy.filter { row in
                members.canonical[row] == row && members.batch.masks[row].contains(column)
            }
            keys.formUnion(rows.compactMap { members.key(of: $0) })
        }
        return keys
    }

    /// Returns the destinations of existing owners; new owners have none.
    private func existingDestinations(
        _ assigned: [Int64: [(key: Int64, position: Int64)]], _ relationship: RelationshipLayout,
        _ layout: EntityLayout
    ) throws(PersistenceError) -> [Int64: [Int64]] {
        let created = resolutions[layout.index].createdKeys
        let existing = assigned.keys.filter { !created.contains($0) }
        if existing.isEmpty { return [:] }
        return try context.members(of: existing, relationship, in: layout)
    }

    /// Removes the previous source of a one-to-one destination.
    private func removePreviousSources(
        of relation: RelationBatch, _ column: Int, _ layout: EntityLayout
    ) throws(PersistenceError) {
        let destination = context.model.layouts[relation.relationship.destination]
        guard let inverse = relation.relationship.inverse,
            case let other = destination.relationships[inverse], !other.isToMany
        else { return }
        var sources: [Int64: Int64] = [:]
        for (owner, members) in assigned(relation) {
            guard let member = members.first,
                let key = key(of: member)
            else { continue }
            sources[key] = owner
        }
        let current = try context.members(of: Array(sources.keys), other, in: destination)
        for (member, owners) in current {
            for owner in owners where owner != sources[member] {
                context.set(.null, column, of: owner, in: layout)
            }
        }
    }
}

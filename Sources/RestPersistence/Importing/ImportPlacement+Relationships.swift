// SPDX-License-Identifier: Apache-2.0

import RestMapping

extension ImportPlacement {
    // MARK: Relationships in columns

    /// Assigns the references that are stored in columns to the rows with the column.
    func assignColumns(_ relation: RelationBatch) {
        let relationship = relation.relationship
        let owners = resolutions[relation.entity]
        let members = resolutions[relationship.destination]
        switch relationship.storage {
        case .column(let column):
            for assignment in relation.assignments {
                let owner = owners.canonical[assignment.owner]
                if let member = relation.members(of: assignment).first {
                    guard let key = members.key(of: member) else { continue }
                    owners.batch.set(.integer(key), column, of: owner)
                } else {
                    owners.batch.set(.null, column, of: owner)
                }
            }
        case .inverseColumn(let column):
            for (owner, assigned) in assigned(relation) {
                for member in assigned {
                    members.batch.set(.integer(owner), column, of: members.canonical[member])
                }
            }
        case .link: break
        }
    }

    /// Returns the final destination rows of each object, in document order.
    private func assigned(
        _ relation: RelationBatch
    ) -> [(owner: Int64, members: ArraySlice<Int>)] {
        let owners = resolutions[relation.entity]
        var indices: [Int64: Int] = [:]
        var result: [(owner: Int64, members: ArraySlice<Int>)] = []
        for assignment in relation.assignments {
            guard let owner = owners.key(of: assignment.owner) else { continue }
            let members = relation.members(of: assignment)
            if let index = indices[owner] {
                result[index].members =
                    relation.isUnion ? result[index].members + members : members
            } else {
                indices[owner] = result.count
                result.append((owner, members))
            }
        }
        return result
    }

    // MARK: Replaced objects

    /// Returns the replaced destinations to delete, which are those that the document does not contain.
    func replaced(
        by relation: RelationBatch
    ) throws(PersistenceError) -> [(key: Int64, entity: Int)] {
        guard relation.policy == .replace else { return [] }
        let destination = relation.relationship.destination
        let members = resolutions[destination]
        let imported = Set((0..<members.batch.count).compactMap { members.key(of: $0) })
        let current = try existingDestinations(
            assignedKeys(relation), relation.relationship, context.model.layouts[relation.entity])
        let unassigned = Set(current.values.joined()).subtracting(imported)
        return unassigned.sorted().map { ($0, destination) }
    }

    // MARK: Relationships in other rows and join tables

    /// Removes the destinations that the document does not assign to a relationship.
    func removeDestinations(_ relation: RelationBatch) throws(PersistenceError) {
        if relation.isUnion { return }
        let relationship = relation.relationship
        let layout = context.model.layouts[relation.entity]
        if case .column(let column) = relationship.storage {
            try removePreviousSources(of: relation, column, layout)
            return
        }
        let assigned = assignedKeys(relation)
        let current = try existingDestinations(assigned, relationship, layout)
        var reassigned: Set<Int64>?
        for (owner, _) in assigned {
            for member in current[owner] ?? [] where assigned[owner]?.contains(member) == false {
                if case .inverseColumn(let column) = relationship.storage {
                    // The document may assign another source to the member.
                    let keys = reassigned ?? self.reassigned(column, relationship.destination)
                    reassigned = keys
                    if !keys.contains(member) {
                        let destination = context.model.layouts[relationship.destination]
                        context.set(.null, column, of: member, in: destination)
                    }
                } else {
                    set(relation, owner, member, isMember: false)
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
        for (owner, members) in assigned {
            for member in members.subtracting(current[owner] ?? []) {
                set(relation, owner, member, isMember: true)
            }
        }
    }

    private func set(
        _ relation: RelationBatch, _ owner: Int64, _ member: Int64, isMember: Bool
    ) {
        let relationship = relation.relationship
        guard case .link(let link, let isForward) = relationship.storage else { return }
        let pair = LinkPair(owner, member, isForward: isForward)
        context.changes.setLink(pair, link, isMember: isMember)
        let isSymmetric =
            relationship.inverse == relationship.index
            && relationship.destination == relation.entity
        if isSymmetric { context.changes.setLink(pair.reversed, link, isMember: isMember) }
    }

    /// Returns the final destinations of each object.
    private func assignedKeys(_ relation: RelationBatch) -> [Int64: Set<Int64>] {
        let members = resolutions[relation.relationship.destination]
        return Dictionary(
            uniqueKeysWithValues: assigned(relation).map { owner, assigned in
                (owner, Set(assigned.compactMap { members.key(of: $0) }))
            })
    }

    /// Returns the objects whose column the document assigns.
    private func reassigned(_ column: Int, _ entity: Int) -> Set<Int64> {
        let members = resolutions[entity]
        let rows = (0..<members.batch.count).lazy.filter { row in
            members.canonical[row] == row && members.batch.masks[row].contains(column)
        }
        return Set(rows.compactMap { members.key(of: $0) })
    }

    /// Returns the destinations of existing owners; new owners have none.
    private func existingDestinations(
        _ assigned: [Int64: Set<Int64>], _ relationship: RelationshipLayout, _ layout: EntityLayout
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
                let key = resolutions[destination.index].key(of: member)
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

// SPDX-License-Identifier: Apache-2.0

import RestMapping

extension ImportPlacement {
    // MARK: Relationships in columns

    /// References that are columns become values of the rows that have the column.
    func fillColumns(_ relation: RelationBatch) {
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

    /// By object, in the document's order: the rows its relationship leads to in the end.
    private func assigned(
        _ relation: RelationBatch
    ) -> [(owner: Int64, members: ArraySlice<Int>)] {
        let owners = resolutions[relation.entity]
        var positions: [Int64: Int] = [:]
        var result: [(owner: Int64, members: ArraySlice<Int>)] = []
        for assignment in relation.assignments {
            guard let owner = owners.key(of: assignment.owner) else { continue }
            let members = relation.members(of: assignment)
            if let position = positions[owner] {
                result[position].members =
                    relation.isUnion ? result[position].members + members : members
            } else {
                positions[owner] = result.count
                result.append((owner, members))
            }
        }
        return result
    }

    // MARK: Replaced objects

    /// The objects that a relationship led to and that are to be deleted: those the document does not
    /// name, anywhere.
    func replaced(
        by relation: RelationBatch
    ) throws(PersistenceError) -> [(key: Int64, entity: Int)] {
        guard relation.policy == .replace else { return [] }
        let destination = relation.relationship.destination
        let members = resolutions[destination]
        let named = Set((0..<members.batch.count).compactMap { members.key(of: $0) })
        let current = try present(
            wanted(relation), relation.relationship, context.model.layouts[relation.entity])
        let left = Set(current.values.joined()).subtracting(named)
        return left.sorted().map { ($0, destination) }
    }

    // MARK: Relationships elsewhere

    /// Takes away what a relationship led to and the document does not say it leads to.
    func release(_ relation: RelationBatch) throws(PersistenceError) {
        if relation.isUnion { return }
        let relationship = relation.relationship
        let layout = context.model.layouts[relation.entity]
        if case .column(let column) = relationship.storage {
            try releaseHolders(of: relation, column, layout)
            return
        }
        let wanted = wanted(relation)
        let current = try present(wanted, relationship, layout)
        var placed: Set<Int64>?
        for (owner, _) in wanted {
            for member in current[owner] ?? [] where wanted[owner]?.contains(member) == false {
                if case .inverseColumn(let column) = relationship.storage {
                    // The document itself may say where the member leads now.
                    let stays = placed ?? self.placed(column, relationship.destination)
                    placed = stays
                    if !stays.contains(member) {
                        let destination = context.model.layouts[relationship.destination]
                        context.set(.null, column, of: member, in: destination)
                    }
                } else {
                    set(relation, owner, member, isMember: false)
                }
            }
        }
    }

    /// Adds what the document says a relationship with a table of its own leads to.
    func link(_ relation: RelationBatch) throws(PersistenceError) {
        guard case .link = relation.relationship.storage else { return }
        let wanted = wanted(relation)
        let current = try present(
            wanted, relation.relationship, context.model.layouts[relation.entity])
        for (owner, members) in wanted {
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

    /// By object: the objects its relationship leads to in the end.
    private func wanted(_ relation: RelationBatch) -> [Int64: Set<Int64>] {
        let members = resolutions[relation.relationship.destination]
        return Dictionary(
            uniqueKeysWithValues: assigned(relation).map { owner, assigned in
                (owner, Set(assigned.compactMap { members.key(of: $0) }))
            })
    }

    /// Objects whose column the document fills.
    private func placed(_ column: Int, _ entity: Int) -> Set<Int64> {
        let members = resolutions[entity]
        let rows = (0..<members.batch.count).lazy.filter { row in
            members.canonical[row] == row && members.batch.masks[row].contains(column)
        }
        return Set(rows.compactMap { members.key(of: $0) })
    }

    /// Members of the owners that existed before; those made just now lead nowhere else.
    private func present(
        _ wanted: [Int64: Set<Int64>], _ relationship: RelationshipLayout, _ layout: EntityLayout
    ) throws(PersistenceError) -> [Int64: [Int64]] {
        let created = resolutions[layout.index].createdKeys
        let existing = wanted.keys.filter { !created.contains($0) }
        if existing.isEmpty { return [:] }
        return try context.members(of: existing, relationship, in: layout)
    }

    /// One-to-one: an object that another one led to is led to by the new one alone.
    private func releaseHolders(
        of relation: RelationBatch, _ column: Int, _ layout: EntityLayout
    ) throws(PersistenceError) {
        let destination = context.model.layouts[relation.relationship.destination]
        guard let inverse = relation.relationship.inverse,
            case let other = destination.relationships[inverse], !other.isToMany
        else { return }
        var holders: [Int64: Int64] = [:]
        for (owner, members) in assigned(relation) {
            guard let member = members.first,
                let key = resolutions[destination.index].key(of: member)
            else { continue }
            holders[key] = owner
        }
        let current = try context.members(of: Array(holders.keys), other, in: destination)
        for (member, owners) in current {
            for owner in owners where owner != holders[member] {
                context.set(.null, column, of: owner, in: layout)
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import RestMapping

/// The destinations that the document assigns to relationships.
extension ImportPlacement {
    /// Returns the final destinations of each object, with those of its last list.
    func assigned(_ relation: RelationBatch) -> [AssignedMembers] {
        let owners = resolutions[relation.entity]
        let assignments = relation.assignments
        var indices = IntegerTable(capacity: assignments.count)
        var result: [AssignedMembers] = []
        result.reserveCapacity(assignments.count)
        for assignment in assignments {
            guard let owner = owners.key(of: assignment.owner) else { continue }
            let members = relation.members(of: assignment)
            let index = indices.insert(owner, result.count)
            if index == result.count {
                result.append(
                    AssignedMembers(owner: owner, members: members, ordinal: assignment.ordinal))
                continue
            }
            if relation.isUnion {
                result[index].members += members
            } else {
                result[index].members = members
            }
            result[index].ordinal = assignment.ordinal
        }
        return result
    }

    /// Returns the destinations of all objects of a relationship, each once and in the order of the
    /// document, without those that were dropped.
    ///
    /// They are the same until the end of ``place(_:_:)``. References that wait for their objects have
    /// positions as well. The first occurrence counts.
    func placedLists(_ relation: RelationBatch) -> PlacedLists {
        if let known = relation.placed { return known }
        var lists = PlacedLists()
        for assigned in assigned(relation) {
            append(assigned, to: &lists.members, relation)
            lists.endList(of: assigned.owner, assigned.ordinal)
        }
        relation.placed = lists
        return lists
    }

    /// Returns the destinations of an object, as ``placedLists(_:)`` does.
    func placed(_ assigned: AssignedMembers, _ relation: RelationBatch) -> [PlacedMember] {
        var placed: [PlacedMember] = []
        append(assigned, to: &placed, relation)
        return placed
    }

    private func append(
        _ assigned: AssignedMembers, to placed: inout [PlacedMember], _ relation: RelationBatch
    ) {
        let order = relation.existingOrders[assigned.owner]
        var next = order?.next ?? 0
        var known = KeySet(placed.count)
        var waiting: Set<StoredValue> = []
        for member in relation.relationship.isToMany ? assigned.members : assigned.members.prefix(1)
        {
            let key = key(of: member)
            if let key {
                guard known.insert(key, among: placed) else { continue }
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
    }

    /// Returns the destinations of each object that exist.
    func assignedKeys(
        _ relation: RelationBatch
    ) -> [Int64: [(key: Int64, position: Int64?)]] { placedLists(relation).keys }

    /// Returns a Boolean value that indicates whether the former destinations of a relationship are deleted.
    func deletesReplaced(_ relation: RelationBatch) -> Bool {
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

    // MARK: Stored destinations

    /// Compares the lists of the document with the stored ones in SQLite, unless unsaved changes concern
    /// them.
    ///
    /// It is done before the import changes anything.
    func compareLists() throws(PersistenceError) {
        for relation in batch.relations {
            relation.stored = nil
            // A union removes nothing, and the members that the document contains are compared as rows.
            if case .inverseColumn = relation.relationship.storage, relation.isUnion,
                relation.missing == nil
            {
                continue
            }
            relation.stored = try storedLists(of: relation, comparesPositions: true)
        }
    }

    /// Returns the orders of the destinations of objects whose lists add none to the stored ones.
    func unchangedOrders(
        of relation: RelationBatch
    ) throws(PersistenceError) -> [Int64: ExistingOrder] {
        guard let stored = try storedLists(of: relation, comparesPositions: false) else {
            return [:]
        }
        let placed = placedLists(relation)
        // Its positions are those of a list that is not added to another one.
        relation.placed = nil
        var orders: [Int64: ExistingOrder] = [:]
        for (index, owner) in placed.owners.enumerated() {
            let range = placed.range(of: index)
            guard range.allSatisfy({ stored.isStored[$0] }) else { continue }
            orders[owner] = ExistingOrder(unchanged: placed.members[range].compactMap(\.key))
        }
        return orders
    }

    /// Returns the lists of a relationship, compared with the stored ones; `nil` if unsaved changes concern them,
    /// or for one destination.
    private func storedLists(
        of relation: RelationBatch, comparesPositions: Bool
    ) throws(PersistenceError) -> BatchLists? {
        let relationship = relation.relationship
        if relationship.isOneToOne { return nil }
        let table: BatchTable
        switch relationship.storage {
        case .column: return nil
        case .inverseColumn(let column, let position):
            let layout = layered.model.layouts[relationship.destination].table
            if layered.layers.hasChanges(of: layout.index) {
                let changes = layered.effectiveChanges(of: layout.index)
                if changes.concerns(column) || position.map(changes.concerns) == true {
                    return nil
                }
            }
            table = self.table(of: relation, comparesPositions: comparesPositions)
            try layered.read { database in
                try table.compareMembers(by: column, at: position, of: layout, in: database)
            }
        case .link(let link, let isForward):
            if layered.layers.hasPendingDeletions || layered.layers.hasLinkChanges(of: link) {
                return nil
            }
            table = self.table(of: relation, comparesPositions: comparesPositions)
            try layered.read { database in
                try table.compareMembers(
                    of: layered.model.links[link], isForward: isForward,
                    isOrdered: relationship.isOrdered, in: database)
            }
        }
        return table.lists
    }

    /// Returns the lists of a relationship, of which those of existing objects are compared.
    private func table(of relation: RelationBatch, comparesPositions: Bool) -> BatchTable {
        let placed = placedLists(relation)
        let hasPositions = comparesPositions && relation.relationship.isOrdered
        var lists = BatchLists()
        var (owners, keys): ([Int], [Int64]) = ([], [])
        let created = resolutions[relation.entity].createdKeys
        for (index, owner) in placed.owners.enumerated() {
            for member in placed.members[placed.range(of: index)] {
                lists.append(member.key, position: hasPositions ? member.position : nil)
            }
            lists.endList()
            if created.contains(owner) { continue }
            owners.append(index)
            keys.append(owner)
        }
        return BatchTable(lists, of: owners, keys: keys)
    }
}

/// The keys of the destinations that were appended since a start; most lists are short.
private struct KeySet {
    private let start: Int
    private var keys: Set<Int64> = []

    /// The length up to which a list is searched.
    private static let maximumLength = 8

    init(_ start: Int) { self.start = start }

    /// Returns a Boolean value that indicates whether no destination has the key, and adds it.
    mutating func insert(_ key: Int64, among placed: [PlacedMember]) -> Bool {
        if placed.count - start <= Self.maximumLength {
            return !placed[start...].contains { $0.key == key }
        }
        if keys.isEmpty { keys = Set(placed[start...].lazy.compactMap(\.key)) }
        return keys.insert(key).inserted
    }
}

/// The destinations that the document assigns to the relationship of an object.
struct AssignedMembers {
    let owner: Int64
    var members: ArraySlice<BatchMember>
    /// The number of assignments before it, of all relationships.
    var ordinal: Int
}

// SPDX-License-Identifier: Apache-2.0

import RestMapping

/// The reuse of the destinations that the relationship of an existing object already has.
///
/// A representation of an entity without identification attributes has nothing by which its object
/// could be found, and the object that a program has inserted has no identity until the server
/// answers. Inside a relationship, both are found by their owner: the representations of a list
/// update its existing objects in turn, so that a second import of the same document updates in place.
struct DestinationReuse {
    private let placement: ImportPlacement
    private var batch: ImportBatch { placement.batch }
    private var layered: LayeredRows { placement.layered }

    init(_ placement: ImportPlacement) { self.placement = placement }

    /// The representations of a relationship that no object has been found for, by the canonical row
    /// of their owner and in document order.
    private struct Unresolved {
        let relation: RelationBatch
        var members: [Int: [BatchRow]] = [:]
        /// The representations in lists that a later list of the same owner replaces.
        var replaced: [BatchRow] = []
    }

    /// Assigns existing destinations to representations without an object, the owners first.
    func reuseRelatedObjects() throws(PersistenceError) {
        let reusing = batch.entities.map(reusesRelatedObjects)
        var lists = batch.relations.filter { !$0.isUnion }.map { unresolved($0, reusing) }
        dropReplacedParts(lists, reusing)
        lists.removeAll { $0.members.isEmpty || $0.relation.policy != .set }
        var claimed: Set<Int64>?
        var reused: [BatchRow] = []
        var hasChanged = true
        // A reused object is an existing owner, whose relationships come next.
        while hasChanged {
            hasChanged = false
            for index in lists.indices {
                let owners = lists[index].members.keys.filter { owner in
                    placement.resolutions[lists[index].relation.entity].key(of: owner) != nil
                }
                if owners.isEmpty { continue }
                let rows = try reuse(for: owners.sorted(), of: lists[index], &claimed)
                if !rows.isEmpty { hasChanged = true }
                reused += rows
                for owner in owners { lists[index].members[owner] = nil }
            }
        }
        clearAbsentValues(of: reused)
    }

    /// Assigns default values to the mapped properties that representations without identity lack.
    ///
    /// Such a representation is the whole object, which only has the row of a former one: a value of that
    /// one is not its own. A required value without a default stays.
    private func clearAbsentValues(of reused: [BatchRow]) {
        let rows = reused.filter { !hasIdentity($0) }
        if rows.isEmpty { return }
        let mapped = MappedProperties(batch.plan.mapping, in: layered.model)
        for (entity, rows) in Dictionary(grouping: rows, by: \.entity) {
            let batch = batch.entities[entity]
            let layout = batch.layout
            let columns = layout.attributeColumns.filter { column in
                let attribute = layout.columns[column]
                return !(attribute.isRequired && layout.defaults[column].isNull)
                    && mapped.contains(attribute: attribute.name, of: layout, in: layered.model)
            }
            for row in rows {
                for column in columns where !batch.masks[row.row].contains(column) {
                    batch.set(layout.defaults[column], column, of: row.row)
                }
            }
            for relationship in layout.relationships
            where mapped.contains(relationship.name, of: layout, in: layered.model) {
                clear(relationship, of: rows.map(\.row), in: layout)
            }
        }
    }

    /// Assigns no destinations to a relationship of the rows that lack it, unless it is the inverse of one
    /// that the document has.
    private func clear(_ relationship: RelationshipLayout, of rows: [Int], in layout: EntityLayout)
    {
        let isInverse = batch.relations.contains { other in
            other.relationship.inverse == relationship.index
                && layered.model.layouts[other.relationship.destination].includes(layout.index)
                && layered.model.layouts[relationship.destination].includes(other.entity)
        }
        if isInverse { return }
        let relations = batch.relations.filter {
            $0.entity == layout.index && $0.relationship.index == relationship.index
        }
        let stated = Set(relations.flatMap { $0.assignments.map(\.owner) })
        let relation = relations.first ?? batch.relation(layout.index, relationship.index, .set)
        for row in rows where !stated.contains(row) {
            batch.assign(EmptyCollection(), to: row, relation)
        }
    }

    /// Returns a Boolean value that indicates whether objects of an entity may have no identity.
    private func reusesRelatedObjects(_ entity: EntityBatch) -> Bool {
        entity.count > 0 && !batch.plan.rules[entity.layout.index].insertsAllObjects
            && entity.identity.allSatisfy { !entity.layout.columns[$0].isRequired }
    }

    private func unresolved(_ relation: RelationBatch, _ reusing: [Bool]) -> Unresolved {
        var list = Unresolved(relation: relation)
        let destination = layered.model.layouts[relation.relationship.destination]
        guard destination.subentities.contains(where: { reusing[$0] }) else { return list }
        let owners = placement.resolutions[relation.entity]
        for assignment in relation.assignments {
            let rows = relation.members(of: assignment).compactMap(\.row).filter {
                reusing[$0.entity] && placement.resolutions[$0.entity].isUnresolved($0.row)
            }
            // A later assignment replaces an earlier one, also by nothing.
            let owner = owners.canonical[assignment.owner]
            list.replaced += list.members[owner] ?? []
            list.members[owner] = rows.isEmpty ? nil : rows
        }
        return list
    }

    /// Drops the representations without identity of lists that a later list of the same owner replaces,
    /// and those inside of them.
    ///
    /// Their objects would be without an owner, by which alone they could be found, so that each import of
    /// the document would insert further ones. A representation that itself names its owner has one.
    private func dropReplacedParts(_ lists: [Unresolved], _ reusing: [Bool]) {
        var replaced = lists.flatMap { parts(among: $0.replaced, of: $0.relation) }
        while !replaced.isEmpty {
            for (entity, rows) in Dictionary(grouping: replaced, by: \.entity) {
                placement.resolutions[entity].drop(rows.map(\.row))
            }
            let owners = Set(replaced)
            replaced = []
            for relation in batch.relations {
                var rows: [BatchRow] = []
                for assignment in relation.assignments
                where owners.contains(BatchRow(entity: relation.entity, row: assignment.owner)) {
                    rows += relation.members(of: assignment).compactMap(\.row)
                }
                rows.removeAll { !reusing[$0.entity] }
                replaced += parts(among: rows, of: relation)
            }
        }
    }

    /// Returns the rows of a relationship that have neither an identity nor an owner that they name.
    private func parts(among rows: [BatchRow], of relation: RelationBatch) -> [BatchRow] {
        let parts = rows.filter { row in
            placement.resolutions[row.entity].isUnresolved(row.row) && !hasIdentity(row)
        }
        guard !parts.isEmpty, let inverse = relation.relationship.inverse else { return parts }
        let destination = layered.model.layouts[relation.relationship.destination]
        var named: Set<BatchRow> = []
        for other in batch.relations
        where other.relationship.index == inverse && destination.includes(other.entity) {
            for assignment in other.assignments where !other.members(of: assignment).isEmpty {
                named.insert(BatchRow(entity: other.entity, row: assignment.owner))
            }
        }
        return parts.filter { !named.contains($0) }
    }

    private func hasIdentity(_ row: BatchRow) -> Bool {
        !batch.entities[row.entity].identity.isEmpty
            && placement.resolutions[row.entity].identity(row.row) != nil
    }

    /// Assigns the destinations of owners in their order, each once.
    ///
    /// - Returns: The rows that have been assigned to existing destinations.
    private func reuse(
        for owners: [Int], of list: Unresolved, _ claimed: inout Set<Int64>?
    ) throws(PersistenceError) -> [BatchRow] {
        let (relation, model) = (list.relation, layered.model)
        let keys = owners.compactMap { placement.resolutions[relation.entity].key(of: $0) }
        let current = try layered.members(
            of: keys, relation.relationship, in: model.layouts[relation.entity])
        if current.isEmpty { return [] }
        let destination = model.layouts[relation.relationship.destination]
        // Any destination is reusable if none can have an identity or another entity.
        let readsRows = destination.subentities.contains {
            $0 != destination.index || !batch.entities[$0].identity.isEmpty
        }
        let stored =
            try readsRows
            ? layered.rows(Array(Set(current.values.joined())), destination) : nil
        var known = claimed ?? resolvedKeys
        var reused: [BatchRow] = []
        for (owner, key) in zip(owners, keys) {
            let candidates = current[key] ?? []
            // The next candidate for the representations of each entity.
            var next: [Int: Int] = [:]
            for member in list.members[owner] ?? []
            where placement.resolutions[member.entity].isUnresolved(member.row) {
                var index = next[member.entity] ?? 0
                while index < candidates.count {
                    let candidate = candidates[index]
                    index += 1
                    if known.contains(candidate) { continue }
                    if let stored {
                        guard let row = stored[candidate],
                            try isReusable(row, of: destination, as: member.entity)
                        else { continue }
                    }
                    known.insert(candidate)
                    placement.resolutions[member.entity].reuse(candidate, for: member.row)
                    reused.append(member)
                    break
                }
                next[member.entity] = index
            }
        }
        claimed = known
        return reused
    }

    /// The keys of all objects that representations have been found to be.
    private var resolvedKeys: Set<Int64> {
        var keys: Set<Int64> = []
        for resolution in placement.resolutions { keys.formUnion(resolution.resolvedKeys) }
        return keys
    }

    /// Returns a Boolean value that indicates whether an object has the entity of a representation and
    /// no identity of its own.
    private func isReusable(
        _ row: [StoredValue], of destination: EntityLayout, as entity: Int
    ) throws(PersistenceError) -> Bool {
        let layout = try layered.model.layout(ofRow: row, in: destination)
        return layered.model.layouts[entity].includes(layout.index)
            && batch.entities[entity].identity.allSatisfy { row[$0].isNull }
    }
}

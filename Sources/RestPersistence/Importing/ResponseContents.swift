// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping

/// The objects that a representation contains, and what it does not tell.
struct ResponseContents {
    private let placement: ImportPlacement
    private var batch: ImportBatch { placement.batch }
    private var layered: LayeredRows { placement.layered }

    init(_ placement: ImportPlacement) { self.placement = placement }

    /// Returns the keys of the objects that the representation contains, or refers to.
    ///
    /// A mapped relationship that an object's representation lacks, or that was skipped because the object
    /// is unmodified, has the destinations that it had, so that the objects count that are reachable
    /// through it. A relationship that unites objects contains the existing ones.
    ///
    /// The inverse of a relationship is no such list if the object is only inside of objects of its
    /// destination: a list of issues with their users contains the issues of a user, whose representation
    /// lacks them because it is inside of an issue.
    ///
    /// - Parameter absentIsEmpty: A Boolean value that indicates whether a relationship that a
    ///   representation lacks has no destinations instead.
    /// - Returns: The keys, also those of new objects.
    /// - Throws: ``PersistenceError`` of the database.
    func containedKeys(absentIsEmpty: Bool) throws(PersistenceError) -> Set<Int64> {
        let mapped = MappedProperties(batch.plan.mapping, in: layered.model)
        var containment = BatchContainment(placement)
        var keys = Set(placement.referenced.flatMap { $0.keys.compactMap(\.self) })
        var pending: [PendingMembers] = []
        for resolution in placement.resolutions where resolution.batch.count > 0 {
            let layout = resolution.batch.layout
            let contained = Set(
                (0..<resolution.batch.count).compactMap { resolution.key(of: $0) })
            keys.formUnion(contained)
            let existing = contained.filter { !resolution.createdKeys.contains($0) }
            if existing.isEmpty { continue }
            for relationship in layout.relationships
            where mapped.contains(relationship.name, of: layout, in: layered.model) {
                var absent = existing.subtracting(statedOwners(of: relationship, layout))
                if absentIsEmpty { absent.formIntersection(placement.skippedOwners) }
                let destination = layered.model.layouts[relationship.destination]
                if relationship.inverse != nil, !absent.isEmpty {
                    absent.formIntersection(
                        containment.keys(of: layout.index, outsideOf: destination.table.index))
                }
                if absent.isEmpty { continue }
                let found = try layered.members(
                    of: Array(absent), relationship, in: layout)
                let members = Array(Set(found.values.joined()))
                keys.formUnion(members)
                pending.append(
                    PendingMembers(
                        layout: destination, keys: members,
                        passed: [layout.table.index, destination.table.index]))
            }
        }
        for relation in batch.relations where relation.isUnion {
            let owners = placement.assigned(relation).map(\.owner)
            let layout = layered.model.layouts[relation.entity]
            let united = try layered.members(
                of: owners, relation.relationship, in: layout)
            keys.formUnion(united.values.joined())
        }
        var visited: Set<Int64> = []
        while let sources = pending.popLast() {
            let new = sources.keys.filter { visited.insert($0).inserted }
            if new.isEmpty { continue }
            for relationship in sources.layout.relationships
            where mapped.contains(relationship.name, of: sources.layout, in: layered.model) {
                let destination = layered.model.layouts[relationship.destination]
                // A way back.
                if relationship.inverse != nil, sources.passed.contains(destination.table.index) {
                    continue
                }
                let found = try layered.members(
                    of: new, relationship, in: sources.layout
                ).values
                    .joined()
                keys.formUnion(found)
                pending.append(
                    PendingMembers(
                        layout: destination, keys: Array(found),
                        passed: sources.passed.union([destination.table.index])))
            }
        }
        return keys
    }

    /// Objects whose relationships lead to further objects.
    private struct PendingMembers {
        let layout: EntityLayout
        let keys: [Int64]
        /// The tables of the objects on the way.
        let passed: Set<Int>
    }

    /// Returns the objects of an entity whose relationship the document has.
    private func statedOwners(
        of relationship: RelationshipLayout, _ layout: EntityLayout
    ) -> Set<Int64> {
        let owners = placement.resolutions[layout.index]
        var keys: Set<Int64> = []
        for relation in batch.relations
        where relation.entity == layout.index && relation.relationship.index == relationship.index {
            keys.formUnion(relation.assignments.lazy.compactMap { owners.key(of: $0.owner) })
        }
        return keys
    }

    /// Returns the names of the entities of which the document may have further objects: a list lacks dropped
    /// elements, or new objects have no identity; unless absent lists are empty ones, a list is null, or plain
    /// objects lack the properties that contain them.
    ///
    /// The objects that a document deletes are not those that the server has.
    func uncertainEntities(absentIsEmpty: Bool) -> Set<String> {
        if placement.mode == .deleteOnly { return Set(layered.model.layouts.map(\.name)) }
        let uncertain =
            absentIsEmpty
            ? batch.incompleteMembers : batch.incompleteMembers.union(batch.nullMembers)
        var names = Set(uncertain.map { layered.model.layouts[$0].name })
        for resolution in placement.resolutions {
            let isUnknown = resolution.anonymous.contains { row in
                resolution.key(of: row).map(resolution.createdKeys.contains) ?? true
            }
            if isUnknown { names.insert(resolution.batch.layout.name) }
        }
        if !absentIsEmpty, !batch.plainStatements.isEmpty {
            let mapped = MappedProperties(batch.plan.mapping, in: layered.model)
            let stated = mapped.entities(
                reachableFrom: batch.plainStatements.contents, in: layered.model)
            names.formUnion(batch.plan.plan.entityNames.subtracting(stated))
        }
        return names
    }
}

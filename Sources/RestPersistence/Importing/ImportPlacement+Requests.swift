// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping

/// The parts of an import that serve requests: their object, and what their response contains.
extension ImportPlacement {
    /// Returns the row of the request's object; `nil` if there is none, or for a list.
    func target(
        _ options: ImportOptions
    ) throws(PersistenceError) -> (root: BatchRow, key: Int64)? {
        guard let target = options.target, !isList, batch.roots.count == 1 else { return nil }
        let root = batch.roots[0]
        let layout = context.model.layouts[root.entity]
        if layout.includes(target.layout.index) { return (root, target.key) }
        guard options.requiresTarget else { return nil }
        throw PersistenceError(
            .invalidMapping, entity: layout.name,
            details: [
                "the response is mapped to \(layout.name), the object of the request is of "
                    + target.entityName
            ])
    }

    /// Records the new rows of a context that is not in a transaction, so that another connection may
    /// insert the same objects before the context is saved, and the new object of a request.
    ///
    /// A condition on the existing objects applies to the stored rows as well.
    func recordInsertions(of entity: EntityBatch) {
        let (layout, rules) = (entity.layout, batch.plan.rules[entity.layout.index])
        let resolution = resolutions[layout.index]
        context.layers.top.imported.add(created: resolution.createdKeys)
        if entity.identity.isEmpty { return }
        let predicate = IdentificationPredicate(rules, of: node)
        let shared = predicate.map {
            StoredPredicate(
                $0.predicate ?? .all, on: layout, in: context.model,
                store: context.database.identity)
        }
        var assigned: [Int64: ColumnMask] = [:]
        var conditions: [Int64: any StoredRowCondition] = [:]
        func record(_ row: Int, _ key: Int64, _ mask: ColumnMask) {
            assigned[key] = mask
            conditions[key] = predicate?.storedCondition(of: row, in: entity, shared: shared)
        }
        if context.transaction == nil {
            for row in resolution.created {
                if let key = resolution.key(of: row) { record(row, key, entity.masks[row]) }
            }
        }
        var stored: [Int64: Bool] = [:]
        if let target, target.root.entity == layout.index {
            record(target.root.row, target.key, target.assigned)
            stored[target.key] = target.wasNew
        }
        context.layers.top.imported.add(
            ImportedInsertions.Group(
                entity: layout.index, identity: entity.identity, assigned: assigned,
                stored: stored, conditions: conditions))
    }

    /// Returns the object of the request in its state before values are merged into it.
    func requestTarget(
        _ key: Int64, _ root: BatchRow, _ options: ImportOptions
    ) -> RequestTarget {
        let entity = batch.entities[root.entity]
        let isUnsaved = context.layers.state(of: key, entity.layout.table.index) == .inserted
        return RequestTarget(
            root: root, key: key,
            assigned: entity.masks[resolutions[root.entity].canonical[root.row]],
            wasNew: isUnsaved ? nil : options.sendsNewTarget)
    }

    // MARK: Contents

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
        let mapped = MappedProperties(batch.plan.mapping, in: context.model)
        var containment = BatchContainment(self)
        var keys = Set(referenced.flatMap { $0.keys.compactMap(\.self) })
        var pending: [PendingMembers] = []
        for resolution in resolutions where resolution.batch.count > 0 {
            let layout = resolution.batch.layout
            let contained = Set(
                (0..<resolution.batch.count).compactMap { resolution.key(of: $0) })
            keys.formUnion(contained)
            let existing = contained.filter { !resolution.createdKeys.contains($0) }
            if existing.isEmpty { continue }
            for relationship in layout.relationships
            where mapped.contains(relationship.name, of: layout, in: context.model) {
                var absent = existing.subtracting(statedOwners(of: relationship, layout))
                if absentIsEmpty { absent.formIntersection(skippedOwners) }
                let destination = context.model.layouts[relationship.destination]
                if relationship.inverse != nil, !absent.isEmpty {
                    absent.formIntersection(
                        containment.keys(of: layout.index, outsideOf: destination.table.index))
                }
                if absent.isEmpty { continue }
                let found = try context.relationships.members(
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
            let owners = assigned(relation).map(\.owner)
            let layout = context.model.layouts[relation.entity]
            let united = try context.relationships.members(
                of: owners, relation.relationship, in: layout)
            keys.formUnion(united.values.joined())
        }
        var visited: Set<Int64> = []
        while let sources = pending.popLast() {
            let new = sources.keys.filter { visited.insert($0).inserted }
            if new.isEmpty { continue }
            for relationship in sources.layout.relationships
            where mapped.contains(relationship.name, of: sources.layout, in: context.model) {
                let destination = context.model.layouts[relationship.destination]
                // A way back.
                if relationship.inverse != nil, sources.passed.contains(destination.table.index) {
                    continue
                }
                let found = try context.relationships.members(
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
        let owners = resolutions[layout.index]
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
        if mode == .deleteOnly { return Set(context.model.layouts.map(\.name)) }
        let uncertain =
            absentIsEmpty
            ? batch.incompleteMembers : batch.incompleteMembers.union(batch.nullMembers)
        var names = Set(uncertain.map { context.model.layouts[$0].name })
        for resolution in resolutions {
            let isUnknown = resolution.anonymous.contains { row in
                resolution.key(of: row).map(resolution.createdKeys.contains) ?? true
            }
            if isUnknown { names.insert(resolution.batch.layout.name) }
        }
        if !absentIsEmpty, !batch.plainStatements.isEmpty {
            let mapped = MappedProperties(batch.plan.mapping, in: context.model)
            let stated = mapped.entities(
                reachableFrom: batch.plainStatements.contents, in: context.model)
            names.formUnion(batch.plan.plan.entityNames.subtracting(stated))
        }
        return names
    }
}

/// The object of a request: it was not searched for, although a list may have brought it before, also after it
/// was saved without the identity that the server has given it.
struct RequestTarget {
    let root: BatchRow
    let key: Int64
    /// The columns that the document assigns.
    let assigned: ColumnMask
    /// A Boolean value that indicates whether the object was new when the request was sent; `nil` if it
    /// is unsaved.
    let wasNew: Bool?
}

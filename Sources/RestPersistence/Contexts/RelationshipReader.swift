// SPDX-License-Identifier: Apache-2.0

/// The relationships of the objects of a context, with its unsaved changes.
///
/// A read for one object is one for all objects of its batch.
struct RelationshipReader {
    private let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) { self.context = context }

    typealias Member = LayeredRows.Member

    // MARK: Objects

    /// Returns the destination of a to-one relationship with a column.
    ///
    /// If it has no object, the destinations of all objects of the source's batch are read.
    func relatedObject(
        _ key: Int64, of source: ManagedObject, _ column: Int, _ relationship: RelationshipLayout
    ) -> ManagedObject? {
        if let object = context.identityMap[key] { return object.isDeleted ? nil : object }
        let layout = context.model.layouts[relationship.destination]
        if context.layered.layers.isDeleted(key, layout.table.index) { return nil }
        do throws(PersistenceError) {
            try context.errors.throwFailure()
            let batch = batch(of: source)
            let relation = FaultBatch.Relation(relationship, in: context.model)
            if let known = batch.destinations[relation], known.version == context.commits.version,
                let row = known.rows[key]
            {
                let row = RowValues(context.layered.overlaid(row, key, layout))
                return try context.object(key, layout, row: row, batch: known.batch)
            }
            var keys: Set<Int64> = [key]
            for other in batch.keys {
                guard let object = context.identityMap[other], object.isLoaded, !object.isDeleted,
                    case .integer(let other) = object.values[column],
                    context.identityMap[other] == nil
                else { continue }
                keys.insert(other)
            }
            let rows = try context.layered.rows(keys, layout)
            let found = FaultBatch(Array(rows.keys))
            batch.destinations[relation] = FaultBatch.Destinations(
                version: context.commits.version, members: [:], rows: rows, batch: found)
            guard let row = rows[key] else { return nil }
            return try context.object(key, layout, row: RowValues(row), batch: found)
        } catch {
            context.errors.note(error)
            return nil
        }
    }

    /// Returns the destinations of a relationship without a column in the object's row.
    ///
    /// They are read for all objects of the object's batch.
    func relatedObjects(
        of object: ManagedObject, _ relationship: RelationshipLayout
    ) -> [ManagedObject] {
        do throws(PersistenceError) {
            let (members, stored) = try members(of: object, relationship)
            let layout = context.model.layouts[relationship.destination]
            var missing: [Int64] = []
            for member in members where context.identityMap[member.key] == nil {
                if stored?.rows[member.key] == nil { missing.append(member.key) }
            }
            let loaded = missing.isEmpty ? [:] : try context.loadObjects(missing, layout)
            var objects: [ManagedObject] = []
            objects.reserveCapacity(members.count)
            for member in members {
                if let known = context.identityMap[member.key] ?? loaded[member.key] {
                    if !known.isDeleted { objects.append(known) }
                } else if let row = stored?.rows[member.key] {
                    let row = RowValues(context.layered.overlaid(row, member.key, layout))
                    objects.append(
                        try context.object(member.key, layout, row: row, batch: stored?.batch))
                }
            }
            return objects
        } catch {
            context.errors.note(error)
            return []
        }
    }

    /// Returns the destinations of an object's relationship; empty if they cannot be read.
    func positionedRelations(
        of object: ManagedObject, _ relationship: RelationshipLayout
    ) -> [Member] {
        do throws(PersistenceError) {
            return try members(of: object, relationship).members
        } catch {
            context.errors.note(error)
            return []
        }
    }

    /// Returns the destinations of an object's relationship in their order, and what was read for
    /// its batch.
    private func members(
        of object: ManagedObject, _ relationship: RelationshipLayout
    ) throws(PersistenceError) -> (members: [Member], stored: FaultBatch.Destinations?) {
        try context.errors.throwFailure()
        let key = object.objectID.key
        if case .column(let column) = relationship.storage {
            if !object.isLoaded { object.load() }
            guard case .integer(let member) = object.values[column] else { return ([], nil) }
            return ([Member(key: member, position: nil)], nil)
        }
        if context.layered.layers.state(of: key, object.layout.table.index) == .inserted {
            return (try context.layered.overlaid([], of: key, relationship), nil)
        }
        let stored = try destinations(of: batch(of: object), relationship)
        return (
            try context.layered.overlaid(stored.members[key] ?? [], of: key, relationship), stored
        )
    }

    private func batch(of object: ManagedObject) -> FaultBatch {
        if let batch = object.batch { return batch }
        let batch = FaultBatch([object.objectID.key])
        object.batch = batch
        return batch
    }

    private func destinations(
        of batch: FaultBatch, _ relationship: RelationshipLayout
    ) throws(PersistenceError) -> FaultBatch.Destinations {
        let relation = FaultBatch.Relation(relationship, in: context.model)
        if let known = batch.destinations[relation], known.version == context.commits.version {
            return known
        }
        let members = try context.layered.storedMembers(of: batch.keys, relationship)
        var keys: Set<Int64> = []
        for list in members.values {
            for member in list where context.identityMap[member.key] == nil {
                keys.insert(member.key)
            }
        }
        let table = context.model.layouts[relationship.destination].table
        let rows = try context.layered.storedRows(keys, table)
        let destinations = FaultBatch.Destinations(
            version: context.commits.version, members: members, rows: rows,
            batch: FaultBatch(Array(rows.keys)))
        batch.destinations[relation] = destinations
        return destinations
    }
}

extension ManagedObjectContext {
    /// The relationships of the objects.
    var relationships: RelationshipReader { RelationshipReader(self) }
}

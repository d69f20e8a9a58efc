// SPDX-License-Identifier: Apache-2.0

/// The relationships of the objects of a context, with its unsaved changes.
///
/// A read for one object is one for all objects of its batch.
struct RelationshipReader {
    private let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) { self.context = context }

    /// A destination of a relationship and its position, which is `nil` for the last.
    struct Member {
        let key: Int64
        let position: Int64?
    }

    // MARK: Objects

    /// Returns the destination of a to-one relationship with a column.
    ///
    /// If it has no object, the destinations of all objects of the source's batch are read.
    func relatedObject(
        _ key: Int64, of source: ManagedObject, _ column: Int, _ relationship: RelationshipLayout
    ) -> ManagedObject? {
        if let object = context.identityMap[key] { return object.isDeleted ? nil : object }
        let layout = context.model.layouts[relationship.destination]
        if context.layers.isDeleted(key, layout.table.index) { return nil }
        do throws(PersistenceError) {
            try context.errors.throwFailure()
            let batch = batch(of: source)
            let relation = FaultBatch.Relation(relationship, in: context.model)
            if let known = batch.destinations[relation], known.version == context.commits.version,
                let row = known.rows[key]
            {
                let row = RowValues(context.overlaid(row, key, layout))
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
            let rows = try context.rows(keys, layout)
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
                    let row = RowValues(context.overlaid(row, member.key, layout))
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
        if context.layers.state(of: key, object.layout.table.index) == .inserted {
            return (try overlaid([], of: key, relationship), nil)
        }
        let stored = try destinations(of: batch(of: object), relationship)
        return (try overlaid(stored.members[key] ?? [], of: key, relationship), stored)
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
        let members = try storedMembers(of: batch.keys, relationship)
        var keys: Set<Int64> = []
        for list in members.values {
            for member in list where context.identityMap[member.key] == nil {
                keys.insert(member.key)
            }
        }
        let table = context.model.layouts[relationship.destination].table
        let rows = try context.storedRows(keys, table)
        let destinations = FaultBatch.Destinations(
            version: context.commits.version, members: members, rows: rows,
            batch: FaultBatch(Array(rows.keys)))
        batch.destinations[relation] = destinations
        return destinations
    }

    // MARK: Keys

    /// Returns the keys of the destinations of a relationship by source, with unsaved changes.
    func members(
        of keys: [Int64], _ relationship: RelationshipLayout, in layout: EntityLayout
    ) throws(PersistenceError) -> [Int64: [Int64]] {
        try context.errors.throwFailure()
        var members: [Int64: [Int64]] = [:]
        if case .column(let column) = relationship.storage {
            for (key, row) in try context.rows(keys, layout) {
                if case .integer(let member) = row[column] { members[key] = [member] }
            }
            return members
        }
        let saved = keys.filter { context.layers.state(of: $0, layout.table.index) != .inserted }
        let stored = try storedMembers(of: saved, relationship)
        for key in keys {
            let list = try overlaid(stored[key] ?? [], of: key, relationship)
            if !list.isEmpty { members[key] = list.map(\.key) }
        }
        return members
    }

    /// Returns the destinations of a to-many relationship of saved sources, in order and with their
    /// positions, with unsaved changes.
    func orderedMembers(
        of keys: [Int64], _ relationship: RelationshipLayout
    ) throws(PersistenceError) -> [Int64: [Member]] {
        try context.errors.throwFailure()
        let stored = try storedMembers(of: keys, relationship)
        var members: [Int64: [Member]] = [:]
        for key in keys { members[key] = try overlaid(stored[key] ?? [], of: key, relationship) }
        return members
    }

    /// Returns the destinations of a relationship by source, as the store has them.
    private func storedMembers(
        of keys: [Int64], _ relationship: RelationshipLayout
    ) throws(PersistenceError) -> [Int64: [Member]] {
        let query: RowQuery
        switch relationship.storage {
        case .column: return [:]
        case .inverseColumn(let column, let position):
            query = RowQuery.members(
                of: context.model.layouts[relationship.destination].table, column: column,
                position: position, keys: keys)
        case .link(let index, let isForward):
            query = RowQuery.pairs(
                of: context.model.links[index], keys: keys, isForward,
                isOrdered: relationship.isOrdered)
        }
        if query.isEmpty { return [:] }
        var members: [Int64: [Member]] = [:]
        try context.read { database in
            let statement = try query.prepare(in: database)
            while try statement.step() {
                var position: Int64?
                if case .integer(let value) = statement.value(2) { position = value }
                members[statement.integer(0), default: []].append(
                    Member(key: statement.integer(1), position: position))
            }
        }
        return members
    }

    /// Returns destinations with unsaved changes.
    ///
    /// They are in the order of their positions, or of their keys if the relationship has no order.
    private func overlaid(
        _ stored: [Member], of key: Int64, _ relationship: RelationshipLayout
    ) throws(PersistenceError) -> [Member] {
        let table = context.model.layouts[relationship.destination].table.index
        var members: [Member] = []
        members.reserveCapacity(stored.count)
        switch relationship.storage {
        case .column: return stored
        case .inverseColumn(let column, let position):
            for member in stored where !context.layers.isDeleted(member.key, table) {
                if context.layers.changedValue(member.key, column, table) != nil { continue }
                let changed = position.flatMap { changedPosition(member.key, $0, table) }
                members.append(changed ?? member)
            }
            let added = context.layers.references(to: key, column, table)
            if let position {
                members += try positioned(added, position, context.model.tables[table])
            } else {
                members += added.map { Member(key: $0, position: nil) }
            }
        case .link(let link, let isForward):
            let changes = context.layers.linkChanges(of: key, link, isSource: isForward)
            var changed: [Int64: LinkChange] = [:]
            for (pair, change) in changes { changed[pair.key(isSource: !isForward)] = change }
            for member in stored where !context.layers.isDeleted(member.key, table) {
                guard let change = changed.removeValue(forKey: member.key) else {
                    members.append(member)
                    continue
                }
                guard change.isMember else { continue }
                members.append(
                    Member(
                        key: member.key,
                        position: change.position(isForward: isForward, after: member.position)))
            }
            for (member, change) in changed
            where change.isMember && !change.isMove && !context.layers.isDeleted(member, table) {
                members.append(
                    Member(key: member, position: change.position(isForward: isForward)))
            }
        }
        return members.sorted {
            ($0.position ?? .max, $0.key) < ($1.position ?? .max, $1.key)
        }
    }

    /// Returns destinations with their positions, which may be those before the reference was changed.
    private func positioned(
        _ keys: [Int64], _ column: Int, _ table: TableLayout
    ) throws(PersistenceError) -> [Member] {
        var members: [Member] = []
        var unknown: [Int64] = []
        for key in keys {
            if let changed = changedPosition(key, column, table.index) {
                members.append(changed)
            } else {
                unknown.append(key)
            }
        }
        let rows = try context.storedRows(unknown, table)
        for key in unknown {
            var position: Int64?
            if case .integer(let value) = rows[key]?[column] { position = value }
            members.append(Member(key: key, position: position))
        }
        return members
    }

    private func changedPosition(_ key: Int64, _ column: Int, _ table: Int) -> Member? {
        switch context.layers.changedValue(key, column, table) {
        case .integer(let position): Member(key: key, position: position)
        case nil: nil
        default: Member(key: key, position: nil)
        }
    }
}

extension ManagedObjectContext {
    /// The relationships of the objects.
    var relationships: RelationshipReader { RelationshipReader(self) }
}

// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectContext {
    /// Returns the object with an ID.
    ///
    /// - Throws: ``PersistenceError`` with code `objectNotFound` if neither the database nor the
    ///   unsaved changes contain the object, `unknownEntity` if the ID is of another store or class.
    public func object<Object: ManagedEntity>(
        _ type: Object.Type, with id: ManagedObjectID
    ) throws(PersistenceError) -> Object {
        let object = try object(with: id)
        guard let object = object as? Object else {
            throw PersistenceError(.unknownEntity, entity: id.entityName)
        }
        return object
    }

    /// Returns the object with an ID, of any entity.
    ///
    /// - Throws: An error of ``object(_:with:)``.
    public func object(with id: ManagedObjectID) throws(PersistenceError) -> ManagedObject {
        let layout = try checkedLayout(of: id)
        if let object = identityMap[id.key], !object.isDeleted { return object }
        guard let object = try loadObjects([id.key], layout)[id.key] else {
            throw PersistenceError(.objectNotFound, entity: id.entityName)
        }
        return object
    }

    /// Returns the objects with IDs, refreshed from the database by one query.
    ///
    /// - Returns: The objects in the order of the IDs, without those that no longer exist.
    public func objects<Object: ManagedEntity>(
        _ type: Object.Type, with ids: [ManagedObjectID]
    ) throws(PersistenceError) -> [Object] {
        let layout = try model.layout(of: type)
        for id in ids where !layout.includes(try checkedLayout(of: id).index) {
            throw PersistenceError(.unknownEntity, entity: id.entityName)
        }
        let objects = try loadObjects(ids.map(\.key), layout)
        return ids.compactMap { objects[$0.key] as? Object }
    }

    private func checkedLayout(of id: ManagedObjectID) throws(PersistenceError) -> EntityLayout {
        let layout = try model.layout(named: id.entityName)
        guard id.store == database.identity else {
            throw PersistenceError(
                .unknownEntity, entity: id.entityName, details: ["the ID is of another store"])
        }
        return layout
    }

    // MARK: Rows

    /// Returns rows with unsaved changes by key, without deleted rows.
    func rows(
        _ keys: some Collection<Int64>, _ layout: EntityLayout
    ) throws(PersistenceError) -> [Int64: [StoredValue]] {
        try throwFailure()
        let pending = changes.tables[layout.table.index]
        var rows: [Int64: [StoredValue]] = [:]
        rows.reserveCapacity(keys.count)
        var missingKeys: [Int64] = []
        for key in keys {
            switch pending.state(of: key) {
            case .inserted: rows[key] = overlaid([], key, layout)
            case .deleted, .dropped: break
            case .updated, nil: missingKeys.append(key)
            }
        }
        if !missingKeys.isEmpty {
            let query = RowQuery.rows(of: layout, keys: missingKeys)
            try database.read { database in
                try query.run(in: database, width: layout.width) { key, row in
                    rows[key] = overlaid(row, key, layout)
                }
            }
        }
        return rows
    }

    /// Returns the values of a row with unsaved changes, where references to deleted rows are null.
    func overlaid(_ row: [StoredValue], _ key: Int64, _ layout: EntityLayout) -> [StoredValue] {
        var row = row
        changes.tables[layout.table.index].overlay(key, on: &row)
        for column in layout.table.references {
            guard let destination = layout.columns[column].destination,
                case .integer(let target) = row[column]
            else { continue }
            if changes.tables[model.layouts[destination].table.index].isDeleted(target) {
                row[column] = .null
            }
        }
        return row
    }

    /// Returns the object of a row and updates its values.
    func object(
        _ key: Int64, _ layout: EntityLayout, row: [StoredValue]
    ) throws(PersistenceError) -> ManagedObject {
        let object: ManagedObject
        if let known = identityMap[key] {
            object = known
        } else {
            object = makeObject(key, try model.layout(ofRow: row, in: layout))
        }
        object.values = row
        object.isLoaded = true
        return object
    }

    private func loadObjects(
        _ keys: [Int64], _ layout: EntityLayout
    ) throws(PersistenceError) -> [Int64: ManagedObject] {
        let rows = try rows(keys, layout)
        var objects: [Int64: ManagedObject] = [:]
        objects.reserveCapacity(rows.count)
        for (key, row) in rows { objects[key] = try object(key, layout, row: row) }
        return objects
    }

    // MARK: Properties

    func loadedValues(of object: ManagedObject) -> [StoredValue] {
        let layout = object.layout
        do throws(PersistenceError) {
            if let row = try rows([object.objectID.key], layout)[object.objectID.key] { return row }
            throw PersistenceError(.objectNotFound, entity: layout.name)
        } catch {
            failure = failure ?? error
            return layout.defaults
        }
    }

    func relatedObject(_ key: Int64, _ destination: Int) -> ManagedObject? {
        if let object = identityMap[key] { return object.isDeleted ? nil : object }
        do throws(PersistenceError) {
            return try loadObjects([key], model.layouts[destination])[key]
        } catch {
            failure = failure ?? error
            return nil
        }
    }

    func relatedObjects(
        of object: ManagedObject, _ relationship: RelationshipLayout
    ) -> [ManagedObject] {
        let key = object.objectID.key
        do throws(PersistenceError) {
            let members = try members(of: [key], relationship, in: object.layout)[key] ?? []
            let known = members.map { identityMap[$0] }
            if known.allSatisfy({ $0?.isDeleted == false }) { return known.compactMap(\.self) }
            let objects = try loadObjects(members, model.layouts[relationship.destination])
            return members.compactMap { objects[$0] }
        } catch {
            failure = failure ?? error
            return []
        }
    }

    /// Returns the destinations of an object's relationship; empty if they cannot be read.
    func positionedRelations(
        of object: ManagedObject, _ relationship: RelationshipLayout
    ) -> [Member] {
        let key = object.objectID.key
        do throws(PersistenceError) {
            return try positionedMembers(of: [key], relationship, in: object.layout)[key] ?? []
        } catch {
            failure = failure ?? error
            return []
        }
    }

    /// A destination of a relationship and its position, which is `nil` for the last.
    struct Member {
        let key: Int64
        let position: Int64?
    }

    /// Returns the keys of the destinations of a relationship by source, with unsaved changes.
    func members(
        of keys: [Int64], _ relationship: RelationshipLayout, in layout: EntityLayout
    ) throws(PersistenceError) -> [Int64: [Int64]] {
        try positionedMembers(of: keys, relationship, in: layout).mapValues { $0.map(\.key) }
    }

    /// Returns the destinations of a relationship by source, with unsaved changes.
    ///
    /// They are in the order of their positions, or of their keys if the relationship has no order.
    func positionedMembers(
        of keys: [Int64], _ relationship: RelationshipLayout, in layout: EntityLayout
    ) throws(PersistenceError) -> [Int64: [Member]] {
        try throwFailure()
        let saved = keys.filter { changes.tables[layout.table.index].state(of: $0) != .inserted }
        var members: [Int64: [Member]] = [:]
        switch relationship.storage {
        case .column(let column):
            for (key, row) in try rows(keys, layout) {
                if case .integer(let member) = row[column] {
                    members[key] = [Member(key: member, position: nil)]
                }
            }
        case .inverseColumn(let column, let position):
            members = try referrers(to: keys, saved, column, position, relationship.destination)
        case .link(let index, let isForward):
            let link = changes.links[index]
            let destination = model.layouts[relationship.destination].table
            let pending = changes.tables[destination.index]
            let query = RowQuery.pairs(
                of: model.links[index], keys: saved, isForward, isOrdered: relationship.isOrdered)
            try readPairs(query) { owner, member, position in
                let pair = LinkPair(owner, member, isForward: isForward)
                guard !pending.isDeleted(member) else { return }
                let change = link.pairs[pair]
                if change?.isMember == false { return }
                let position = change?.position(isForward: isForward) ?? position
                members[owner, default: []].append(Member(key: member, position: position))
            }
            let owners = link.isEmpty ? [] : Set(keys)
            for (pair, change) in link.pairs where change.isMember {
                let (owner, key) =
                    isForward ? (pair.source, pair.target) : (pair.target, pair.source)
                guard owners.contains(owner), !pending.isDeleted(key),
                    members[owner]?.contains(where: { $0.key == key }) != true
                else { continue }
                members[owner, default: []].append(
                    Member(key: key, position: change.position(isForward: isForward)))
            }
        }
        return members.mapValues { list in
            list.sorted { ($0.position ?? .max, $0.key) < ($1.position ?? .max, $1.key) }
        }
    }

    /// Returns the rows that refer to keys in a column.
    private func referrers(
        to keys: [Int64], _ saved: [Int64], _ column: Int, _ position: Int?, _ destination: Int
    ) throws(PersistenceError) -> [Int64: [Member]] {
        let table = model.layouts[destination].table
        let pending = changes.tables[table.index]
        var members: [Int64: [Member]] = [:]
        let query = RowQuery.members(of: table, column: column, position: position, keys: saved)
        try readPairs(query) { owner, member, stored in
            guard let slot = pending.slot(of: member) else {
                members[owner, default: []].append(Member(key: member, position: stored))
                return
            }
            if pending.isDeleted(member) || pending.masks[slot].contains(column) { return }
            let changed = position.flatMap { pending.changedInteger(slot, $0) }
            members[owner, default: []].append(Member(key: member, position: changed ?? stored))
        }
        for key in keys {
            for member in changes.references(to: key, column, in: table.index) {
                let changed = position.flatMap { position in
                    pending.slot(of: member).flatMap { pending.changedInteger($0, position) }
                }
                members[key, default: []].append(Member(key: member, position: changed))
            }
        }
        return members
    }

    private func readPairs(
        _ query: RowQuery, _ body: (Int64, Int64, Int64?) -> Void
    ) throws(PersistenceError) {
        guard !query.isEmpty else { return }
        try database.read { database in
            let statement = try query.prepare(in: database)
            while try statement.step() {
                var position: Int64?
                if case .integer(let value) = statement.value(2) { position = value }
                body(statement.integer(0), statement.integer(1), position)
            }
        }
    }
}

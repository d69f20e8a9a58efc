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
        for id in ids where try checkedLayout(of: id) !== layout {
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
        let pending = changes.entities[layout.index]
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
        changes.entities[layout.index].overlay(key, on: &row)
        for column in layout.attributeCount..<layout.width {
            guard let position = layout.columns[column].relationship,
                case .integer(let target) = row[column]
            else { continue }
            if changes.entities[layout.relationships[position].destination].isDeleted(target) {
                row[column] = .null
            }
        }
        return row
    }

    /// Returns the object of a row and updates its values.
    func object(_ key: Int64, _ layout: EntityLayout, row: [StoredValue]) -> ManagedObject {
        let object = identityMap[key] ?? makeObject(key, layout)
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
        for (key, row) in rows { objects[key] = object(key, layout, row: row) }
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

    /// Returns the keys of the destinations of a relationship by source, with unsaved changes.
    func members(
        of keys: [Int64], _ relationship: RelationshipLayout, in layout: EntityLayout
    ) throws(PersistenceError) -> [Int64: [Int64]] {
        try throwFailure()
        let destination = model.layouts[relationship.destination]
        let pending = changes.entities[destination.index]
        let saved = keys.filter { changes.entities[layout.index].state(of: $0) != .inserted }
        var members: [Int64: [Int64]] = [:]
        switch relationship.storage {
        case .column(let column):
            for (key, row) in try rows(keys, layout) {
                if case .integer(let member) = row[column] { members[key] = [member] }
            }
        case .inverseColumn(let column):
            try readPairs(RowQuery.members(of: destination, column: column, keys: saved)) {
                owner, member in
                if let slot = pending.slot(of: member),
                    pending.isDeleted(member) || pending.masks[slot].contains(column)
                {
                    return
                }
                members[owner, default: []].append(member)
            }
            for key in keys {
                let added = changes.references(to: key, column, in: destination.index)
                if !added.isEmpty { members[key, default: []] += added }
            }
        case .link(let index, let isForward):
            let link = changes.links[index]
            try readPairs(RowQuery.pairs(of: model.links[index], keys: saved, isForward)) {
                owner, member in
                let pair = LinkPair(owner, member, isForward: isForward)
                if link.pairs[pair] == nil, !pending.isDeleted(member) {
                    members[owner, default: []].append(member)
                }
            }
            let owners = link.isEmpty ? [] : Set(keys)
            for (pair, isMember) in link.pairs where isMember {
                let owner = isForward ? pair.source : pair.target
                guard owners.contains(owner) else { continue }
                members[owner, default: []].append(isForward ? pair.target : pair.source)
            }
        }
        return members.mapValues { $0.sorted() }
    }

    private func readPairs(
        _ query: RowQuery, _ body: (Int64, Int64) -> Void
    ) throws(PersistenceError) {
        guard !query.isEmpty else { return }
        try database.read { database in
            let statement = try query.prepare(in: database)
            while try statement.step() { body(statement.integer(0), statement.integer(1)) }
        }
    }
}

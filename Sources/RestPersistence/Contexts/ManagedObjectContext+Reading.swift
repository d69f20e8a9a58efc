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
        let key = database.currentKey(of: id.key)
        if let object = identityMap[key], !object.isDeleted { return object }
        guard let object = try loadObjects([key], layout)[key] else {
            throw PersistenceError(
                .objectNotFound, entity: id.entityName, details: [id.description])
        }
        return object
    }

    /// Returns the objects with IDs, refreshed from the database by one query.
    ///
    /// - Returns: The objects in the order of the IDs, without those that no longer exist.
    public func objects<Object: ManagedEntity>(
        _ type: Object.Type, with ids: [ManagedObjectID]
    ) throws(PersistenceError) -> [Object] {
        takeCommits()
        let layout = try model.layout(of: type)
        for id in ids where !layout.includes(try checkedLayout(of: id).index) {
            throw PersistenceError(.unknownEntity, entity: id.entityName)
        }
        let keys = ids.map { database.currentKey(of: $0.key) }
        let objects = try loadObjects(keys, layout)
        return keys.compactMap { objects[$0] as? Object }
    }

    /// Returns the objects with IDs, of any entities, refreshed from the database by one query for each
    /// table.
    ///
    /// - Returns: The objects in the order of the IDs, without those that no longer exist.
    /// - Throws: ``PersistenceError`` with code `unknownEntity` if an ID is of another store.
    public func objects(with ids: [ManagedObjectID]) throws(PersistenceError) -> [ManagedObject] {
        takeCommits()
        var keys: [Int: [Int64]] = [:]
        for id in ids {
            keys[try checkedLayout(of: id).table.index, default: []].append(
                database.currentKey(of: id.key))
        }
        var objects: [Int64: ManagedObject] = [:]
        for table in model.tables {
            guard let keys = keys[table.index] else { continue }
            objects.merge(try loadObjects(keys, model.layouts[table.entities[0]])) { $1 }
        }
        return ids.compactMap { objects[database.currentKey(of: $0.key)] }
    }

    /// Returns those of some IDs whose objects no unsaved change deletes.
    package func withoutDeleted(_ ids: [ManagedObjectID]) -> [ManagedObjectID] {
        let hasDeletions = ([layered.layers.top] + layered.layers.lower).contains {
            $0.tables.contains { $0.hasRemovals }
        }
        return hasDeletions
            ? ids.filter { !layered.layers.isDeleted($0.key, $0.layout.table.index) } : ids
    }

    /// Checks that the row of an object exists, as far as this context has read it and taken commits.
    ///
    /// The row of an object that unsaved changes delete exists.
    ///
    /// - Throws: ``PersistenceError`` with code `objectNotFound`; `storeClosed` if the store was closed or
    ///   reset.
    package func checkExistence(of object: ManagedObject) throws(PersistenceError) {
        try database.checkOpen()
        takeCommits()
        if !object.isLoaded { object.load() }
        let id = object.objectID
        if !object.isDeleted || layered.layers.state(of: id.key, id.layout.table.index) == .deleted
        {
            return
        }
        throw PersistenceError(.objectNotFound, entity: id.entityName, details: [id.description])
    }

    /// Returns the object with an ID as the store has it, in a context of its own; `nil` if the store
    /// does not contain it.
    ///
    /// A request of the object is the base of another one's changes. A stored value that cannot be read is
    /// part of it as text.
    ///
    /// - Throws: ``PersistenceError`` of the database.
    package func storedObject(
        with id: ManagedObjectID
    ) throws(PersistenceError) -> ManagedObject? {
        let context = ManagedObjectContext(database)
        context.requests.writesUnreadableValues = true
        return try context.objects(with: [id]).first
    }

    func checkedLayout(of id: ManagedObjectID) throws(PersistenceError) -> EntityLayout {
        let layout = try model.layout(named: id.entityName)
        guard id.store == database.identity else {
            throw PersistenceError(
                .unknownEntity, entity: id.entityName, details: ["the ID is of another store"])
        }
        return layout
    }

    // MARK: Objects

    /// Returns the object of a row and updates its values.
    func object(
        _ key: Int64, _ layout: EntityLayout, row: RowValues, batch: FaultBatch? = nil
    ) throws(PersistenceError) -> ManagedObject {
        let object = try identityMap.object(key) { () throws(PersistenceError) in
            newObject(key, try model.layout(ofRow: row, in: layout))
        }
        if let batch { object.batch = batch }
        object.take(row)
        return object
    }

    /// Returns the objects of rows, which are a batch.
    func objects(
        _ rows: some Sequence<(key: Int64, values: RowValues)>, _ layout: EntityLayout
    ) throws(PersistenceError) -> [ManagedObject] {
        var objects: [ManagedObject] = []
        objects.reserveCapacity(rows.underestimatedCount)
        identityMap.reserve(rows.underestimatedCount)
        var batch = FaultBatch([])
        for (key, values) in rows {
            if !batch.append(key) { batch = FaultBatch([key]) }
            objects.append(try object(key, layout, row: values, batch: batch))
        }
        return objects
    }

    func loadObjects(
        _ keys: [Int64], _ layout: EntityLayout
    ) throws(PersistenceError) -> [Int64: ManagedObject] {
        try errors.throwFailure()
        let rows = try layered.rows(keys, layout)
        let batch = FaultBatch(Array(rows.keys))
        var objects: [Int64: ManagedObject] = [:]
        objects.reserveCapacity(rows.count)
        identityMap.reserve(rows.count)
        for (key, row) in rows {
            objects[key] = try object(key, layout, row: RowValues(row), batch: batch)
        }
        return objects
    }

    /// Reads the values of an object, and those of all objects of its batch that need it.
    ///
    /// An object whose row no longer exists keeps its values and becomes deleted.
    func load(_ object: ManagedObject) {
        let own = object.objectID.key
        var keys = [own]
        for key in object.batch?.keys ?? [] where key != own {
            if let other = identityMap[key], !other.isLoaded, !other.isDeleted { keys.append(key) }
        }
        do throws(PersistenceError) {
            try errors.throwFailure()
            let rows = try layered.rows(keys, object.layout)
            for key in keys {
                guard let fault = key == own ? object : identityMap[key] else { continue }
                if let row = rows[key] {
                    fault.take(RowValues(row))
                } else {
                    fault.markDeleted()
                }
            }
        } catch {
            errors.note(error)
            object.takeDefaultsIfNeeded()
        }
    }
}

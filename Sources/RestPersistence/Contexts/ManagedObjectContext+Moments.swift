// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectContext {
    /// The present moment, with the unsaved changes of the context and of its parents.
    package var moment: CommitPosition {
        CommitPosition(database.feed, unsaved: layered.layers.lower + [layered.layers.top])
    }

    /// Notes that the transaction saves the response to a request.
    ///
    /// If other requests are in progress, what the response contains is recorded, also values that the
    /// store has already.
    ///
    /// - Parameters:
    ///   - moment: The moment before the request was sent; `nil` if it is not known.
    ///   - isWrite: A Boolean value that indicates whether the request has changed the server.
    ///   - action: The action of the outbox in the transaction; `nil` if the request is not one of the outbox.
    package func beginResponse(
        _ moment: CommitPosition?, isWrite: Bool, action: (any SaveAction)? = nil
    ) {
        guard let transaction else { return }
        let number = moment?.requestNumber
        transaction.writer = RespondedRequest(number: number, isWrite: isWrite)
        transaction.action = action
        transaction.recordsValues = database.feed.requestCount > (number == nil ? 0 : 1)
        if !transaction.recordsValues, let observer = database.saveObserver {
            let isRecording = try? observer.recordsValues(in: transaction.connection)
            transaction.recordsValues = isRecording ?? false
        }
    }

    /// Records that the response has brought or confirmed a collection.
    package func recordResponse(of collection: CollectionRequest) {
        if let transaction, transaction.recordsValues { transaction.written.add(collection) }
    }

    /// Returns a Boolean value that indicates whether an object is unsaved, and was inserted since a moment.
    package func isInserted(_ id: ManagedObjectID, since moment: CommitPosition) -> Bool {
        let table = id.layout.table.index
        return layered.layers.state(of: id.key, table) == .inserted
            && !moment.hasUnsaved(id.key, table)
    }

    /// Returns the objects with IDs that the store had at a moment or later, without reading their
    /// values: those of a batch are read together when one of them is needed.
    ///
    /// - Complexity: O(*n*) without a query, if no other process has written since the moment.
    /// - Returns: The objects in the order of the IDs, without those that commits have deleted.
    /// - Throws: ``PersistenceError`` with code `unknownEntity` if an ID is of another store or class.
    package func objects<Object: ManagedEntity>(
        _ type: Object.Type, with ids: [ManagedObjectID], existingAt moment: CommitPosition
    ) throws(PersistenceError) -> [Object] {
        takeCommits()
        guard let deleted = moment.deletedKeys() else { return try objects(type, with: ids) }
        let root = try model.layout(of: type)
        identityMap.reserve(ids.count)
        var objects: [Object] = []
        objects.reserveCapacity(ids.count)
        // IDs of one entity share its layout.
        var known: (id: EntityLayout, own: EntityLayout)?
        for start in stride(from: 0, to: ids.count, by: FaultBatch.size) {
            let chunk = ids[start..<min(start + FaultBatch.size, ids.count)]
            let batch = FaultBatch(chunk.map { database.currentKey(of: $0.key) })
            for (id, key) in zip(chunk, batch.keys) {
                if known?.id !== id.layout || id.store != database.identity {
                    known = (id.layout, try checkedLayout(of: id))
                }
                guard let layout = known?.own, root.includes(layout.index) else {
                    throw PersistenceError(.unknownEntity, entity: id.entityName)
                }
                if deleted.contains(key) { continue }
                let object = identityMap.object(key) { newObject(key, layout) }
                if object.isDeleted, layered.layers.state(of: key, layout.table.index) != .deleted {
                    continue
                }
                object.batch = batch
                if let object = object as? Object { objects.append(object) }
            }
        }
        return objects
    }
}

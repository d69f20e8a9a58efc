// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectContext {
    /// Discards all unsaved changes.
    ///
    /// Objects that were never saved become deleted. Changes that an asynchronous save is writing
    /// are not discarded, unless writing them fails.
    public func rollback() {
        layered.layers.sealed?.isDiscarded = true
        let discarded = layered.layers.top
        layered.layers.removeTop()
        // A reference to an object that is not deleted any more may be in any row.
        record { if discarded.hasDeletions { $0.recordAll() } else { $0.record(discarded) } }
        errors = ContextErrors()
        discard(discarded)
        takeCommits()
        refreshAllObjects()
    }

    /// Throws an error if the context has unsaved changes, which would be lost with it.
    ///
    /// - Throws: ``PersistenceError`` with code `unsavedChanges` and the names of the entities.
    func throwUnsavedChanges() throws(PersistenceError) {
        if !hasChanges { return }
        let objects = insertedObjects.union(updatedObjects).union(deletedObjects)
        let names = Set(objects.map(\.layout.name)).sorted()
        throw PersistenceError(
            .unsavedChanges,
            details: [
                "the closure has returned with unsaved changes of "
                    + (names.isEmpty ? "relationships" : names.joined(separator: ", ")),
                "call save() before, or rollback() to discard them",
            ])
    }

    /// Undoes what changes have done to the state of objects.
    func discard(_ changes: ChangeSet) {
        var deleted: [ManagedObject] = []
        for object in identityMap.objects {
            let key = object.objectID.key
            switch changes.tables[object.layout.table.index].state(of: key) {
            case .inserted, .dropped: object.markDeleted()
            case .deleted: deleted.append(object)
            case .updated, nil: break
            }
        }
        // Others may have deleted the rows as well.
        updateExistence(of: deleted)
    }

    /// Discards all unsaved changes and forgets all objects.
    ///
    /// Existing objects keep their last values and become ``ManagedObjectState/detached``. Changing
    /// one is an error of the next save.
    public func reset() {
        for object in identityMap.objects { object.detach() }
        identityMap.removeAll()
        rollback()
        record { $0.recordAll() }
    }

    /// Reads an object again from the store, now.
    ///
    /// Use it to resolve a conflict: afterwards, saving replaces the values that have been read. If an
    /// unsaved value of a one-to-one relationship refers to the object, or the object to another one,
    /// the sources that others have set become unsaved changes without that destination.
    ///
    /// - Parameters:
    ///   - object: The object; it becomes deleted if its row no longer exists.
    ///   - keepsChanges: Whether to keep the unsaved values of the object.
    /// - Throws: ``PersistenceError`` of the database.
    public func refresh(
        _ object: ManagedObject, keepingChanges keepsChanges: Bool = true
    ) throws(PersistenceError) {
        precondition(object.context === self, "\(object.objectID) belongs to another context")
        takeCommits()
        let (key, layout) = (object.objectID.key, object.layout)
        let table = layout.table.index
        if layered.layers.top.tables[table].state(of: key) == .updated {
            if keepsChanges {
                if let saved = try rowBelow(key, layout) {
                    update(table, key) { changes in
                        for column in saved.indices {
                            changes.rebase(key, column, on: saved[column])
                        }
                    }
                }
            } else {
                update(table, key) { $0.forget(key) }
            }
        }
        if keepsChanges { try clearOtherSources(of: object) }
        object.invalidate()
        object.load()
        try errors.throwFailure()
    }

    /// Returns the values of a row without the unsaved changes of this level; `nil` if there is none.
    func rowBelow(
        _ key: Int64, _ layout: EntityLayout
    ) throws(PersistenceError) -> [StoredValue]? {
        let table = layout.table.index
        let isInserted = layered.layers.lower.contains {
            $0.tables[table].state(of: key) == .inserted
        }
        let stored = try isInserted ? [] : layered.storedRows([key], layout.table)[key]
        guard var row = stored else { return nil }
        for layer in layered.layers.lower { layer.tables[table].overlay(key, on: &row) }
        // A reference that this level has cleared because it deletes the destination keeps its base.
        for column in layout.table.references {
            guard let destination = layout.columns[column].destination,
                case .integer(let target) = row[column],
                case let table = model.layouts[destination].table.index,
                layered.layers.lower.contains(where: { $0.tables[table].isDeleted(target) })
            else { continue }
            row[column] = .null
        }
        return row
    }

    /// Refreshes all objects, which read their rows again on next access and keep unsaved changes.
    public func refreshAllObjects() {
        takeCommits()
        commits.version += 1
        for object in identityMap.objects { object.invalidate() }
    }
}

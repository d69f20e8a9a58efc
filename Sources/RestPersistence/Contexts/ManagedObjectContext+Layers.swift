// SPDX-License-Identifier: Apache-2.0

/// The changes of the top layer.
extension ManagedObjectContext {
    /// Changes a row of the top layer.
    func update(_ table: Int, _ key: Int64, _ body: (inout TableChanges) -> Void) {
        layered.layers.update(table, key, body)
        notifyChangeHandlers()
    }

    /// Records changes in the journal, and calls the closures that follow unsaved changes.
    func record(_ body: (inout ChangeJournal) -> Void) {
        layered.layers.record(body)
        notifyChangeHandlers()
    }

    /// Sets a column of a row and of its object, if one exists.
    ///
    /// The base is the saved value; `nil` replaces any saved value, unless a reference is cleared because
    /// its destination was deleted.
    func set(
        _ value: StoredValue, _ column: Int, of key: Int64, in layout: EntityLayout,
        base: StoredValue? = nil, isClearing: Bool = false
    ) {
        if let object = identityMap[key], object.isLoaded, object.values[column] != value {
            object.take(value, column)
        }
        var isSetBack = false
        update(layout.table.index, key) {
            $0.set(
                value, column, of: key, entity: layout.index, base: base, isClearing: isClearing)
            isSetBack = base != nil && $0.isSetBack(key, column)
        }
        if isSetBack { endEditSetBack(of: key, column, layout) }
    }

    /// Changes a destination of a relationship with a join table.
    func setLink(
        from owner: Int64, to destination: Int64, of relationship: RelationshipLayout,
        _ change: LinkChange
    ) {
        layered.layers.setLink(from: owner, to: destination, of: relationship, change)
        notifyChangeHandlers()
        guard case .link(let link, let isForward) = relationship.storage else { return }
        RelationshipNotifier(self).noteLinkChange(
            LinkPair(owner, destination, isForward: isForward), link)
    }

    /// Replaces all changes of the top layer; objects read their values again.
    func replaceTop(_ changes: ChangeSet) {
        layered.layers.top = changes
        record { $0.recordAll() }
        refreshAllObjects()
    }

    // MARK: Taking

    /// Applies changes that have been made to the rows to objects and observers.
    ///
    /// Loaded objects take their unsaved values, and those of deleted rows become deleted.
    ///
    /// - Parameter version: The version of the unsaved changes that the objects have.
    func takeChanges(since version: Int) {
        if layered.changesVersion == version { return }
        if !identityMap.isEmpty {
            for table in model.tables { takeChanges(of: table, since: version) }
            if isObserved { noteLinkChanges(since: version) }
        }
        notifyChangeHandlers()
    }

    private func takeChanges(of table: TableLayout, since version: Int) {
        let changed = layered.changedKeys(of: table.index, since: version)
        var objects: [ManagedObject] = []
        if let changed, changed.count < identityMap.count {
            objects = changed.compactMap { identityMap[$0] }
        } else if changed?.isEmpty != true {
            objects = identityMap.objects.filter {
                $0.layout.table === table && changed?.contains($0.objectID.key) != false
            }
        }
        var deleted: [ManagedObject] = []
        for object in objects where !object.isDeleted {
            let key = object.objectID.key
            if layered.layers.isDeleted(key, table.index) {
                deleted.append(object)
            } else if object.isLoaded {
                var row = Array(object.values)
                layered.layers.overlay(key, table.index, on: &row)
                object.take(RowValues(row))
            }
        }
        if !deleted.isEmpty { markDeleted(deleted, table) }
    }

    /// Marks objects as deleted, with the values that their rows had.
    private func markDeleted(_ objects: [ManagedObject], _ table: TableLayout) {
        do throws(PersistenceError) {
            let unread = objects.filter { !$0.isLoaded }
            let stored = try layered.storedRows(unread.map(\.objectID.key), table)
            for object in unread {
                let key = object.objectID.key
                let isNew = layered.layers.all.contains {
                    let state = $0.tables[table.index].state(of: key)
                    return state == .inserted || state == .dropped
                }
                let empty = Array(repeating: StoredValue.null, count: table.width)
                guard var row = stored[key] ?? (isNew ? empty : nil) else { continue }
                layered.layers.overlay(key, table.index, on: &row)
                object.take(RowValues(row))
            }
        } catch {
            errors.note(error)
        }
        for object in objects {
            object.markDeleted()
            if isObserved { RelationshipNotifier(self).noteDeletion(of: object) }
        }
    }

    private func noteLinkChanges(since version: Int) {
        for link in model.links.indices {
            let changed = layered.changedPairs(of: link, since: version)
            for pair in changed ?? Set(layered.layers.top.links[link].pairs.keys) {
                RelationshipNotifier(self).noteLinkChange(pair, link)
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectContext: PendingChanges {
    /// The number of changes so far, for ``changedKeys(of:since:)``.
    package var changesVersion: Int { layers.journal.version }

    /// Returns the keys of a table whose unsaved changes differ from those of a version; `nil` if any
    /// key may.
    package func changedKeys(of table: Int, since version: Int) -> Set<Int64>? {
        layers.journal.keys(of: table, since: version)
    }

    /// Returns the pairs of a join table whose unsaved changes differ from those of a version; `nil`
    /// if any pair may.
    package func changedPairs(of link: Int, since version: Int) -> Set<LinkPair>? {
        layers.journal.pairs(of: link, since: version)
    }

    /// Returns the changes of a table in all layers, with the values that objects have.
    ///
    /// Without changes below the top they are those of the top; otherwise they are composed when the
    /// changes have changed.
    package func effectiveChanges(of table: Int) -> TableChanges {
        layers.effectiveChanges(of: table)
    }

    /// Returns the changes of a join table in all layers.
    package func effectiveLinks(of link: Int) -> LinkChanges { layers.effectiveLinks(of: link) }
}

/// The changes of the top layer.
extension ManagedObjectContext {
    /// Changes a row of the top layer.
    func update(_ table: Int, _ key: Int64, _ body: (inout TableChanges) -> Void) {
        layers.update(table, key, body)
        notifyChangeHandlers()
    }

    /// Records changes in the journal, and calls the closures that follow unsaved changes.
    func record(_ body: (inout ChangeJournal) -> Void) {
        layers.record(body)
        notifyChangeHandlers()
    }

    /// Changes many rows of the top layer; with `nil`, any of them.
    func updateMany(
        _ table: Int, keys: [Int64]? = nil, _ body: (inout TableChanges) -> Void
    ) {
        layers.updateMany(table, keys: keys, body)
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

    /// Sets a column of many rows and of their objects, whatever the saved values are.
    func set(
        _ values: [(key: Int64, entity: Int, value: StoredValue)], _ column: Int,
        of table: TableLayout
    ) {
        for (key, _, value) in values {
            if let object = identityMap[key], object.isLoaded, object.values[column] != value {
                object.take(value, column)
            }
        }
        updateMany(table.index, keys: values.map(\.key)) { changes in
            for (key, entity, value) in values {
                changes.set(value, column, of: key, entity: entity, base: nil)
            }
        }
    }

    /// Changes a row of a join table.
    func setLink(_ pair: LinkPair, _ link: Int, _ change: LinkChange) {
        layers.setLink(pair, link, change)
        notifyChangeHandlers()
        RelationshipNotifier(self).noteLinkChange(pair, link)
    }

    /// Replaces all changes of the top layer; objects read their values again.
    func replaceTop(_ changes: ChangeSet) {
        layers.top = changes
        record { $0.recordAll() }
        refreshAllObjects()
    }

    /// Calls a closure whose changes of objects are those of an import, not edits of a program.
    func withoutEditing<Failure>(_ body: () throws(Failure) -> Void) throws(Failure) {
        let outer = layers.marksEdits
        layers.marksEdits = false
        defer { layers.marksEdits = outer }
        try body()
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The composition of the layers of changes.
extension ManagedObjectContext {
    /// The number of changes so far, for ``changedKeys(of:since:)``.
    package var changesVersion: Int { journal.version }

    /// Returns the keys of a table whose unsaved changes differ from those of a version; `nil` if any
    /// key may.
    package func changedKeys(of table: Int, since version: Int) -> Set<Int64>? {
        journal.keys(of: table, since: version)
    }

    /// Returns the pairs of a join table whose unsaved changes differ from those of a version; `nil`
    /// if any pair may.
    package func changedPairs(of link: Int, since version: Int) -> Set<LinkPair>? {
        journal.pairs(of: link, since: version)
    }

    /// Returns the changes of a table in all layers, with the values that objects have.
    ///
    /// Without changes below the top they are those of the top; otherwise they are composed when the
    /// changes have changed.
    package func effectiveChanges(of table: Int) -> TableChanges {
        guard lower.contains(where: { $0.tables[table].count > 0 }) else {
            return top.tables[table]
        }
        if let known = compositions[table], known.version == journal.version {
            return known.changes
        }
        var changes = TableChanges(width: model.tables[table].width)
        for layer in lower { changes.absorb(layer.tables[table], addsCounts: false) }
        changes.absorb(top.tables[table], addsCounts: false)
        compositions[table] = (journal.version, changes)
        return changes
    }

    /// Returns the changes of a join table in all layers.
    package func effectiveLinks(of link: Int) -> LinkChanges {
        guard lower.contains(where: { !$0.links[link].isEmpty }) else { return top.links[link] }
        if let known = linkCompositions[link], known.version == journal.version {
            return known.changes
        }
        var changes = LinkChanges()
        for layer in lower { changes.absorb(layer.links[link]) }
        changes.absorb(top.links[link])
        linkCompositions[link] = (journal.version, changes)
        return changes
    }

    // MARK: Rows

    /// Returns the state of a row in all layers; `nil` if it has no unsaved changes.
    func state(of key: Int64, _ table: Int) -> RowState? {
        var isUpdated = false
        if let state = top.tables[table].state(of: key) {
            if state != .updated { return state }
            isUpdated = true
        }
        for layer in lower.reversed() {
            guard let state = layer.tables[table].state(of: key) else { continue }
            if state != .updated { return state }
            isUpdated = true
        }
        return isUpdated ? .updated : nil
    }

    /// Returns the state of a row in the changes of this context, without those of its parents.
    func ownState(of key: Int64, _ table: Int) -> RowState? {
        let state = top.tables[table].state(of: key)
        guard let sealed, state == nil || state == .updated else { return state }
        return sealed.tables[table].state(of: key) ?? state
    }

    func isDeleted(_ key: Int64, _ table: Int) -> Bool {
        state(of: key, table)?.isDeletion ?? false
    }

    /// Returns the unsaved value of a column; `nil` if it has no unsaved change.
    func changedValue(_ key: Int64, _ column: Int, _ table: Int) -> StoredValue? {
        if let value = top.tables[table].changedValue(key, column) { return value }
        for layer in lower.reversed() {
            if let value = layer.tables[table].changedValue(key, column) { return value }
        }
        return nil
    }

    /// Returns a Boolean value that indicates whether a program has set the unsaved value of a column, and
    /// not an import.
    func isEdited(_ key: Int64, _ column: Int, _ table: Int) -> Bool {
        if let isEdited = top.tables[table].isEdited(key, column) { return isEdited }
        for layer in lower.reversed() {
            if let isEdited = layer.tables[table].isEdited(key, column) { return isEdited }
        }
        return false
    }

    /// Replaces the values of a row by unsaved ones.
    func overlay(_ key: Int64, _ table: Int, on row: inout [StoredValue]) {
        for layer in lower { layer.tables[table].overlay(key, on: &row) }
        top.tables[table].overlay(key, on: &row)
    }

    /// Returns the keys of rows with unsaved changes whose column refers to a key.
    func references(to key: Int64, _ column: Int, _ table: Int) -> [Int64] {
        let own = top.update(table) { $0.references(to: key, column) }
        if lower.isEmpty { return own }
        var found = Set(own)
        for index in lower.indices {
            found.formUnion(lower[index].update(table) { $0.references(to: key, column) })
        }
        return found.filter { candidate in
            changedValue(candidate, column, table) == .integer(key) && !isDeleted(candidate, table)
        }
    }

    // MARK: Join tables

    /// Returns the unsaved change of a pair in all layers.
    func linkChange(_ pair: LinkPair, _ link: Int) -> LinkChange? {
        var change: LinkChange?
        for layer in lower { change = layer.links[link].pairs[pair]?.following(change) ?? change }
        return top.links[link].pairs[pair]?.following(change) ?? change
    }

    /// Returns the pairs of a key with unsaved changes.
    func linkChanges(
        of key: Int64, _ link: Int, isSource: Bool
    ) -> [(pair: LinkPair, change: LinkChange)] {
        let own = top.links[link].pairs(of: key, isSource: isSource)
        if lower.isEmpty { return own }
        var pairs = Set(own.map(\.pair))
        for layer in lower {
            pairs.formUnion(layer.links[link].pairs(of: key, isSource: isSource).map(\.pair))
        }
        return pairs.compactMap { pair in linkChange(pair, link).map { (pair, $0) } }
    }
}

/// The changes of the top layer.
extension ManagedObjectContext {
    /// Changes a row of the top layer.
    func update(_ table: Int, _ key: Int64, _ body: (inout TableChanges) -> Void) {
        top.update(table, body)
        journal.record(key, table)
    }

    /// Changes many rows of the top layer; with `nil`, any of them.
    func updateMany(
        _ table: Int, keys: [Int64]? = nil, _ body: (inout TableChanges) -> Void
    ) {
        top.update(table, body)
        journal.recordAll(table, keys: keys)
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
        top.updateLink(link) { $0.set(pair, change) }
        journal.record(pair, link)
        noteLinkChange(pair, link)
    }

    /// Replaces all changes of the top layer; objects read their values again.
    func replaceTop(_ changes: ChangeSet) {
        top = changes
        journal.recordAll()
        refreshAllObjects()
    }

    /// Calls a closure whose changes of objects are those of an import, not edits of a program.
    func withoutEditing<Failure>(_ body: () throws(Failure) -> Void) throws(Failure) {
        let outer = marksEdits
        marksEdits = false
        defer { marksEdits = outer }
        try body()
    }
}

extension ManagedObjectContext: PendingChanges {}

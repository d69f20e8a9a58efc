// SPDX-License-Identifier: Apache-2.0

// The state and the values of rows in all layers.

extension ChangeLayers {
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
        return sealed.changes.tables[table].state(of: key) ?? state
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
    mutating func references(to key: Int64, _ column: Int, _ table: Int) -> [Int64] {
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

    /// Replaces the values of a row by the unsaved ones of the parents.
    func overlayParents(_ key: Int64, _ table: Int, on row: inout [StoredValue]) {
        for layer in sealed == nil ? lower[...] : lower.dropLast() {
            layer.tables[table].overlay(key, on: &row)
        }
    }

    /// A Boolean value that indicates whether any layer has changes.
    var isPending: Bool {
        !lower.isEmpty || top.tables.contains { $0.count > 0 }
    }

    /// Returns a Boolean value that indicates whether any layer has changes of a table.
    func hasChanges(of table: Int) -> Bool {
        top.tables[table].count > 0 || lower.contains { $0.tables[table].count > 0 }
    }

    /// Returns a Boolean value that indicates whether any layer has changes of a join table.
    func hasLinkChanges(of link: Int) -> Bool {
        !top.links[link].isEmpty || lower.contains { !$0.links[link].isEmpty }
    }

    /// A Boolean value that indicates whether any layer deletes rows.
    var hasPendingDeletions: Bool {
        top.hasDeletions || lower.contains(where: \.hasDeletions)
    }

    /// Records that others may have changed the values below all edits of a table.
    mutating func noteChangesBelow(_ table: Int) {
        let changes = top.tables[table]
        if changes.count == 0 { return }
        let keys = (0..<changes.count).lazy.filter { changes.states[$0] == .updated }
        rowsChangedBelow[table, default: []].formUnion(keys.map { changes.keys[$0] })
    }

    /// Forgets the rows below edits that have been saved.
    mutating func forgetSavedRowsBelow() {
        for (table, keys) in rowsChangedBelow {
            let edited = keys.filter { top.tables[table].state(of: $0) == .updated }
            rowsChangedBelow[table] = edited.isEmpty ? nil : edited
        }
    }
}

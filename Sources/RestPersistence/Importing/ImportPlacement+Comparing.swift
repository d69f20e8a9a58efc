// SPDX-License-Identifier: Apache-2.0

import RestMapping

/// The comparison of the document's values with those that objects have already.
///
/// Rows without unsaved changes are compared in SQLite, by one statement for each entity, and none of their
/// values is read.
extension ImportPlacement {
    /// Removes the values that existing objects have already, so that unchanged objects stay
    /// unchanged.
    ///
    /// A value that a program has set is not removed, because it is that of the document from now on. An
    /// object that itself names another owner loses its position, as if a program had moved it; see
    /// ``PlaceColumns``.
    ///
    /// Values that may not change are removed as well.
    func removeEqualValues(
        _ entity: EntityBatch, _ options: ImportOptions
    ) throws(PersistenceError) {
        let layout = entity.layout
        let existing = existingRows(of: entity)
        if existing.rows.isEmpty { return }
        if mode == .insertOnly {
            for row in existing.rows { entity.masks[row] = ColumnMask() }
            counts[layout.index].leftOut += existing.rows.count
            return
        }
        let others =
            layered.database.comparesImports
            ? try compareStoredRows(of: entity, existing) : existing
        try compareRows(of: entity, others)
        if let fence = options.fence {
            removeWrittenValues(
                fence, of: entity,
                Dictionary(uniqueKeysWithValues: zip(existing.keys, existing.rows)))
        }
        let unchanged = existing.rows.count { entity.masks[$0].isEmpty }
        counts[layout.index].unchanged += unchanged
        counts[layout.index].updated += existing.rows.count - unchanged
        layered.layers.top.unchangedCount += unchanged
    }

    /// Rows of a batch with the keys of their objects.
    private struct ExistingRows {
        var rows: [Int] = []
        var keys: [Int64] = []

        mutating func append(_ row: Int, _ key: Int64) {
            rows.append(row)
            keys.append(key)
        }

        /// Sorts the rows by key, the order of the table, and keeps the last one of each object.
        mutating func sort() {
            if zip(keys, keys.dropFirst()).allSatisfy({ $0 < $1 }) { return }
            let all = self
            self = ExistingRows()
            let order = all.keys.indices.sorted { (all.keys[$0], $0) < (all.keys[$1], $1) }
            for index in order {
                if keys.last == all.keys[index] {
                    rows[rows.count - 1] = all.rows[index]
                } else {
                    append(all.rows[index], all.keys[index])
                }
            }
        }
    }

    /// Returns the rows of existing objects, by key.
    private func existingRows(of entity: EntityBatch) -> ExistingRows {
        let resolution = resolutions[entity.layout.index]
        var existing = ExistingRows()
        for row in 0..<entity.count
        where resolution.canonical[row] == row && resolution.aliases[row] == nil {
            guard let key = resolution.key(of: row), !resolution.createdKeys.contains(key) else {
                continue
            }
            existing.append(row, key)
        }
        existing.sort()
        return existing
    }

    /// Compares rows in SQLite.
    ///
    /// - Returns: The rows that have to be compared in another way: those with unsaved changes, and those
    ///   that ``EntityBatch/compare(_:keys:_:)`` leaves alone.
    private func compareStoredRows(
        of entity: EntityBatch, _ existing: ExistingRows
    ) throws(PersistenceError) -> ExistingRows {
        // References to a deleted row read as null.
        if layered.layers.hasPendingDeletions { return existing }
        let table = entity.layout.table
        var (stored, others) = (existing, ExistingRows())
        if layered.layers.hasChanges(of: table.index) {
            stored = ExistingRows()
            for (row, key) in zip(existing.rows, existing.keys) {
                if layered.layers.state(of: key, table.index) == nil {
                    stored.append(row, key)
                } else {
                    others.append(row, key)
                }
            }
        }
        if stored.rows.isEmpty { return others }
        let moved = try entity.compare(stored.rows, keys: stored.keys) {
            batch throws(PersistenceError) in
            try layered.read { try batch.compare(entity.layout, in: $0) }
        }
        let resolution = resolutions[entity.layout.index]
        for row in moved { if let key = resolution.key(of: row) { others.append(row, key) } }
        return others
    }

    /// Compares rows that have been read, with their unsaved changes.
    private func compareRows(
        of entity: EntityBatch, _ existing: ExistingRows
    ) throws(PersistenceError) {
        if existing.rows.isEmpty { return }
        let layout = entity.layout
        let rows = Dictionary(uniqueKeysWithValues: zip(existing.keys, existing.rows))
        for (key, stored) in try layered.rows(existing.keys, layout) {
            guard let row = rows[key] else { continue }
            for place in layout.table.places
            where entity.assigns(place.owner, without: place.position, to: row) {
                if stored[place.owner] != entity.value(row, place.owner) {
                    entity.set(.null, place.position, of: row)
                }
            }
            for column in entity.masks[row].columns
            where stored[column] == entity.value(row, column)
                && !layered.layers.isEdited(key, column, layout.table.index)
            {
                entity.unset(column, of: row)
            }
        }
    }

    /// Removes the values that were written since from the rows of existing objects.
    private func removeWrittenValues(
        _ fence: WriteFence, of entity: EntityBatch, _ existing: [Int64: Int]
    ) {
        for (key, row) in existing where !entity.masks[row].isEmpty {
            let written = fence.written.columns(
                of: key, among: entity.masks[row], in: entity.layout.table)
            if written.isEmpty { continue }
            var mask = entity.masks[row]
            mask.subtract(written)
            entity.masks[row] = mask
            isHeldBack = true
        }
    }
}

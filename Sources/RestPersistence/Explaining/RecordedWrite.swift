// SPDX-License-Identifier: Apache-2.0

/// The changed columns of rows that an unsaved import has set.
struct RecordedWrite: Sendable {
    let origin: ResponseWrite
    /// The columns by the key of the row; those of new rows are all.
    let columns: [Int64: ColumnMask]
}

extension ManagedObjectContext {
    /// Records that the unsaved changes of this context were imported from a response.
    ///
    /// The origin of the rows of entities that the store does not explain is not recorded.
    package func recordOrigin(_ origin: ResponseWrite) {
        let explained = database.explainedEntities
        if explained.isEmpty { return }
        var columns: [Int64: ColumnMask] = [:]
        for table in model.tables where table.entities.contains(where: explained.contains) {
            let changes = top.tables[table.index]
            for slot in 0..<changes.count where explained.contains(changes.entities[slot]) {
                switch changes.states[slot] {
                case .inserted: columns[changes.keys[slot]] = ColumnMask(first: table.width)
                case .updated: columns[changes.keys[slot]] = changes.masks[slot]
                case .deleted, .dropped: break
                }
            }
        }
        if !columns.isEmpty { top.writes.append(RecordedWrite(origin: origin, columns: columns)) }
    }
}

extension CollectionReader {
    /// A Boolean value that indicates whether the store records the origin of rows.
    package var explainsRows: Bool { !database.explainedEntities.isEmpty }
}

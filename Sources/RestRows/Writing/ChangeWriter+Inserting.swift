// SPDX-License-Identifier: Apache-2.0

extension ChangeWriter {
    /// Inserts the new rows of a table.
    mutating func insert(_ changes: TableChanges, _ table: TableLayout) throws {
        let slots = (0..<changes.count).filter { changes.states[$0] == .inserted }
        if slots.isEmpty { return }
        if slots.count < Self.minimumBatchCount || table.width > BatchTable.maximumPassedCount {
            try insertRows(slots, of: changes, table)
        } else {
            try insertBatch(slots, of: changes, table)
        }
        rows.inserted += slots.count
        tables[table.index].inserted.reserveCapacity(slots.count)
        for slot in slots {
            if observation != nil { noteInsertionEdit(changes.keys[slot], changes.entities[slot]) }
            tables[table.index].inserted.append(
                .init(key: changes.keys[slot], entity: changes.entities[slot]))
        }
    }

    /// The number of rows from which on one statement inserts all of them.
    private static var minimumBatchCount: Int { 4 }

    /// Inserts rows by a statement for each.
    private func insertRows(
        _ slots: [Int], of changes: TableChanges, _ table: TableLayout
    ) throws(PersistenceError) {
        let names = [EntityLayout.keyColumn] + table.columns.map(\.quoted)
        let marks = Array(repeating: "?", count: names.count).joined(separator: ", ")
        let statement = try PreparedStatement(
            "INSERT INTO \(table.quoted) (\(names.joined(separator: ", "))) VALUES (\(marks))",
            in: database)
        for slot in slots {
            try statement.bind(.integer(changes.keys[slot]), at: 1)
            let row = slot * table.width
            try statement.bind(changes.values[row..<row + table.width], from: 2)
            do throws(PersistenceError) { try statement.run() } catch {
                throw naming(slot, changes, in: error)
            }
        }
    }

    /// Inserts rows by one statement, which reads them as a table.
    ///
    /// The rows before one that cannot be inserted stay until the caller rolls back, so that SQLite keeps no
    /// copy of the pages that the statement changes.
    private func insertBatch(
        _ slots: [Int], of changes: TableChanges, _ table: TableLayout
    ) throws(PersistenceError) {
        let batch = BatchTable(
            inserting: slots, keys: slots.map { changes.keys[$0] }, changes.values,
            width: table.width)
        let names = [EntityLayout.keyColumn] + table.columns.map(\.quoted)
        let values = ["key"] + table.columns.indices.map { "value\($0)" }
        let statement = try PreparedStatement(
            "INSERT OR FAIL INTO \(table.quoted) (\(names.joined(separator: ", "))) "
                + "SELECT \(values.joined(separator: ", ")) FROM restkit_batch(?1)", in: database)
        try statement.bind(batch, at: 1)
        do throws(PersistenceError) { try statement.run() } catch {
            throw naming(batch.lastRow, changes, in: error)
        }
        withExtendedLifetime(batch) {}
    }

    /// Returns an error of the database with the object of a row and the properties of its identity.
    func naming(
        _ slot: Int, _ changes: TableChanges, in error: PersistenceError
    ) -> PersistenceError {
        let layout = model.layouts[changes.entities[slot]]
        guard error.code == .identityConflict, !layout.identity.isEmpty else { return error }
        let id = ManagedObjectID(key: changes.keys[slot], layout: layout, store: store)
        return PersistenceError(
            identityConflicts: layout.identity.map {
                SaveConflict(objectID: id, property: layout.columns[$0].name)
            })
    }
}

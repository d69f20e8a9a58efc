// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectContext {
    /// Saves all unsaved changes in one transaction.
    ///
    /// Rows that already have all values are not written, and their observers are not notified. If
    /// saving fails, the database and this context are unchanged.
    ///
    /// - Throws: ``PersistenceError`` with code `invalidObject` and all missing values,
    ///   `identityConflict`, `relationshipConflict`, `readOnly`, `busy` or `storageFull`.
    @discardableResult
    public func save() throws(PersistenceError) -> SaveReport {
        try throwFailure()
        guard hasChanges else { return SaveReport() }
        try validate()
        let changes = changes
        let model = model
        let report = try database.write { database in
            var writer = ChangeWriter(database: database, model: model)
            try writer.write(changes)
            return writer.report
        }
        self.changes = ChangeSet(model: model)
        return report
    }

    /// Checks required values and throws an error with all that are missing.
    private func validate() throws(PersistenceError) {
        var missingValues: [String] = []
        search: for table in model.tables {
            let pending = changes.tables[table.index]
            guard !pending.isEmpty else { continue }
            for slot in 0..<pending.count {
                let isNew = pending.states[slot] == .inserted
                guard isNew || pending.states[slot] == .updated else { continue }
                let layout = pending.layout(slot, of: table, in: model)
                let columns = isNew ? layout.requiredColumns : pending.masks[slot].columns
                for column in columns where layout.columns[column].isRequired {
                    guard pending.value(slot, column).isNull else { continue }
                    missingValues.append(
                        "\(layout.name)/\(pending.keys[slot]).\(layout.columns[column].name) "
                            + "has no value")
                    if missingValues.count == Self.maximumMissingValues { break search }
                }
            }
        }
        if !missingValues.isEmpty { throw PersistenceError(.invalidObject, details: missingValues) }
    }

    /// The maximum number of missing values in one error.
    private static var maximumMissingValues: Int { 100 }
}

// SPDX-License-Identifier: Apache-2.0

/// How many rows a save wrote.
public struct SaveReport: Sendable, Hashable {
    /// New rows.
    public var inserted = 0
    /// Rows of which at least one value is another now.
    public var updated = 0
    /// Rows removed.
    public var deleted = 0
    /// Rows that already had every value; they were not written.
    public var unchanged = 0

    /// Makes a report.
    public init(inserted: Int = 0, updated: Int = 0, deleted: Int = 0, unchanged: Int = 0) {
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
        self.unchanged = unchanged
    }
}

extension ManagedObjectContext {
    /// Writes every unsaved change in one transaction.
    ///
    /// Rows that already have the values are not written and wake no observer. If anything fails, the
    /// file and this context are as before.
    ///
    /// - Throws: ``PersistenceError``: `invalidObject` with every missing value, `identityConflict`,
    ///   `relationshipConflict`, `readOnly`, `busy`, `storageFull`.
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

    /// Finds every missing value, not only the first.
    private func validate() throws(PersistenceError) {
        var findings: [String] = []
        search: for layout in model.layouts {
            let pending = changes.entities[layout.index]
            let required = layout.columns.indices.filter { layout.columns[$0].isRequired }
            guard !pending.isEmpty, !required.isEmpty else { continue }
            for slot in 0..<pending.count {
                let isNew = pending.states[slot] == .inserted
                guard isNew || pending.states[slot] == .updated else { continue }
                for column in required where isNew || pending.masks[slot].contains(column) {
                    guard pending.value(slot, column).isNull else { continue }
                    findings.append(
                        "\(layout.name)/\(pending.keys[slot]).\(layout.columns[column].name) "
                            + "has no value")
                    if findings.count == Self.maximumFindings { break search }
                }
            }
        }
        if !findings.isEmpty { throw PersistenceError(.invalidObject, details: findings) }
    }

    /// Most missing values that one error lists.
    private static var maximumFindings: Int { 100 }
}

// SPDX-License-Identifier: Apache-2.0

import RestOutbox
import RestPersistence

/// The versions of objects that only the heads of responses have, such as entity tags.
extension OutboxTables {
    /// Returns the version of an object; `nil` if it is not known.
    func tag(of key: Int64) throws(PersistenceError) -> StoredValue? {
        let statement = try PreparedStatement(
            "SELECT tag FROM \(Self.tags) WHERE key = ?1", in: database)
        try statement.bind(.integer(key), at: 1)
        return try statement.step() ? statement.value(0) : nil
    }

    /// Keeps the version of an object that the head of a response has named; `nil` for none.
    func setTag(_ tag: StoredValue?, of key: Int64) throws(PersistenceError) {
        guard case .text(let text) = tag, !text.isEmpty else { return try removeTags(of: [key]) }
        let statement = try PreparedStatement(
            "INSERT OR REPLACE INTO \(Self.tags) (key, tag) VALUES (?1, ?2)", in: database)
        try run(statement, [.integer(key), .text(text)])
    }

    /// Removes the versions of objects.
    func removeTags(of keys: Set<Int64>) throws(PersistenceError) {
        if keys.isEmpty { return }
        let statement = try PreparedStatement(
            "DELETE FROM \(Self.tags) WHERE key IN (SELECT value FROM json_each(?1))",
            in: database)
        try run(statement, [RowQuery.list(keys)])
    }

    /// Removes the versions of objects without a row, such as those of an entity that is not in the model any more.
    ///
    /// - Complexity: O(*n*) in the number of versions.
    func removeUnusedTags() throws(PersistenceError) {
        let tables = Set(
            sent.entities.keys.compactMap { model.index(of: $0) }
                .map { model.layouts[$0].table.quoted })
        let conditions = tables.sorted().map {
            "NOT EXISTS (SELECT 1 FROM \($0) t WHERE t.\(EntityLayout.keyColumn) = g.key)"
        }
        let condition = conditions.isEmpty ? "TRUE" : conditions.joined(separator: " AND ")
        try run(
            PreparedStatement(
                "DELETE FROM \(Self.tags) AS g WHERE \(condition)", in: database), [])
    }
}

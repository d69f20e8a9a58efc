// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB

extension ChangeWriter {
    /// Writes the changes of fetched collections, removes deleted rows from all of them, and the validators
    /// of those whose rows have changed.
    ///
    /// It runs after all rows have been written.
    func writeCollections(_ changes: ChangeSet) throws {
        let hasChangedRows =
            tables.contains { !$0.updated.isEmpty } || links.contains { !$0.isEmpty }
        if deletedKeys.isEmpty, changes.collections.isEmpty, !hasChangedRows { return }
        let table = CollectionTable(database: database)
        if try !table.isPresent {
            let hasMembers = changes.collections.contains {
                if case .fetched = $0 { true } else { false }
            }
            guard hasMembers else { return }
            try table.create()
        }
        try table.removeMembers(Array(deletedKeys))
        if hasChangedRows { try removeValidators(ofCollectionsIn: table, changes) }
        for change in changes.collections { try table.apply(change) }
        // Values that a program has edited after the import are not those of the response.
        if origin == .local, !editedKeys.isEmpty, !changes.collections.isEmpty {
            try table.removeValidators(ofCollectionsWith: editedKeys.sorted())
        }
    }
}

extension CollectionTable {
    /// Removes deleted rows from all collections.
    ///
    /// A collection that has lost a member which its server has returned must not be confirmed as
    /// unchanged, so that the next response restores the row.
    func removeMembers(_ keys: [Int64]) throws(PersistenceError) {
        guard !keys.isEmpty else { return }
        try removeValidators(ofCollectionsWith: keys)
        try run(
            "DELETE FROM \(Self.members) WHERE key IN (SELECT value FROM json_each(?1))",
            [RowQuery.list(keys)])
    }

    /// Removes the facts by which the pages with some confirmed members are reused.
    ///
    /// - Parameters:
    ///   - keys: The keys of the members.
    ///   - excluded: The IDs of collections that keep their facts.
    ///   - entity: The name of an entity that the members contain objects of; `nil` for any members.
    /// - Throws: ``PersistenceError`` of the database.
    func removeValidators(
        ofCollectionsWith keys: [Int64], except excluded: [Int64] = [],
        nesting entity: String? = nil
    ) throws(PersistenceError) {
        let isNesting =
            entity == nil ? "" : " AND instr(' ' || c.nested || ' ', ' ' || ?3 || ' ') > 0"
        let affected = """
            FROM \(Self.members) m JOIN \(Self.name) c ON c.id = m.collection \
            WHERE m.key IN (SELECT value FROM json_each(?1)) AND \(Self.isConfirmed) \
            AND m.collection NOT IN (SELECT value FROM json_each(?2))\(isNesting)
            """
        for sql in [
            "UPDATE \(Self.name) SET fresh_until = NULL, document = '' "
                + "WHERE id IN (SELECT m.collection \(affected))",
            "UPDATE \(Self.pages) SET entity_tag = NULL, last_modified = NULL "
                + "WHERE (collection, page) IN (SELECT m.collection, m.page \(affected))",
        ] {
            try run(
                sql,
                [RowQuery.list(keys), RowQuery.list(excluded)] + (entity.map { [.text($0)] } ?? []))
        }
    }

    func apply(_ change: CollectionChange) throws(PersistenceError) {
        switch change {
        case .fetched(let response): try write(response)
        case .confirmed(let request, let date, let freshUntil):
            guard let row = try row(of: request) else { return }
            // The time alone is written once in an interval only.
            let age = date.timeIntervalSince(row.confirmedAt)
            if freshUntil == nil, age < CollectionChange.confirmationInterval { return }
            // A collection that has lost a member, or whose rows have changed since the request, is not the
            // one that was confirmed.
            let size = "(SELECT sum(size) FROM \(Self.pages) WHERE collection = ?1)"
            let count = """
                (SELECT count(*) FROM \(Self.members) m JOIN \(Self.name) c ON c.id = m.collection \
                WHERE m.collection = ?1 AND \(Self.isConfirmed))
                """
            let isReusable = """
                (fresh_until IS NOT NULL OR EXISTS (SELECT 1 FROM \(Self.pages) p \
                WHERE p.collection = ?1 AND coalesce(p.entity_tag, p.last_modified) IS NOT NULL))
                """
            try run(
                "UPDATE \(Self.name) SET confirmed_at = ?3, fresh_until = "
                    + "CASE WHEN \(size) = \(count) AND \(isReusable) THEN coalesce(?2, fresh_until) END "
                    + "WHERE id = ?1",
                [
                    .integer(row.id), Self.value(freshUntil),
                    Self.value(max(date, row.confirmedAt)),
                ])
        case .closed(let request, let walk, let doubts, let removesUnconfirmed):
            guard let row = try row(of: request), row.facts.walk.id == walk else { return }
            if removesUnconfirmed {
                try run(
                    """
                    DELETE FROM \(Self.members) AS m WHERE m.collection = ?1 AND NOT EXISTS \
                    (SELECT 1 FROM \(Self.pages) q WHERE q.collection = m.collection \
                    AND q.page = m.page AND q.members = m.walk AND q.walk = ?2)
                    """, [.integer(row.id), .integer(walk)])
            }
            // Pages that the list does not have any more.
            try run(
                "DELETE FROM \(Self.pages) WHERE collection = ?1 AND walk <> ?2",
                [.integer(row.id), .integer(walk)])
            try run(
                "UPDATE \(Self.name) SET complete = 1, position = NULL, doubts = ?2 WHERE id = ?1",
                [.integer(row.id), Self.value(row.facts.walk.doubts.union(doubts))])
        case .expired(let url):
            try run("UPDATE \(Self.name) SET fresh_until = NULL WHERE url = ?1", [.text(url)])
        case .diminished(let keys): try removeValidators(ofCollectionsWith: keys)
        case .removed(let ids):
            try run(
                "DELETE FROM \(Self.name) WHERE id IN (SELECT value FROM json_each(?1))",
                [RowQuery.list(ids)])
        }
    }

    static func value(_ date: Date?) -> StoredValue {
        date.map { .double($0.timeIntervalSince1970) } ?? .null
    }

    static func value(_ doubts: Set<CollectionDoubt>) -> StoredValue {
        .text(doubts.map(\.rawValue).sorted().joined(separator: " "))
    }

    func run(_ sql: String, _ values: [StoredValue]) throws(PersistenceError) {
        let statement = try PreparedStatement(sql, in: database)
        for (index, value) in values.enumerated() { try statement.bind(value, at: index + 1) }
        _ = try statement.run()
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB

extension ChangeWriter {
    /// Writes the changes of fetched collections, removes deleted rows from all of them, and the validators
    /// of those whose rows have changed.
    ///
    /// It runs after all rows have been written.
    mutating func writeCollections(_ changes: ChangeSet) throws {
        let hasChangedRows =
            tables.contains { !$0.updated.isEmpty } || links.contains { !$0.isEmpty }
            || !formerOwners.isEmpty
        if deletedKeys.isEmpty, changes.collections.isEmpty, !hasChangedRows { return }
        let table = CollectionTable(database: database, heldWalks: heldWalks)
        if try !table.isPresent {
            let hasMembers = changes.collections.contains {
                if case .fetched = $0 { true } else { false }
            }
            guard hasMembers else { return }
            try table.create()
        }
        try table.removeMembers(Array(deletedKeys))
        if hasChangedRows { try removeValidators(ofCollectionsIn: table, changes) }
        let changesRows = hasChangedRows || tables.contains { !$0.isEmpty }
        for change in changes.collections {
            let walks = try table.apply(change, changesRows: changesRows)
            walkChanges.merge(walks) { $1 }
        }
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

    /// Removes the facts by which the pages with some members are reused.
    ///
    /// - Parameters:
    ///   - keys: The keys of the members.
    ///   - excluded: The pages that keep their facts.
    ///   - entity: The name of an entity that the members contain objects of; `nil` for any members.
    ///   - depth: The number of objects between the members and these.
    /// - Throws: ``PersistenceError`` of the database.
    func removeValidators(
        ofCollectionsWith keys: [Int64], except excluded: [PageKey] = [],
        nesting entity: String? = nil, atDepth depth: Int = 1
    ) throws(PersistenceError) {
        let isNesting =
            entity == nil
            ? ""
            : " AND c.depth >= \(depth) AND instr(' ' || c.nested || ' ', ' ' || ?3 || ' ') > 0"
        let affected = """
            FROM \(Self.members) m JOIN \(Self.name) c ON c.id = m.collection \
            WHERE m.key IN (SELECT value FROM json_each(?1)) AND \(Self.isOnPage) \
            AND (m.collection, m.page) NOT IN (SELECT json_extract(value, '$[0]'), \
            json_extract(value, '$[1]') FROM json_each(?2))\(isNesting)
            """
        let pages = excluded.map { "[\($0.collection),\($0.page)]" }.joined(separator: ",")
        for sql in [
            "UPDATE \(Self.name) SET fresh_until = NULL, document = '' "
                + "WHERE (fresh_until IS NOT NULL OR document <> '') "
                + "AND id IN (SELECT m.collection \(affected))",
            "UPDATE \(Self.pages) SET entity_tag = NULL, last_modified = NULL "
                + "WHERE coalesce(entity_tag, last_modified) IS NOT NULL "
                + "AND (collection, page) IN (SELECT m.collection, m.page \(affected))",
        ] {
            try run(
                sql,
                [RowQuery.list(keys), .text("[\(pages)]")] + (entity.map { [.text($0)] } ?? []))
        }
    }

    /// Removes the facts by which collections and pages are reused, of all of them.
    static func removeAllValidators(in database: Database) throws {
        let tables = try Int.fetchOne(
            database,
            sql: "SELECT count(*) FROM sqlite_schema WHERE name IN ('\(name)', '\(pages)')")
        guard tables == 2 else { return }
        try database.execute(
            sql: """
                UPDATE \(name) SET fresh_until = NULL, document = '' \
                WHERE fresh_until IS NOT NULL OR document <> ''; \
                UPDATE \(pages) SET entity_tag = NULL, last_modified = NULL \
                WHERE coalesce(entity_tag, last_modified) IS NOT NULL
                """)
    }

    /// Applies a change.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - changesRows: A Boolean value that indicates whether the transaction changes rows.
    /// - Returns: The changes of the walks that are held.
    /// - Throws: ``PersistenceError`` of the database.
    func apply(
        _ change: CollectionChange, changesRows: Bool
    ) throws(PersistenceError) -> [CollectionRequest: HeldWalk?] {
        switch change {
        case .fetched(let response): return try write(response, changesRows: changesRows)
        case .noted(let request):
            if let row = try row(of: request), row.facts.walk != row.noted {
                try note(row.facts.walk, of: row)
            }
            return [request: nil]
        case .closed(let request, let walk, let reasons, let removesUnconfirmed):
            guard let row = try row(of: request), row.facts.walk.id == walk else { return [:] }
            try close(row, reasons, removesUnconfirmed: removesUnconfirmed)
            return [request: nil]
        case .ended(let request, let walk):
            guard let row = try row(of: request), row.facts.walk.id == walk else { return [:] }
            return try end(row) ? [request: nil] : [:]
        case .confirmed, .expired, .diminished, .removed:
            try apply(change)
            return [:]
        }
    }

    /// Writes that a list ends where a walk has ended, if it had more pages before.
    ///
    /// - Returns: A Boolean value that indicates whether the walk was written.
    private func end(_ row: Row) throws(PersistenceError) -> Bool {
        let walk = row.facts.walk
        guard row.isComplete, walk.nextPage < row.pages.upperBound else { return false }
        try note(walk, of: row)
        try run(
            "UPDATE \(Self.name) SET complete = 0, end_page = next_page, confirmed_at = NULL, "
                + "fetched_at = coalesce(started_at, fetched_at) WHERE id = ?1",
            [.integer(row.id)])
        return true
    }

    /// Completes a list at the end of a walk, and writes what is not as before.
    private func close(
        _ row: Row, _ reasons: Set<IncompletenessReason>, removesUnconfirmed: Bool
    ) throws(PersistenceError) {
        let walk = row.facts.walk
        let pages = row.confirmedPages
        let bounds = [pages.lowerBound, pages.upperBound].map { StoredValue.integer(Int64($0)) }
        if removesUnconfirmed {
            try run(
                "DELETE FROM \(Self.members) AS m WHERE m.collection = ?1 "
                    + "AND NOT (m.page >= ?2 AND m.page < ?3 AND \(Self.isOnPage))",
                [.integer(row.id)] + bounds)
        }
        // Pages that the list does not have any more.
        try run(
            "DELETE FROM \(Self.pages) WHERE collection = ?1 AND (page < ?2 OR page >= ?3)",
            [.integer(row.id)] + bounds)
        let reasons = walk.reasons.union(reasons)
        var confirmedAt: Date?
        if row.isComplete, let date = walk.startedAt {
            let age = date.timeIntervalSince(row.confirmedAt)
            if age >= CollectionChange.confirmationInterval { confirmedAt = date }
        }
        if row.isComplete, row.noted.position == nil,
            reasons == row.noted.reasons,
            confirmedAt == nil
        {
            return
        }
        try run(
            "UPDATE \(Self.name) SET complete = 1, walk = ?2, position = NULL, doubts = ?3, "
                + "end_page = ?4, next_page = ?4, started_at = NULL, "
                + "confirmed_at = coalesce(?5, confirmed_at) WHERE id = ?1",
            [
                .integer(row.id), .integer(walk.id), Self.value(reasons), bounds[1],
                Self.value(confirmedAt),
            ])
    }

    private func apply(_ change: CollectionChange) throws(PersistenceError) {
        switch change {
        case .fetched, .noted, .ended, .closed: break
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
        case .expired(let url):
            try run("UPDATE \(Self.name) SET fresh_until = NULL WHERE url = ?1", [.text(url)])
        case .diminished(let keys):
            try removeValidators(ofCollectionsWith: keys)
        case .removed(let ids):
            try run(
                "DELETE FROM \(Self.name) WHERE id IN (SELECT value FROM json_each(?1))",
                [RowQuery.list(ids)])
        }
    }

    static func value(_ date: Date?) -> StoredValue {
        date.map { .double($0.timeIntervalSince1970) } ?? .null
    }

    static func value(_ reasons: Set<IncompletenessReason>) -> StoredValue {
        .text(reasons.map(\.rawValue).sorted().joined(separator: " "))
    }

    func run(_ sql: String, _ values: [StoredValue]) throws(PersistenceError) {
        let statement = try PreparedStatement(sql, in: database)
        for (index, value) in values.enumerated() { try statement.bind(value, at: index + 1) }
        _ = try statement.run()
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB

extension ChangeWriter {
    /// Writes the changes of fetched collections, and removes deleted rows from all of them.
    ///
    /// It runs after all rows have been written.
    func writeCollections(_ changes: ChangeSet) throws {
        if deletedKeys.isEmpty, changes.collections.isEmpty { return }
        let table = CollectionTable(database: database)
        if try !table.isPresent {
            let hasMembers = changes.collections.contains {
                if case .fetched = $0 { true } else { false }
            }
            guard hasMembers else { return }
            try table.create()
        }
        try table.removeMembers(Array(deletedKeys))
        for change in changes.collections { try table.apply(change) }
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

    /// Removes the facts by which the collections with some confirmed members are reused.
    private func removeValidators(
        ofCollectionsWith keys: [Int64]
    ) throws(PersistenceError) {
        let affected = """
            SELECT m.collection FROM \(Self.members) m JOIN \(Self.name) c ON c.id = m.collection \
            WHERE m.key IN (SELECT value FROM json_each(?1)) AND m.walk = c.walk
            """
        for sql in [
            "UPDATE \(Self.name) SET fresh_until = NULL, document = '' WHERE id IN (\(affected))",
            "UPDATE \(Self.pages) SET entity_tag = NULL, last_modified = NULL "
                + "WHERE collection IN (\(affected))",
        ] { try run(sql, [RowQuery.list(keys)]) }
    }

    func apply(_ change: CollectionChange) throws(PersistenceError) {
        switch change {
        case .fetched(let response): try write(response)
        case .confirmed(let request, let date, let freshUntil):
            guard let row = try row(of: request) else { return }
            // The time alone is written once in an interval only.
            let age = date.timeIntervalSince(row.confirmedAt)
            if freshUntil == nil, age < CollectionChange.confirmationInterval { return }
            // A collection that has lost a member is not the one that was confirmed.
            let size = "(SELECT sum(size) FROM \(Self.pages) WHERE collection = ?1)"
            let count = """
                (SELECT count(*) FROM \(Self.members) m WHERE m.collection = ?1 \
                AND m.walk = \(Self.name).walk)
                """
            try run(
                "UPDATE \(Self.name) SET confirmed_at = ?3, fresh_until = "
                    + "CASE WHEN \(size) = \(count) THEN coalesce(?2, fresh_until) END "
                    + "WHERE id = ?1",
                [
                    .integer(row.id), Self.value(freshUntil),
                    Self.value(max(date, row.confirmedAt)),
                ])
        case .closed(let request, let walk, let doubts, let removesUnconfirmed):
            guard let row = try row(of: request), row.facts.walk.id == walk else { return }
            if removesUnconfirmed {
                try run(
                    "DELETE FROM \(Self.members) WHERE collection = ?1 AND walk <> ?2",
                    [.integer(row.id), .integer(walk)])
            }
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

    // MARK: Responses

    private func write(_ response: CollectionResponse) throws(PersistenceError) {
        let known = try row(of: response.request)
        switch response.extent {
        case .whole(let isComplete):
            // Members that have not changed are not written again.
            var walk: Int64?
            if let known, try keys(of: known) == Self.distinct(response.members) {
                walk = known.facts.walk.id
            }
            let id = try upsert(response, walk: walk, isComplete: isComplete)
            try writePage(0, PageFacts(fields: nil, state: nil), of: response, in: id)
            guard walk == nil else { return }
            try insertMembers(of: response, page: 0, in: id, unlessSeen: false)
            try run(
                "DELETE FROM \(Self.members) WHERE collection = ?1 AND walk <> ?2",
                [.integer(id), .integer(response.facts.walk.id)])
        case .page(let index, let isFirst, let facts):
            let walk = response.facts.walk.id
            // The pages of a walk that another one has replaced have no effect on the collection, nor
            // have those of a collection that was removed: their walk would seem to be complete.
            if !isFirst, known?.facts.walk.id != walk { return }
            let id = try upsert(response, walk: walk, isComplete: false)
            if isFirst {
                try run("DELETE FROM \(Self.pages) WHERE collection = ?1", [.integer(id)])
            }
            let isRepeated = try insertMembers(
                of: response, page: index, in: id, unlessSeen: true)
            var page = response
            // A page whose members are also on another one does not have all of them in the store.
            if isRepeated { page.facts.validators = CollectionValidators() }
            try writePage(index, facts, of: page, in: id)
            var doubts = response.facts.walk.doubts
            if !isFirst { doubts.formUnion(known?.facts.walk.doubts ?? []) }
            if !isFirst, let known, known.facts.walk.total != response.facts.walk.total {
                doubts.insert(.totalChanged)
            }
            if isRepeated { doubts.insert(.repeatedObject) }
            try run(
                "UPDATE \(Self.name) SET doubts = ?2 WHERE id = ?1",
                [.integer(id), Self.value(doubts)])
        }
    }

    /// Writes the row of a collection and returns its key.
    private func upsert(
        _ response: CollectionResponse, walk: Int64?, isComplete: Bool
    ) throws(PersistenceError) -> Int64 {
        let columns = [
            "url", "method", "user", "body", "paged", "version", "fetched_at", "fresh_until",
            "vary", "selection", "document", "complete", "walk", "position", "total", "doubts",
        ]
        let updates = columns.dropFirst(5).map { column in
            // A walk over pages has the time of its first page.
            column == "fetched_at"
                ? "fetched_at = CASE WHEN paged AND walk = excluded.walk THEN fetched_at "
                    + "ELSE excluded.fetched_at END"
                : "\(column) = excluded.\(column)"
        }
        let marks = columns.indices.map { "?\($0 + 1)" }
        let statement = try PreparedStatement(
            "INSERT INTO \(Self.name) (\(columns.joined(separator: ", "))) "
                + "VALUES (\(marks.joined(separator: ", "))) "
                + "ON CONFLICT (url, method, user, body, paged) "
                + "DO UPDATE SET \(updates.joined(separator: ", ")), confirmed_at = NULL "
                + "RETURNING id", in: database)
        try bind(response.request, to: statement)
        let facts = response.facts
        let values: [StoredValue] = [
            .text(facts.version), Self.value(response.fetchedAt), Self.value(facts.freshUntil),
            .text(facts.vary), .text(facts.selection), .text(facts.documentDigest),
            .integer(isComplete ? 1 : 0), .integer(walk ?? facts.walk.id),
            facts.walk.position.map { .data($0) } ?? .null,
            facts.walk.total.map { .integer(Int64($0)) } ?? .null, Self.value(facts.walk.doubts),
        ]
        for (index, value) in values.enumerated() { try statement.bind(value, at: index + 6) }
        guard try statement.step() else {
            throw PersistenceError(
                .databaseFailure, details: ["no row of a collection was written"])
        }
        let id = statement.integer(0)
        // The statement ends only after its last step.
        while try statement.step() {}
        return id
    }

    private func writePage(
        _ index: Int, _ page: PageFacts, of response: CollectionResponse, in collection: Int64
    ) throws(PersistenceError) {
        let facts = response.facts
        try run(
            "INSERT OR REPLACE INTO \(Self.pages) "
                + "(collection, page, url, entity_tag, last_modified, vary, selection, fields, "
                + "state, size) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            [
                .integer(collection), .integer(Int64(index)), .text(response.url),
                facts.validators.entityTag.map { .data($0) } ?? .null,
                facts.validators.lastModified.map { .data($0) } ?? .null,
                .text(facts.vary), .text(facts.selection),
                page.fields.map { .text($0) } ?? .null, page.state.map { .data($0) } ?? .null,
                .integer(Int64(Self.distinct(response.members).count)),
            ])
    }

    /// Inserts or moves members.
    ///
    /// A member that the walk has seen on another page keeps its place if `unlessSeen` is true; the
    /// result indicates whether there was one.
    @discardableResult
    private func insertMembers(
        of response: CollectionResponse, page: Int, in collection: Int64, unlessSeen: Bool
    ) throws(PersistenceError) -> Bool {
        let statement = try PreparedStatement(
            "INSERT INTO \(Self.members) (collection, key, entity, walk, page, position) "
                + "VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (key, collection) DO UPDATE SET "
                + "entity = excluded.entity, walk = excluded.walk, page = excluded.page, "
                + "position = excluded.position"
                + (unlessSeen ? " WHERE walk <> excluded.walk OR page = excluded.page" : ""),
            in: database)
        var isRepeated = false
        var known: Set<Int64> = []
        for (position, id) in response.members.enumerated() where known.insert(id.key).inserted {
            let values: [StoredValue] = [
                .integer(collection), .integer(id.key), .text(id.entityName),
                .integer(response.facts.walk.id), .integer(Int64(page)),
                .integer(Int64(position)),
            ]
            for (index, value) in values.enumerated() { try statement.bind(value, at: index + 1) }
            if try statement.run() == 0 { isRepeated = true }
        }
        return isRepeated
    }

    /// Returns the keys of the confirmed members, in order.
    private func keys(of row: Row) throws(PersistenceError) -> [Int64] {
        let statement = try PreparedStatement(
            "SELECT key FROM \(Self.members) WHERE collection = ?1 AND walk = ?2 "
                + "ORDER BY page, position", in: database)
        try statement.bind(.integer(row.id), at: 1)
        try statement.bind(.integer(row.facts.walk.id), at: 2)
        var keys: [Int64] = []
        while try statement.step() { keys.append(statement.integer(0)) }
        return keys
    }

    private static func distinct(_ members: [ManagedObjectID]) -> [Int64] {
        var known: Set<Int64> = []
        return members.map(\.key).filter { known.insert($0).inserted }
    }

    private static func value(_ date: Date?) -> StoredValue {
        date.map { .double($0.timeIntervalSince1970) } ?? .null
    }

    private static func value(_ doubts: Set<CollectionDoubt>) -> StoredValue {
        .text(doubts.map(\.rawValue).sorted().joined(separator: " "))
    }

    private func run(_ sql: String, _ values: [StoredValue]) throws(PersistenceError) {
        let statement = try PreparedStatement(sql, in: database)
        for (index, value) in values.enumerated() { try statement.bind(value, at: index + 1) }
        _ = try statement.run()
    }
}

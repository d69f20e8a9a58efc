// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The rows of a response: its collection, its page and the members.
extension CollectionTable {
    /// Writes a response with members.
    func write(_ response: CollectionResponse) throws(PersistenceError) {
        let known = try row(of: response.request)
        switch response.extent {
        case .whole(let isComplete):
            // Members that have not changed are not written again.
            var walk: Int64?
            if let known,
                try keys(of: known.id, page: nil, walk: known.facts.walk.id)
                    == Self.distinct(response.members)
            {
                walk = known.facts.walk.id
            }
            let id = try upsert(response, known, walk: walk, isComplete: isComplete)
            try writePage(
                0, PageFacts(fields: nil, state: nil), of: response, in: id,
                walk: walk ?? response.facts.walk.id)
            guard walk == nil else { return }
            try insertMembers(of: response, page: 0, in: id)
            try run(
                "DELETE FROM \(Self.members) WHERE collection = ?1 AND walk <> ?2",
                [.integer(id), .integer(response.facts.walk.id)])
        case .page(let index, let isFirst, let facts):
            let walk = response.facts.walk.id
            // The pages of a walk that another one has replaced have no effect on the collection, nor
            // have those of a collection that was removed: their walk would seem to be complete.
            if !isFirst, known?.facts.walk.id != walk { return }
            let id = try upsert(response, known, walk: walk, isComplete: false)
            let isRepeated = try write(response, page: index, facts, in: id)
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

    /// Writes a page of a walk, with its members unless they are those of the walk before.
    ///
    /// - Returns: A Boolean value that indicates whether a member is also on a page before.
    private func write(
        _ response: CollectionResponse, page index: Int, _ facts: PageFacts, in collection: Int64
    ) throws(PersistenceError) -> Bool {
        let walk = response.facts.walk.id
        let members = Self.distinct(response.members)
        let written = try writer(of: index, in: collection)
        if let written, !members.isEmpty,
            try keys(of: collection, page: index, walk: written) == members
        {
            try writePage(index, facts, of: response, in: collection, walk: walk, members: written)
            return false
        }
        let isRepeated = try insertMembers(of: response, page: index, in: collection)
        var page = response
        // A page whose members are also on another one does not have all of them in the store.
        if isRepeated { page.facts.validators = CollectionValidators() }
        try writePage(index, facts, of: page, in: collection, walk: walk)
        return isRepeated
    }

    /// Returns the walk that has written the members of a page; `nil` if the page is not stored.
    private func writer(of page: Int, in collection: Int64) throws(PersistenceError) -> Int64? {
        let statement = try PreparedStatement(
            "SELECT members FROM \(Self.pages) WHERE collection = ?1 AND page = ?2", in: database)
        try statement.bind(.integer(collection), at: 1)
        try statement.bind(.integer(Int64(page)), at: 2)
        return try statement.step() ? statement.integer(0) : nil
    }

    /// Writes the row of a collection and returns its key.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - known: The stored row, whose nested entities a page keeps; `nil` if there is none.
    ///   - walk: The walk that has written the members; `nil` for that of the response.
    ///   - isComplete: A Boolean value that indicates whether the list has no more objects.
    /// - Returns: The key.
    /// - Throws: ``PersistenceError`` of the database.
    private func upsert(
        _ response: CollectionResponse, _ known: Row?, walk: Int64?, isComplete: Bool
    ) throws(PersistenceError) -> Int64 {
        let columns = [
            "url", "method", "user", "body", "paged", "version", "fetched_at", "fresh_until",
            "vary", "selection", "document", "complete", "walk", "position", "total", "doubts",
            "nested", "single",
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
        let isPage = if case .page = response.extent { true } else { false }
        let nested = facts.nestedEntities.union(isPage ? known?.facts.nestedEntities ?? [] : [])
        let values: [StoredValue] = [
            .text(facts.version), Self.value(response.fetchedAt), Self.value(facts.freshUntil),
            .text(facts.vary), .text(facts.selection), .text(facts.documentDigest),
            .integer(isComplete ? 1 : 0), .integer(walk ?? facts.walk.id),
            facts.walk.position.map { .data($0) } ?? .null,
            facts.walk.total.map { .integer(Int64($0)) } ?? .null, Self.value(facts.walk.doubts),
            .text(nested.sorted().joined(separator: " ")), .integer(facts.isSingle ? 1 : 0),
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
        _ index: Int, _ page: PageFacts, of response: CollectionResponse, in collection: Int64,
        walk: Int64, members: Int64? = nil
    ) throws(PersistenceError) {
        let facts = response.facts
        try run(
            "INSERT OR REPLACE INTO \(Self.pages) "
                + "(collection, page, url, entity_tag, last_modified, vary, selection, fields, "
                + "state, size, walk, members) "
                + "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
            [
                .integer(collection), .integer(Int64(index)), .text(response.url),
                facts.validators.entityTag.map { .data($0) } ?? .null,
                facts.validators.lastModified.map { .data($0) } ?? .null,
                .text(facts.vary), .text(facts.selection),
                page.fields.map { .text($0) } ?? .null, page.state.map { .data($0) } ?? .null,
                .integer(Int64(Self.distinct(response.members).count)), .integer(walk),
                .integer(members ?? walk),
            ])
    }

    /// Inserts or moves members.
    ///
    /// A member that the walk has seen on another page keeps its place.
    ///
    /// - Returns: A Boolean value that indicates whether there was one.
    @discardableResult
    private func insertMembers(
        of response: CollectionResponse, page: Int, in collection: Int64
    ) throws(PersistenceError) -> Bool {
        let statement = try PreparedStatement(
            """
            INSERT INTO \(Self.members) AS m (collection, key, entity, walk, page, position) \
            VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (key, collection) DO UPDATE SET \
            entity = excluded.entity, walk = excluded.walk, page = excluded.page, \
            position = excluded.position WHERE m.page = excluded.page OR NOT EXISTS \
            (SELECT 1 FROM \(Self.pages) q WHERE q.collection = m.collection AND q.page = m.page \
            AND q.members = m.walk AND q.walk = excluded.walk)
            """, in: database)
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

    /// Returns the keys of the members that a walk has written, in order; of all pages if the page is `nil`.
    private func keys(
        of collection: Int64, page: Int?, walk: Int64
    ) throws(PersistenceError) -> [Int64] {
        let statement = try PreparedStatement(
            "SELECT key FROM \(Self.members) WHERE collection = ?1 AND walk = ?2 "
                + "AND (?3 IS NULL OR page = ?3) ORDER BY page, position", in: database)
        try statement.bind(.integer(collection), at: 1)
        try statement.bind(.integer(walk), at: 2)
        try statement.bind(page.map { .integer(Int64($0)) } ?? .null, at: 3)
        var keys: [Int64] = []
        while try statement.step() { keys.append(statement.integer(0)) }
        return keys
    }

    private static func distinct(_ members: [ManagedObjectID]) -> [Int64] {
        var known: Set<Int64> = []
        return members.map(\.key).filter { known.insert($0).inserted }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The rows of a response: its collection, its page and the members.
extension CollectionTable {
    /// Writes a response with members, unless it is a page of a walk that is as it is stored.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - changesRows: A Boolean value that indicates whether the transaction changes rows, so that a walk is
    ///     noted.
    /// - Returns: The changes of the walks that are held.
    /// - Throws: ``PersistenceError`` of the database.
    func write(
        _ response: CollectionResponse, changesRows: Bool
    ) throws(PersistenceError) -> [CollectionRequest: HeldWalk?] {
        let known = try row(of: response.request)
        switch response.extent {
        case .whole(let isComplete):
            // Members that have not changed are not written again.
            var writer: Int64?
            if let known, let members = try storedPage(0, in: known.id)?.writer,
                try keys(of: known.id, page: 0, walk: members) == Self.distinct(response.members)
            {
                writer = members
            }
            let id = try upsert(response, known, pages: 0..<1, isComplete: isComplete)
            try writePage(
                0, PageFacts(fields: nil, state: nil), of: response, in: id,
                members: writer ?? response.facts.walk.id)
            guard writer == nil else { return [:] }
            try insertMembers(of: response, page: 0, in: id, seen: 0..<0)
            try run(
                "DELETE FROM \(Self.members) WHERE collection = ?1 AND walk <> ?2",
                [.integer(id), .integer(response.facts.walk.id)])
            return [:]
        case .page(let index, let isFirst, let facts):
            return try writePage(
                index, isFirst: isFirst, facts, of: response, over: known,
                changesRows: changesRows)
        }
    }

    /// Returns a stored page: its values as ``values(of:_:isRepeated:)`` returns them, and the walk that has
    /// written its members; `nil` if the page is not stored.
    func storedPage(
        _ page: Int, in collection: Int64
    ) throws(PersistenceError) -> (values: [StoredValue], writer: Int64)? {
        let columns = Self.pageColumns.joined(separator: ", ")
        let statement = try PreparedStatement(
            "SELECT members, \(columns) FROM \(Self.pages) WHERE collection = ?1 AND page = ?2",
            in: database)
        try statement.bind(.integer(collection), at: 1)
        try statement.bind(.integer(Int64(page)), at: 2)
        guard try statement.step() else { return nil }
        return (
            (1...Self.pageColumns.count).map { statement.value($0) }, statement.integer(0)
        )
    }

    /// Returns a Boolean value that indicates whether some pages have all of some members.
    func hasMembers(
        _ keys: [Int64], on pages: Range<Int>, in collection: Int64
    ) throws(PersistenceError) -> Bool {
        let statement = try PreparedStatement(
            "SELECT count(*) FROM \(Self.members) m WHERE m.collection = ?1 AND m.page >= ?2 "
                + "AND m.page < ?3 AND m.key IN (SELECT value FROM json_each(?4)) "
                + "AND \(Self.isOnPage)", in: database)
        try bind(collection, pages, to: statement)
        try statement.bind(RowQuery.list(keys), at: 4)
        guard try statement.step() else { return false }
        return statement.integer(0) == Int64(keys.count)
    }

    /// Writes the row of a collection and returns its key.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - known: The stored row, whose nested entities a page keeps; `nil` if there is none.
    ///   - pages: The confirmed pages.
    ///   - isComplete: A Boolean value that indicates whether the list has no more objects.
    /// - Returns: The key.
    /// - Throws: ``PersistenceError`` of the database.
    func upsert(
        _ response: CollectionResponse, _ known: Row?, pages: Range<Int>, isComplete: Bool
    ) throws(PersistenceError) -> Int64 {
        let columns = [
            "url", "method", "user", "body", "paged", "version", "fetched_at", "fresh_until",
            "vary", "selection", "document", "complete", "walk", "position", "total", "doubts",
            "nested", "depth", "single", "first_page", "end_page", "next_page", "started_at",
        ]
        let updates = columns.dropFirst(5).map { "\($0) = excluded.\($0)" }
        let marks = columns.indices.map { "?\($0 + 1)" }
        let statement = try PreparedStatement(
            "INSERT INTO \(Self.name) (\(columns.joined(separator: ", "))) "
                + "VALUES (\(marks.joined(separator: ", "))) "
                + "ON CONFLICT (url, method, user, body, paged) "
                + "DO UPDATE SET \(updates.joined(separator: ", ")), confirmed_at = NULL "
                + "RETURNING id", in: database)
        try bind(response.request, to: statement)
        let facts = response.facts
        let former = if case .page = response.extent { known?.facts } else { CollectionFacts?.none }
        let nested = facts.nestedEntities.union(former?.nestedEntities ?? [])
        // A walk over pages has the time of its first page.
        let fetchedAt = facts.walk.startedAt ?? response.fetchedAt
        let values: [StoredValue] = [
            .text(facts.version), Self.value(fetchedAt), Self.value(facts.freshUntil),
            .text(facts.vary), .text(facts.selection), .text(facts.documentDigest),
            .integer(isComplete ? 1 : 0), .integer(facts.walk.id),
            facts.walk.position.map { .data($0) } ?? .null,
            facts.walk.total.map { .integer(Int64($0)) } ?? .null,
            Self.value(facts.walk.reasons),
            .text(nested.sorted().joined(separator: " ")),
            .integer(Int64(max(facts.nestingDepth, former?.nestingDepth ?? 0))),
            .integer(facts.isSingle ? 1 : 0), .integer(Int64(pages.lowerBound)),
            .integer(Int64(pages.upperBound)), .integer(Int64(pages.upperBound)),
            Self.value(facts.walk.startedAt),
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

    /// The columns of a page other than its place and the walk that has written its members.
    private static let pageColumns = [
        "url", "entity_tag", "last_modified", "vary", "selection", "fields", "state", "size",
    ]

    /// Returns the values of ``pageColumns``.
    ///
    /// A page whose members are also on another one does not have all of them in the store, so that it has no
    /// validators.
    static func values(
        of page: PageFacts, _ response: CollectionResponse, isRepeated: Bool
    ) -> [StoredValue] {
        let facts = response.facts
        let validators = isRepeated ? CollectionValidators() : facts.validators
        return [
            .text(response.url), validators.entityTag.map { .data($0) } ?? .null,
            validators.lastModified.map { .data($0) } ?? .null, .text(facts.vary),
            .text(facts.selection), page.fields.map { .text($0) } ?? .null,
            page.state.map { .data($0) } ?? .null,
            .integer(Int64(distinct(response.members).count)),
        ]
    }

    func writePage(
        _ index: Int, _ page: PageFacts, of response: CollectionResponse, in collection: Int64,
        members: Int64, isRepeated: Bool = false
    ) throws(PersistenceError) {
        let columns = ["collection", "page", "members"] + Self.pageColumns
        let marks = columns.indices.map { "?\($0 + 1)" }
        try run(
            "INSERT OR REPLACE INTO \(Self.pages) (\(columns.joined(separator: ", "))) "
                + "VALUES (\(marks.joined(separator: ", ")))",
            [.integer(collection), .integer(Int64(index)), .integer(members)]
                + Self.values(of: page, response, isRepeated: isRepeated))
    }

    /// Inserts or moves members.
    ///
    /// A member that the walk has seen on another page keeps its place.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - page: The index of its page.
    ///   - collection: The key of the collection.
    ///   - seen: The pages that the walk has seen before.
    /// - Returns: A Boolean value that indicates whether there was one.
    /// - Throws: ``PersistenceError`` of the database.
    @discardableResult
    func insertMembers(
        of response: CollectionResponse, page: Int, in collection: Int64, seen: Range<Int>
    ) throws(PersistenceError) -> Bool {
        let statement = try PreparedStatement(
            """
            INSERT INTO \(Self.members) AS m (collection, key, entity, walk, page, position) \
            VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (key, collection) DO UPDATE SET \
            entity = excluded.entity, walk = excluded.walk, page = excluded.page, \
            position = excluded.position WHERE m.page = excluded.page OR m.page < ?7 \
            OR m.page >= ?8 OR NOT \(Self.isOnPage)
            """, in: database)
        var isRepeated = false
        var known: Set<Int64> = []
        for (position, id) in response.members.enumerated() where known.insert(id.key).inserted {
            let values: [StoredValue] = [
                .integer(collection), .integer(id.key), .text(id.entityName),
                .integer(response.facts.walk.id), .integer(Int64(page)),
                .integer(Int64(position)), .integer(Int64(seen.lowerBound)),
                .integer(Int64(seen.upperBound)),
            ]
            for (index, value) in values.enumerated() { try statement.bind(value, at: index + 1) }
            if try statement.run() == 0 { isRepeated = true }
        }
        return isRepeated
    }

    /// Returns the keys of the members of a page that a walk has written, in order.
    func keys(
        of collection: Int64, page: Int, walk: Int64
    ) throws(PersistenceError) -> [Int64] {
        let statement = try PreparedStatement(
            "SELECT key FROM \(Self.members) WHERE collection = ?1 AND walk = ?2 "
                + "AND page = ?3 ORDER BY position", in: database)
        try statement.bind(.integer(collection), at: 1)
        try statement.bind(.integer(walk), at: 2)
        try statement.bind(.integer(Int64(page)), at: 3)
        var keys: [Int64] = []
        while try statement.step() { keys.append(statement.integer(0)) }
        return keys
    }

    static func distinct(_ members: [ManagedObjectID]) -> [Int64] {
        var known: Set<Int64> = []
        return members.map(\.key).filter { known.insert($0).inserted }
    }
}

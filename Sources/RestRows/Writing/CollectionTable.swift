// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import GRDB

/// The tables of fetched collections in a file, which are created with the first of them.
package struct CollectionTable {
    static let name = "restkit_collection"
    static let pages = "restkit_collection_page"
    static let members = "restkit_collection_member"

    package let database: Database
    /// The progress of walks that the file does not have yet.
    let heldWalks: HeldWalks

    /// A Boolean value that indicates whether the file has the tables, as this version creates them.
    package var isPresent: Bool {
        get throws(PersistenceError) {
            guard try find("pragma_table_info('\(Self.name)') WHERE name = 'started_at'") else {
                return false
            }
            return try find(
                "pragma_table_info('\(Self.members)') WHERE name = 'position' AND pk > 0")
        }
    }

    /// A Boolean value that indicates whether an earlier version has created the tables.
    var isOutdated: Bool {
        get throws(PersistenceError) {
            if try isPresent { return false }
            return try find("pragma_table_info('\(Self.members)')")
        }
    }

    private func find(_ source: String) throws(PersistenceError) -> Bool {
        try PreparedStatement("SELECT 1 FROM \(source)", in: database).step()
    }

    /// Creates the tables, or changes those of an earlier version.
    ///
    /// The members' columns begin with those of the primary key, in its order: `integrity_check` of
    /// SQLite 3.40 reports others of a table without row IDs as missing values.
    func create() throws {
        let isOutdated = try isOutdated
        if isOutdated { try addColumns() }
        try database.execute(
            sql: """
                CREATE TABLE IF NOT EXISTS \(Self.name) (id INTEGER PRIMARY KEY, \
                user TEXT NOT NULL, method TEXT NOT NULL, url TEXT NOT NULL, \
                body TEXT NOT NULL, paged INTEGER NOT NULL, version TEXT NOT NULL, \
                fetched_at REAL NOT NULL, confirmed_at REAL, fresh_until REAL, vary TEXT NOT NULL, \
                selection TEXT NOT NULL, document TEXT NOT NULL, complete INTEGER NOT NULL, \
                walk INTEGER NOT NULL, position BLOB, total INTEGER, doubts TEXT NOT NULL, \
                nested TEXT, depth INTEGER NOT NULL DEFAULT 0, single INTEGER, \
                first_page INTEGER NOT NULL DEFAULT 0, end_page INTEGER NOT NULL DEFAULT 0, \
                next_page INTEGER NOT NULL DEFAULT 0, started_at REAL, \
                UNIQUE (url, method, user, body, paged)) STRICT; \
                CREATE TABLE IF NOT EXISTS \(Self.pages) (\
                collection INTEGER NOT NULL REFERENCES \(Self.name) (id) ON DELETE CASCADE, \
                page INTEGER NOT NULL, url TEXT NOT NULL, entity_tag BLOB, last_modified BLOB, \
                vary TEXT NOT NULL, selection TEXT NOT NULL, fields TEXT, state BLOB, \
                size INTEGER NOT NULL, members INTEGER, \
                PRIMARY KEY (collection, page)) STRICT, WITHOUT ROWID; \
                CREATE TABLE IF NOT EXISTS \(Self.members) (\
                collection INTEGER NOT NULL REFERENCES \(Self.name) (id) ON DELETE CASCADE, \
                page INTEGER NOT NULL, position INTEGER NOT NULL, key INTEGER NOT NULL, \
                entity TEXT NOT NULL, walk INTEGER NOT NULL, \
                PRIMARY KEY (collection, page, position, key)) STRICT, WITHOUT ROWID; \
                CREATE UNIQUE INDEX IF NOT EXISTS restkit_index_collection_member \
                ON \(Self.members) (key, collection)
                """)
        try CommitMark.create(in: database)
        if isOutdated {
            try database.execute(
                sql: """
                    INSERT INTO \(Self.members) \
                    (collection, key, entity, walk, page, position) \
                    SELECT collection, key, entity, walk, page, position \
                    FROM restkit_collection_member_before; \
                    DROP TABLE restkit_collection_member_before
                    """)
        }
    }

    /// Adds the columns that the tables of an earlier version do not have.
    private func addColumns() throws {
        let hasPages = try find("pragma_table_info('\(Self.name)') WHERE name = 'end_page'")
        let hasWriters = try find("pragma_table_info('\(Self.pages)') WHERE name = 'members'")
        for (table, column, definition) in [
            (Self.name, "confirmed_at", "REAL"), (Self.name, "nested", "TEXT"),
            (Self.name, "depth", "INTEGER NOT NULL DEFAULT 0"), (Self.name, "single", "INTEGER"),
            (Self.name, "first_page", "INTEGER NOT NULL DEFAULT 0"),
            (Self.name, "end_page", "INTEGER NOT NULL DEFAULT 0"),
            (Self.name, "next_page", "INTEGER NOT NULL DEFAULT 0"),
            (Self.name, "started_at", "REAL"), (Self.pages, "members", "INTEGER"),
        ] where try !find("pragma_table_info('\(table)') WHERE name = '\(column)'") {
            try database.execute(sql: "ALTER TABLE \(table) ADD COLUMN \(column) \(definition)")
        }
        if !hasWriters {
            // Pages of an earlier version are those of the last walk, which has written their members.
            try database.execute(
                sql: "UPDATE \(Self.pages) SET members = "
                    + "(SELECT c.walk FROM \(Self.name) c WHERE c.id = collection)")
        }
        if !hasPages {
            let hasWalks = try find("pragma_table_info('\(Self.pages)') WHERE name = 'walk'")
            let seen =
                "FROM \(Self.pages) p WHERE p.collection = \(Self.name).id"
                + (hasWalks ? " AND coalesce(p.walk, \(Self.name).walk) = \(Self.name).walk" : "")
            try database.execute(
                sql: """
                    UPDATE \(Self.name) SET \
                    first_page = coalesce((SELECT min(p.page) \(seen)), 0), \
                    end_page = coalesce((SELECT max(p.page) + 1 \(seen)), 0); \
                    UPDATE \(Self.name) SET next_page = end_page
                    """)
            if hasWalks {
                try database.execute(sql: "ALTER TABLE \(Self.pages) DROP COLUMN walk")
            }
        }
        try database.execute(
            sql: """
                DROP INDEX IF EXISTS restkit_index_collection_member; \
                ALTER TABLE \(Self.members) RENAME TO restkit_collection_member_before
                """)
    }

    // MARK: Reading

    /// A stored collection without its members.
    package struct Row {
        let id: Int64
        package let request: CollectionRequest
        package let fetchedAt: Date
        package let confirmedAt: Date
        package let isComplete: Bool
        /// The confirmed pages.
        let pages: Range<Int>
        /// The last walk, as the file has it.
        let noted: CollectionWalk
        /// The facts, with the progress of the last walk that the file does not have yet.
        package var facts: CollectionFacts

        /// The confirmed pages, with those that the last walk has seen since it was noted.
        var confirmedPages: Range<Int> {
            isComplete || facts.walk.nextPage <= pages.upperBound
                ? pages : pages.lowerBound..<facts.walk.nextPage
        }
    }

    /// The condition that the stored page of a member `m` contains it: the walk of `m` has written the members
    /// of the page.
    static let isOnPage = """
        EXISTS (SELECT 1 FROM \(pages) q WHERE q.collection = m.collection AND q.page = m.page \
        AND q.members = m.walk)
        """

    /// The condition that a member `m` of a collection `c` is confirmed: the last walk has seen its page, or
    /// has found the pages before unchanged.
    static let isConfirmed =
        "m.page >= c.first_page AND m.page < c.end_page AND \(isOnPage)"

    /// The time at which the server has sent or confirmed a collection.
    static let confirmation = "coalesce(c.confirmed_at, c.fetched_at)"

    private static let columns = """
        c.id, c.user, c.method, c.url, c.body, c.paged, c.version, c.fetched_at, c.fresh_until, \
        c.vary, c.selection, c.document, c.complete, c.walk, c.position, c.total, c.doubts, \
        p.entity_tag, p.last_modified, \(confirmation), c.nested, c.single, c.first_page, c.end_page, c.next_page, c.started_at, \
        c.depth
        """
    /// A list in pages has validators of its pages only.
    private static let source =
        "\(name) c LEFT JOIN \(pages) p ON p.collection = c.id AND p.page = 0 AND NOT c.paged"

    package func row(of request: CollectionRequest) throws(PersistenceError) -> Row? {
        let statement = try PreparedStatement(
            "SELECT \(Self.columns) FROM \(Self.source) WHERE c.url = ?1 AND c.method = ?2 "
                + "AND c.user = ?3 AND c.body = ?4 AND c.paged = ?5", in: database)
        try bind(request, to: statement)
        return try statement.step() ? row(statement) : nil
    }

    /// Returns all collections, the one that was confirmed longest ago first.
    package func rows() throws(PersistenceError) -> [Row] {
        let statement = try PreparedStatement(
            "SELECT \(Self.columns) FROM \(Self.source) ORDER BY \(Self.confirmation), c.id",
            in: database)
        var rows: [Row] = []
        while try statement.step() { rows.append(row(statement)) }
        return rows
    }

    func bind(
        _ request: CollectionRequest, to statement: borrowing PreparedStatement
    ) throws(PersistenceError) {
        try statement.bind(.text(request.url), at: 1)
        try statement.bind(.text(request.method), at: 2)
        try statement.bind(.text(request.user), at: 3)
        try statement.bind(.text(request.bodyDigest), at: 4)
        try statement.bind(.integer(request.isPaged ? 1 : 0), at: 5)
    }

    private func row(_ statement: borrowing PreparedStatement) -> Row {
        let isPaged = statement.integer(5) != 0
        var facts = CollectionFacts()
        facts.version = statement.value(6).collectionText
        facts.freshUntil = statement.value(8).collectionDate
        facts.vary = statement.value(9).collectionText
        facts.selection = statement.value(10).collectionText
        facts.documentDigest = statement.value(11).collectionText
        facts.walk = CollectionWalk(id: statement.integer(13))
        facts.walk.position = statement.value(14).collectionData
        if case .integer(let total) = statement.value(15) { facts.walk.total = Int(total) }
        facts.walk.reasons = Set(
            statement.value(16).collectionText.split(separator: " ").map {
                IncompletenessReason(rawValue: String($0))
            })
        facts.walk.nextPage = Int(statement.integer(24))
        facts.walk.startedAt = statement.value(25).collectionDate
        facts.validators = CollectionValidators(
            entityTag: statement.value(17).collectionData,
            lastModified: statement.value(18).collectionData)
        facts.nestedEntities = Set(
            statement.value(20).collectionText.split(separator: " ").map(String.init))
        facts.nestingDepth = Int(statement.integer(26))
        facts.isSingle = statement.value(21) == .integer(1)
        let request = CollectionRequest(
            method: statement.value(2).collectionText, url: statement.value(3).collectionText,
            isPaged: isPaged, bodyDigest: statement.value(4).collectionText,
            user: statement.value(1).collectionText)
        let noted = facts.walk
        if let held = heldWalks.walk(of: request, after: noted) { facts.walk = held }
        let first = Int(statement.integer(22))
        return Row(
            id: statement.integer(0), request: request,
            fetchedAt: statement.value(7).collectionDate ?? .distantPast,
            confirmedAt: statement.value(19).collectionDate ?? .distantPast,
            isComplete: statement.integer(12) != 0,
            pages: first..<max(first, Int(statement.integer(23))), noted: noted, facts: facts)
    }
}

extension StoredValue {
    var collectionText: String { if case .text(let text) = self { text } else { "" } }

    var collectionData: Data? { if case .data(let data) = self { data } else { nil } }

    var collectionDate: Date? {
        if case .double(let seconds) = self { Date(timeIntervalSince1970: seconds) } else { nil }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB

/// The pages of lists, and the rows that lists have lost.
extension MirrorTables {
    /// The number of the page with the rows that walks of changes have found, and that no page of the last full
    /// walk has.
    static let changesPage = -1

    // MARK: Pages

    /// The columns of a page, in a query that names the table `p`.
    static let pageColumns = """
        p.position, p.request, p.entity_tag, p.last_modified, p.digest, p.next, p.records, p.keys, p.url, \
        (SELECT base FROM \(runs) WHERE id = p.run) AS base
        """

    /// Returns a page of a list; `nil` if there is none.
    func page(_ page: Int, of list: Int64) throws -> StoredListPage? {
        let statement = try database.cachedStatement(
            sql: "SELECT \(Self.pageColumns) FROM \(Self.pages) AS p WHERE list = ? AND page = ?")
        return try Row.fetchOne(statement, arguments: [list, page]).flatMap(StoredListPage.init)
    }

    /// Stores a page, and notes the rows that it has lost and gained.
    ///
    /// - Parameters:
    ///   - page: The page.
    ///   - number: Its number.
    ///   - list: Its list.
    ///   - notesMissing: A Boolean value that indicates whether the rows that it loses are noted.
    ///   - run: The run that stores it.
    /// - Throws: The error of the database.
    func store(
        _ page: StoredListPage, _ number: Int, of list: Int64, notesMissing: Bool, in run: MirrorRun
    ) throws {
        if notesMissing {
            let old = try self.page(number, of: list)?.keys ?? []
            let new = Set(page.keys)
            try addMissing(old.filter { !new.contains($0) }, of: list)
            let known = Set(old)
            try removeMissing(page.keys.filter { !known.contains($0) }, of: list)
        }
        try database.cachedStatement(
            sql: "INSERT OR REPLACE INTO \(Self.pages) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        ).execute(arguments: [
            list, number, page.position.text, Data(page.request), page.entityTag,
            page.lastModified, Data(page.digest), page.next?.text, page.recordCount,
            Data(KeyList.encode(page.keys)), RelativeURL.text(of: page.url, below: run.base),
            try self.number(of: run),
        ])
    }

    /// Adds rows to those that walks of changes have found.
    ///
    /// A row that another page has is not added.
    func addChanged(_ keys: [Int64], to list: Int64, in run: MirrorRun) throws {
        try removeMissing(keys, of: list)
        let old = Set(try page(Self.changesPage, of: list)?.keys ?? [])
        var new = Set(keys).subtracting(old)
        if new.isEmpty { return }
        let cursor = try Row.fetchCursor(
            database, sql: "SELECT keys FROM \(Self.pages) WHERE list = ? AND page >= 0",
            arguments: [list])
        while !new.isEmpty, let row = try cursor.next() {
            new.subtract(KeyList.decode(row["keys"] as Data))
        }
        if new.isEmpty { return }
        let page = StoredListPage(
            position: .first, request: [], digest: [], recordCount: 0, keys: Array(old.union(new)))
        try store(page, Self.changesPage, of: list, notesMissing: false, in: run)
    }

    /// Removes the pages of a list from a number on, and those that walks of changes have found, and notes their
    /// rows as missing.
    func removePages(from number: Int, of list: Int64, notesMissing: Bool) throws {
        let query = try database.cachedStatement(
            sql: "SELECT page FROM \(Self.pages) WHERE list = ? AND (page >= ? OR page < 0)")
        let numbers = try Int.fetchAll(query, arguments: [list, number])
        try removeQuarantine(ofPagesFrom: number, of: list)
        let removal = try database.cachedStatement(
            sql: "DELETE FROM \(Self.pages) WHERE list = ? AND page = ?")
        for number in numbers {
            if notesMissing { try addMissing(page(number, of: list)?.keys ?? [], of: list) }
            try removal.execute(arguments: [list, number])
        }
    }

    /// Returns the number of pages from a number on.
    func pageCount(from number: Int, of list: Int64) throws -> Int {
        let statement = try database.cachedStatement(
            sql: "SELECT count(*) FROM \(Self.pages) WHERE list = ? AND (page >= ? OR page < 0)")
        return try Int.fetchOne(statement, arguments: [list, number]) ?? 0
    }

    /// Removes the validators and digests of all pages, which are then read again.
    func removeValidators() throws {
        try database.execute(
            sql: "UPDATE \(Self.pages) SET entity_tag = NULL, last_modified = NULL, digest = x''")
    }

    /// Notes that rows were deleted that pages can list.
    func addGone(_ keys: [Int64]) throws {
        if keys.isEmpty { return }
        let statement = try database.cachedStatement(
            sql: "INSERT OR IGNORE INTO \(Self.gone) VALUES (?)")
        for key in keys { try statement.execute(arguments: [key]) }
    }

    /// A Boolean value that indicates whether rows were deleted that pages can list.
    var hasGone: Bool {
        get throws {
            try Int.fetchOne(database, sql: "SELECT 1 FROM \(Self.gone) LIMIT 1") != nil
        }
    }

    /// Removes the validators of the pages that list rows which were deleted.
    ///
    /// A server that still lists such a row, or lists it again, has not changed its page, so that the page would be
    /// confirmed and the row would stay away.
    func removeValidatorsOfGone() throws {
        let gone = Set(try Int64.fetchAll(database, sql: "SELECT key FROM \(Self.gone)"))
        if gone.isEmpty { return }
        let rows = try Row.fetchCursor(
            database, sql: "SELECT list, page, keys FROM \(Self.pages) WHERE digest <> x''")
        var pages: [(list: Int64, page: Int64)] = []
        while let row = try rows.next() {
            if KeyList.decode(row["keys"] as Data).contains(where: gone.contains) {
                pages.append((row["list"], row["page"]))
            }
        }
        let statement = try database.cachedStatement(
            sql: "UPDATE \(Self.pages) SET entity_tag = NULL, last_modified = NULL, digest = x'' "
                + "WHERE list = ? AND page = ?")
        for (list, page) in pages { try statement.execute(arguments: [list, page]) }
        try database.execute(sql: "DELETE FROM \(Self.gone)")
    }

    /// Calls a closure with the keys of each page of the lists of a resource.
    func forEachPage(of resource: String, _ body: ([Int64]) throws -> Void) throws {
        let cursor = try Row.fetchCursor(
            database,
            sql: "SELECT keys FROM \(Self.pages) WHERE list IN (\(Self.listsOfResource))",
            arguments: [resource])
        while let row = try cursor.next() {
            try body(KeyList.decode(row["keys"] as Data))
        }
    }

    // MARK: Missing rows

    private func addMissing(_ keys: [Int64], of list: Int64) throws {
        if keys.isEmpty { return }
        let statement = try database.cachedStatement(
            sql: "INSERT OR IGNORE INTO \(Self.missing) (list, key) VALUES (?, ?)")
        for key in keys { try statement.execute(arguments: [list, key]) }
    }

    /// Forgets that rows are missing in a list.
    func removeMissing(_ keys: [Int64], of list: Int64) throws {
        guard !keys.isEmpty, try hasMissing(in: list) else { return }
        let statement = try database.cachedStatement(
            sql: "DELETE FROM \(Self.missing) WHERE list = ? AND key = ?")
        for key in keys { try statement.execute(arguments: [list, key]) }
    }

    /// Returns a Boolean value that indicates whether a list has lost rows.
    func hasMissing(in list: Int64) throws -> Bool {
        let statement = try database.cachedStatement(
            sql: "SELECT 1 FROM \(Self.missing) WHERE list = ? LIMIT 1")
        return try Int.fetchOne(statement, arguments: [list]) != nil
    }

    /// Returns a Boolean value that indicates whether a list has lost rows that the server may still have.
    func hasUnprovenMissing(in list: Int64) throws -> Bool {
        let statement = try database.cachedStatement(
            sql: "SELECT 1 FROM \(Self.missing) WHERE list = ? AND proven = 0 LIMIT 1")
        return try Int.fetchOne(statement, arguments: [list]) != nil
    }

    /// Notes that the server does not have the rows that a list has lost.
    func markMissingProven(in list: Int64) throws {
        try database.cachedStatement(
            sql: "UPDATE \(Self.missing) SET proven = 1 WHERE list = ? AND proven = 0"
        ).execute(arguments: [list])
    }

    /// Returns the keys of the rows that lists of a resource have lost and the server does not have.
    func provenMissing(of resource: String) throws -> [Int64] {
        try Int64.fetchAll(
            database,
            sql: "SELECT DISTINCT key FROM \(Self.missing) WHERE proven = 1 AND list IN "
                + "(\(Self.listsOfResource)) ORDER BY key",
            arguments: [resource])
    }

    /// Returns the keys of the rows that lists of a resource have lost, of those lists of which the server may
    /// still have some.
    func possiblyLost(of resource: String) throws -> [Int64] {
        try Int64.fetchAll(
            database,
            sql: "SELECT DISTINCT key FROM \(Self.missing) WHERE list IN "
                + "(SELECT list FROM \(Self.missing) WHERE proven = 0) "
                + "AND list IN (\(Self.listsOfResource))", arguments: [resource])
    }

    /// Returns the keys of the rows that a list has lost.
    func missing(in list: Int64) throws -> [Int64] {
        try Int64.fetchAll(
            database, sql: "SELECT key FROM \(Self.missing) WHERE list = ? ORDER BY key",
            arguments: [list])
    }

    /// Forgets that rows are missing in the lists of a resource.
    func removeMissing(_ keys: [Int64], of resource: String) throws {
        let statement = try database.cachedStatement(
            sql: "DELETE FROM \(Self.missing) WHERE key = ?2 AND list IN (\(Self.listsOfResource))")
        for key in keys { try statement.execute(arguments: [resource, key]) }
    }

    /// Forgets the rows that a list has lost and that one of its pages has.
    func settleMissing(in list: Int64) throws {
        guard try hasMissing(in: list) else { return }
        var missing = Set(try self.missing(in: list))
        let cursor = try Row.fetchCursor(
            database, sql: "SELECT keys FROM \(Self.pages) WHERE list = ?", arguments: [list])
        var found: [Int64] = []
        while let row = try cursor.next() {
            for key in KeyList.decode(row["keys"] as Data) where missing.remove(key) != nil {
                found.append(key)
            }
        }
        try removeMissing(found, of: list)
    }

    // MARK: Walks

    /// Returns the progress of a walk; `nil` if the list has none.
    func walk(of list: Int64) throws -> WalkState? {
        let statement = try database.cachedStatement(
            sql:
                "SELECT page, position, start, \"end\", high, started_at, records FROM \(Self.walks) "
                + "WHERE list = ?")
        guard let row = try Row.fetchOne(statement, arguments: [list]),
            let position = PagePosition(text: row["position"])
        else { return nil }
        return WalkState(
            page: row["page"], position: position, start: row["start"], end: row["end"],
            high: row["high"],
            startedAt: row["started_at"], recordCount: row["records"])
    }

    /// Stores the progress of a walk.
    func store(_ walk: WalkState, of list: Int64) throws {
        try database.cachedStatement(
            sql: "INSERT OR REPLACE INTO \(Self.walks) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
        ).execute(arguments: [
            list, walk.page, walk.position.text, walk.start, walk.end, walk.high, walk.startedAt,
            walk.recordCount,
        ])
    }

    /// Removes the progress of a walk.
    func removeWalk(of list: Int64) throws {
        try database.cachedStatement(sql: "DELETE FROM \(Self.walks) WHERE list = ?")
            .execute(arguments: [list])
    }
}

extension StoredListPage {
    /// Creates a page from a row with the columns of a page; `nil` if it has none.
    init?(_ row: Row) {
        guard let text: String = row["position"], let position = PagePosition(text: text) else {
            return nil
        }
        self.init(
            position: position, request: Array(row["request"] as Data),
            entityTag: row["entity_tag"], lastModified: row["last_modified"],
            digest: Array(row["digest"] as Data),
            next: (row["next"] as String?).flatMap { PagePosition(text: $0) },
            recordCount: row["records"], keys: KeyList.decode(row["keys"] as Data),
            url: RelativeURL.url(row["url"], below: row["base"]))
    }
}

/// The text of a URL without that of the base URL, which many pages share.
enum RelativeURL {
    static func text(of url: String, below base: String) -> String {
        guard url.hasPrefix(base) else { return url }
        let rest = url.dropFirst(base.count)
        return isAbsolute(rest) ? url : String(rest)
    }

    static func url(_ text: String, below base: String?) -> String {
        isAbsolute(text) ? text : (base ?? "") + text
    }

    private static func isAbsolute(_ text: some StringProtocol) -> Bool { text.hasPrefix("http") }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB

/// The lists of resources.
///
/// A resource can have a list for each of a million parents. A row therefore has the number of its resource and
/// not its name, and its key is the only index.
extension MirrorTables {
    /// The condition for lists of the resource with a name, the first argument.
    static let isOfResource =
        "resource = (SELECT id FROM \(resources) WHERE name = ?1)"
    /// The query of the numbers of the lists of the resource with a name, the first argument.
    static let listsOfResource = "SELECT id FROM \(lists) WHERE \(isOfResource)"

    private static let listColumns = "l.id, l.cursor, l.complete, l.parent_digest, l.walked_at"

    /// Returns the state of a list, with its walk and its first page; a new list if the file has none.
    func storedList(_ resource: String, of parent: String) throws -> StoredList {
        let statement = try database.cachedStatement(
            sql: """
                SELECT \(Self.listColumns), \
                (SELECT max(page) FROM \(Self.pages) WHERE list = l.id) AS last_page, \
                EXISTS (SELECT 1 FROM \(Self.pages) WHERE list = l.id AND page < 0) AS changed, \
                EXISTS (SELECT 1 FROM \(Self.missing) WHERE list = l.id AND proven = 0) AS missing, \
                EXISTS (SELECT 1 FROM \(Self.walks) WHERE list = l.id) AS has_walk, \
                \(Self.pageColumns) FROM \(Self.lists) AS l \
                LEFT JOIN \(Self.pages) AS p ON p.list = l.id AND p.page = 0 \
                WHERE l.\(Self.isOfResource) AND l.parent = ?2
                """)
        var list = StoredList(state: ListState(resource, of: parent))
        guard let row = try Row.fetchOne(statement, arguments: [resource, parent]) else {
            return list
        }
        list.state.take(row)
        list.lastPage = row["last_page"]
        list.hasChangedRows = row["changed"]
        list.hasUnprovenMissing = row["missing"]
        if row["has_walk"], let id = list.state.id { list.walk = try walk(of: id) }
        if list.lastPage != nil { list.firstPage = StoredListPage(row) }
        return list
    }

    /// Stores the state of a list, and returns its number; an equal state writes nothing.
    func store(_ list: ListState) throws -> Int64 {
        let digest = list.parentDigest.map { Data($0) }
        if list.id == nil, try number(of: list) == nil {
            let id = try nextListNumber()
            try database.cachedStatement(
                sql: "INSERT INTO \(Self.lists) VALUES (?, ?, ?, ?, ?, ?, ?)"
            ).execute(arguments: [
                try number(ofResource: list.resource), list.parent, id, list.cursor,
                list.isComplete, digest, list.walkedAt,
            ])
            return id
        }
        try database.cachedStatement(
            sql: """
                UPDATE \(Self.lists) SET cursor = ?3, complete = ?4, parent_digest = ?5, walked_at = ?6 \
                WHERE \(Self.isOfResource) AND parent = ?2 \
                AND (cursor, complete, parent_digest, walked_at) IS NOT (?3, ?4, ?5, ?6)
                """
        ).execute(arguments: [
            list.resource, list.parent, list.cursor, list.isComplete, digest, list.walkedAt,
        ])
        return try list.id ?? number(of: list) ?? 0
    }

    /// Returns the number of a list that the file has; `nil` for a new one.
    private func number(of list: ListState) throws -> Int64? {
        try Int64.fetchOne(
            database.cachedStatement(sql: Self.listsOfResource + " AND parent = ?2"),
            arguments: [list.resource, list.parent])
    }

    private func nextListNumber() throws -> Int64 {
        let statement = try database.cachedStatement(
            sql: "INSERT INTO \(Self.facts) VALUES (?, '1') ON CONFLICT (name) "
                + "DO UPDATE SET value = CAST(value AS INTEGER) + 1 RETURNING value")
        return try Int64.fetchAll(statement, arguments: [Self.listFact]).first ?? 0
    }

    private func number(ofResource name: String) throws -> Int64? {
        let query = try database.cachedStatement(
            sql: "SELECT id FROM \(Self.resources) WHERE name = ?")
        if let number = try Int64.fetchOne(query, arguments: [name]) { return number }
        try database.cachedStatement(sql: "INSERT INTO \(Self.resources) (name) VALUES (?)")
            .execute(arguments: [name])
        return database.lastInsertedRowID
    }

    /// Returns the numbers of the lists of a resource.
    func lists(of resource: String) throws -> [Int64] {
        try Int64.fetchAll(
            database, sql: Self.listsOfResource + " ORDER BY id", arguments: [resource])
    }

    /// Removes lists of a resource with their pages and walks.
    func removeLists(_ lists: [Int64], of resource: String) throws {
        for table in [Self.pages, Self.walks, Self.missing, Self.quarantine] {
            let statement = try database.cachedStatement(
                sql: "DELETE FROM \(table) WHERE list = ?")
            for list in lists { try statement.execute(arguments: [list]) }
        }
        // One scan of the lists, which have no index by number.
        let numbers = "[" + lists.map(String.init).joined(separator: ",") + "]"
        try database.execute(
            sql: "DELETE FROM \(Self.lists) WHERE \(Self.isOfResource) "
                + "AND id IN (SELECT value FROM json_each(?2))",
            arguments: [resource, numbers])
    }
}

extension ListState {
    fileprivate mutating func take(_ row: Row) {
        id = row["id"]
        cursor = row["cursor"]
        isComplete = row["complete"]
        parentDigest = (row["parent_digest"] as Data?).map { Array($0) }
        walkedAt = row["walked_at"]
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB

/// The tables with the state of a mirror, in the file of its rows.
///
/// | table | holds |
/// |---|---|
/// | `restkit_mirror` | the definition, and what else the mirror has once |
/// | `restkit_mirror_resource` | the numbers of resources |
/// | `restkit_mirror_list` | a row for each list: its cursor and its completeness |
/// | `restkit_mirror_page` | the validators, the digest and the rows of each page |
/// | `restkit_mirror_walk` | the position of each walk that has not reached its end |
/// | `restkit_mirror_missing` | the rows that a list has lost, until their deletion is proven |
/// | `restkit_mirror_gone` | the rows that records or the deletion of other rows have deleted, until the pages that list them are to be read again |
/// | `restkit_mirror_budget` | the requests that count for the windows of budgets |
/// | `restkit_mirror_run` | the runs that have written something |
/// | `restkit_quarantine` | the values that the schema has no place for |
///
/// The state is written in the transaction of the rows that it is about.
struct MirrorTables {
    /// The name of the value with the definition.
    static let definitionFact = "definition"

    /// The name of the value with the URL from which the definition was inferred.
    static let originFact = "origin"
    /// The name of the value with the definition before its completion.
    static let sourceFact = "source"

    /// The name of the value with the number of the last list.
    static let listFact = "list"

    static let facts = "restkit_mirror"
    static let resources = "restkit_mirror_resource"
    static let lists = "restkit_mirror_list"
    static let pages = "restkit_mirror_page"
    static let walks = "restkit_mirror_walk"
    static let missing = "restkit_mirror_missing"
    static let gone = "restkit_mirror_gone"

    let database: Database

    /// A Boolean value that indicates whether the file has the state of a mirror.
    var isPresent: Bool { get throws { try database.tableExists(Self.facts) } }

    /// A Boolean value that indicates whether the file has all tables, also those that earlier versions lack.
    var isComplete: Bool {
        get throws { try isPresent && database.tableExists(Self.budgets) }
    }

    /// Creates the tables that are missing.
    func create() throws {
        try database.execute(
            sql: """
                CREATE TABLE IF NOT EXISTS \(Self.facts) (name TEXT NOT NULL PRIMARY KEY, \
                value TEXT NOT NULL) STRICT, WITHOUT ROWID; \
                CREATE TABLE IF NOT EXISTS \(Self.resources) (id INTEGER PRIMARY KEY, \
                name TEXT NOT NULL UNIQUE) STRICT; \
                CREATE TABLE IF NOT EXISTS \(Self.lists) (resource INTEGER NOT NULL, \
                parent TEXT NOT NULL, id INTEGER NOT NULL, cursor TEXT, \
                complete INTEGER NOT NULL, parent_digest BLOB, walked_at INTEGER, \
                PRIMARY KEY (resource, parent)) STRICT, WITHOUT ROWID; \
                CREATE TABLE IF NOT EXISTS \(Self.pages) (list INTEGER NOT NULL, \
                page INTEGER NOT NULL, position TEXT NOT NULL, request BLOB NOT NULL, \
                entity_tag TEXT, last_modified TEXT, digest BLOB NOT NULL, next TEXT, \
                records INTEGER NOT NULL, keys BLOB NOT NULL, url TEXT NOT NULL, \
                run INTEGER NOT NULL, PRIMARY KEY (list, page)) STRICT, WITHOUT ROWID; \
                CREATE TABLE IF NOT EXISTS \(Self.budgets) (id INTEGER PRIMARY KEY, \
                budget TEXT NOT NULL, process TEXT NOT NULL, date REAL NOT NULL, \
                requests INTEGER NOT NULL, open INTEGER NOT NULL) STRICT; \
                CREATE TABLE IF NOT EXISTS \(Self.gone) (key INTEGER PRIMARY KEY) STRICT; \
                CREATE TABLE IF NOT EXISTS \(Self.runs) (id INTEGER PRIMARY KEY, \
                token TEXT NOT NULL UNIQUE, base TEXT NOT NULL, started_at REAL NOT NULL, \
                finished_at REAL, \
                complete INTEGER, requests INTEGER, inserted INTEGER, updated INTEGER, \
                deleted INTEGER) STRICT; \
                CREATE TABLE IF NOT EXISTS \(Self.quarantine) (id INTEGER PRIMARY KEY, \
                resource TEXT NOT NULL, list INTEGER NOT NULL, page INTEGER NOT NULL, \
                element INTEGER NOT NULL, entity TEXT NOT NULL, identity TEXT, \
                path TEXT NOT NULL, expected TEXT NOT NULL, value TEXT, run INTEGER NOT NULL) \
                STRICT; \
                CREATE INDEX IF NOT EXISTS restkit_index_quarantine_page \
                ON \(Self.quarantine) (list, page); \
                CREATE INDEX IF NOT EXISTS restkit_index_quarantine_identity \
                ON \(Self.quarantine) (list, identity); \
                CREATE INDEX IF NOT EXISTS restkit_index_quarantine_resource \
                ON \(Self.quarantine) (resource); \
                CREATE TABLE IF NOT EXISTS \(Self.walks) (list INTEGER PRIMARY KEY, \
                page INTEGER NOT NULL, position TEXT NOT NULL, start TEXT, \"end\" TEXT, high TEXT, \
                started_at INTEGER, records INTEGER NOT NULL) STRICT; \
                CREATE TABLE IF NOT EXISTS \(Self.missing) (list INTEGER NOT NULL, \
                key INTEGER NOT NULL, proven INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (list, key)) \
                STRICT, WITHOUT ROWID
                """)
    }

    // MARK: Facts

    /// Returns a value that the mirror has once; `nil` if it has none.
    func fact(_ name: String) throws -> String? {
        guard try isPresent else { return nil }
        return try String.fetchOne(
            database, sql: "SELECT value FROM \(Self.facts) WHERE name = ?", arguments: [name])
    }

    /// Sets a value that the mirror has once; an equal value writes nothing.
    func setFact(_ name: String, _ value: String) throws {
        try database.execute(
            sql: "INSERT INTO \(Self.facts) VALUES (?1, ?2) "
                + "ON CONFLICT (name) DO UPDATE SET value = ?2 WHERE value IS NOT ?2",
            arguments: [name, value])
    }

    /// Returns the position that the lists of a resource share.
    func sharedCursor(of resource: String) throws -> SharedCursor {
        SharedCursor(
            start: try fact("cursor start " + resource), high: try fact("cursor high " + resource))
    }

    /// Stores the position that the lists of a resource share.
    func store(_ cursor: SharedCursor, of resource: String) throws {
        if let start = cursor.start { try setFact("cursor start " + resource, start) }
        if let high = cursor.high { try setFact("cursor high " + resource, high) }
    }
}

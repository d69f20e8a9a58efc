// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB

/// The rows that an outbox writes for edits of contacts, written by the statements alone.
///
/// It shows what the tables cost, whoever writes them: no object, mapping or decision is between the statements.
struct OutboxRows {
    private let database: DatabasePool
    private let count: Int

    /// Creates a file with contacts and the tables of an outbox.
    init(_ directory: PassDirectory, count: Int) throws {
        self.count = count
        var configuration = Configuration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = NORMAL") }
        database = try DatabasePool(
            path: directory.database.path(percentEncoded: false), configuration: configuration)
        try database.write { database in
            try database.execute(sql: Self.schema)
            let insertion = try database.makeStatement(
                sql: "INSERT INTO contact VALUES (?, ?, ?, NULL, ?, 0)")
            for number in 1...count {
                try insertion.execute(arguments: [
                    number, number, "Contact \(number)", "https://example.com/\(number).png",
                ])
            }
        }
    }

    /// Changes the names of all contacts, and adds an entry for each.
    func edit() throws {
        try database.write { database in
            let keys = "[" + (1...count).map(String.init).joined(separator: ",") + "]"
            let update = try database.makeStatement(
                sql: "UPDATE contact SET name = ? WHERE key = ?")
            for number in 1...count {
                try update.execute(arguments: ["Contact \(number)!", number])
            }
            try database.execute(
                sql: """
                    INSERT INTO edit (key, entity, identity) SELECT k.value, 'Contact', c.id \
                    FROM json_each(?) k CROSS JOIN contact c ON c.key = k.value
                    """, arguments: [keys])
            try database.execute(
                sql: """
                    INSERT INTO entry (sequence, key, entity, kind, created, state, save) \
                    SELECT 1 + k.key, k.value, 'Contact', 'update', 0.5, 'waiting', 1 \
                    FROM json_each(?) k
                    """, arguments: [keys])
            let base = try database.makeStatement(
                sql: "INSERT INTO base (key, entity, property, value) VALUES (?, ?, ?, ?)")
            for number in 1...count {
                try base.execute(arguments: [number, "Contact", "name", "Contact \(number)"])
            }
        }
    }

    /// Writes the attempt of each entry, and its end, with a transaction of each kind for several entries.
    func send(_ groupCount: Int) throws {
        for first in stride(from: 1, through: count, by: groupCount) {
            let numbers = first..<min(first + groupCount, count + 1)
            try database.write { database in
                for number in numbers { try begin(number, in: database) }
            }
            try database.write { database in
                for number in numbers { try end(number, in: database) }
            }
        }
    }

    private func begin(_ number: Int, in database: Database) throws {
        for sql in [
            "SELECT * FROM edit WHERE key = ?", "SELECT * FROM base WHERE key = ?",
            "SELECT * FROM entry WHERE key = ?", "SELECT * FROM contact WHERE key = ?",
        ] {
            _ = try Row.fetchAll(database.cachedStatement(sql: sql), arguments: [number])
        }
        try database.cachedStatement(
            sql: """
                UPDATE entry SET state = 'sending', closed = 1, "values" = ? WHERE sequence = ?
                """
        ).execute(arguments: ["{\"name\":\"Contact \(number)!\"}", number])
        try database.cachedStatement(
            sql: "INSERT INTO attempt VALUES (?, ?, 'PATCH', ?, ?, ?, NULL, 0, 0.5, 0.5, 1, NULL)"
        ).execute(arguments: [
            number, count + number, "http://127.0.0.1:9/accepted/\(number)",
            "{\"Content-Type\":\"application/json\"}",
            Data("{\"name\":\"Contact \(number)!\"}".utf8),
        ])
    }

    private func end(_ number: Int, in database: Database) throws {
        for sql in [
            "SELECT * FROM edit WHERE key = ?", "SELECT * FROM base WHERE key = ?",
            "SELECT * FROM entry WHERE key = ?", "SELECT * FROM attempt WHERE entry = ?",
            "SELECT * FROM contact WHERE key = ?",
        ] {
            _ = try Row.fetchAll(database.cachedStatement(sql: sql), arguments: [number])
        }
        for sql in [
            "DELETE FROM attempt WHERE entry = ?", "DELETE FROM entry WHERE sequence = ?",
            "DELETE FROM base WHERE key = ?", "UPDATE edit SET needs_reading = 1 WHERE key = ?",
        ] {
            try database.cachedStatement(sql: sql).execute(arguments: [number])
        }
        try database.cachedStatement(
            sql: "INSERT INTO outcome VALUES (?, ?, 'Contact', 'update', 'accepted', 204, 0.5)"
        ).execute(arguments: [number, number])
    }

    func entryCount() throws -> Int {
        try database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM entry") ?? 0 }
    }

    private static let schema = """
        CREATE TABLE contact (key INTEGER PRIMARY KEY, id INTEGER NOT NULL UNIQUE, \
        name TEXT NOT NULL, email TEXT, "avatarUrl" TEXT NOT NULL, verified INTEGER NOT NULL) STRICT; \
        CREATE TABLE edit (key INTEGER PRIMARY KEY, entity TEXT NOT NULL, identity ANY, \
        version ANY, quiet_until REAL, revival_end REAL, needs_reading INTEGER NOT NULL DEFAULT 0, \
        predecessor INTEGER, "row" TEXT) STRICT; \
        CREATE TABLE base (key INTEGER NOT NULL, entity TEXT NOT NULL, property TEXT NOT NULL, \
        value ANY, known INTEGER NOT NULL DEFAULT 1, cleared INTEGER, \
        PRIMARY KEY (key, property)) STRICT, WITHOUT ROWID; \
        CREATE TABLE entry (sequence INTEGER PRIMARY KEY, key INTEGER NOT NULL, \
        entity TEXT NOT NULL, kind TEXT NOT NULL, principal TEXT, created REAL NOT NULL, \
        state TEXT NOT NULL, detail INTEGER, closed INTEGER NOT NULL DEFAULT 0, "values" TEXT, \
        not_before REAL, failures INTEGER NOT NULL DEFAULT 0, conflicts INTEGER NOT NULL DEFAULT 0, \
        may_exist INTEGER NOT NULL DEFAULT 0, remainder INTEGER NOT NULL DEFAULT 0, existing ANY, \
        command TEXT, expires REAL, problem BLOB, save INTEGER) STRICT; \
        CREATE INDEX index_entry ON entry (key, sequence); \
        CREATE INDEX index_deletion ON entry (key) WHERE kind = 'deletion'; \
        CREATE INDEX index_edit ON edit (entity, identity); \
        CREATE TABLE attempt (entry INTEGER PRIMARY KEY REFERENCES entry (sequence) \
        ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED, number INTEGER NOT NULL, \
        method TEXT NOT NULL, url TEXT NOT NULL, fields TEXT NOT NULL, body BLOB NOT NULL, \
        idempotency_key TEXT, conditional INTEGER NOT NULL, first_sent REAL NOT NULL, \
        last_sent REAL NOT NULL, sends INTEGER NOT NULL, last_uncertain REAL) STRICT; \
        CREATE TABLE outcome (sequence INTEGER PRIMARY KEY, key INTEGER NOT NULL, \
        entity TEXT NOT NULL, kind TEXT NOT NULL, outcome TEXT NOT NULL, detail INTEGER, \
        date REAL NOT NULL) STRICT; \
        CREATE INDEX index_outcome ON outcome (key)
        """
}

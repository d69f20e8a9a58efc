// SPDX-License-Identifier: Apache-2.0

import GRDB
import RestOutbox
import RestPersistence

/// The tables of the outbox in the file of a store.
///
/// | table | a row for each |
/// |---|---|
/// | `restkit_edit` | object with edits |
/// | `restkit_base` | edited property, with the value that the server had |
/// | `restkit_entry` | request to make |
/// | `restkit_attempt` | request that was frozen |
/// | `restkit_outcome` | entry that has ended; the latest ones |
/// | `restkit_merge` | merge of edits with values of the server; the latest ones |
/// | `restkit_tag` | object whose version only the heads of responses have |
/// | `restkit_acknowledged` | write that replicas of the server may not have yet |
/// | `restkit_outbox` | file: the next number, and the lease of the sender |
struct OutboxTables {
    static let objects = UnsentEdits.objects
    static let entries = UnsentEdits.entries
    static let bases = UnsentEdits.bases
    static let attempts = UnsentEdits.attempts
    static let outcomes = UnsentEdits.outcomes
    static let merges = UnsentEdits.merges
    /// The versions of objects that only the heads of responses have.
    static let tags = "restkit_tag"
    /// The writes that replicas of the server may not have yet.
    static let acknowledged = "restkit_acknowledged"
    static let state = UnsentEdits.state

    let database: Database
    let model: ManagedObjectModel
    let sent: SentModel
    /// The number of the save that opens entries; `nil` for entries that no save opens.
    var save: Int64?

    /// Creates the tables unless the file has them.
    static func create(in database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE IF NOT EXISTS \(objects) (key INTEGER PRIMARY KEY, \
                entity TEXT NOT NULL, identity ANY, version ANY, quiet_until REAL, \
                revival_end REAL, needs_reading INTEGER NOT NULL DEFAULT 0, \
                predecessor INTEGER, "row" TEXT) STRICT; \
                CREATE TABLE IF NOT EXISTS \(bases) (key INTEGER NOT NULL, \
                entity TEXT NOT NULL, property TEXT NOT NULL, value ANY, \
                known INTEGER NOT NULL DEFAULT 1, cleared INTEGER, \
                PRIMARY KEY (key, property)) STRICT, WITHOUT ROWID; \
                CREATE TABLE IF NOT EXISTS \(entries) (sequence INTEGER PRIMARY KEY, \
                key INTEGER NOT NULL, entity TEXT NOT NULL, kind TEXT NOT NULL, principal TEXT, \
                created REAL NOT NULL, state TEXT NOT NULL, detail INTEGER, \
                closed INTEGER NOT NULL DEFAULT 0, "values" TEXT, not_before REAL, \
                failures INTEGER NOT NULL DEFAULT 0, conflicts INTEGER NOT NULL DEFAULT 0, \
                may_exist INTEGER NOT NULL DEFAULT 0, remainder INTEGER NOT NULL DEFAULT 0, \
                existing ANY, command TEXT, expires REAL, problem BLOB, save INTEGER) STRICT; \
                CREATE INDEX IF NOT EXISTS restkit_index_entry ON \(entries) (key, sequence); \
                CREATE INDEX IF NOT EXISTS restkit_index_deletion ON \(entries) (key) \
                WHERE kind = 'deletion'; \
                CREATE INDEX IF NOT EXISTS restkit_index_existence ON \(entries) (key) \
                WHERE may_exist = 1; \
                CREATE INDEX IF NOT EXISTS restkit_index_existing ON \(entries) (key) \
                WHERE existing IS NOT NULL; \
                CREATE INDEX IF NOT EXISTS restkit_index_edit ON \(objects) (entity, identity); \
                CREATE TABLE IF NOT EXISTS \(attempts) (entry INTEGER PRIMARY KEY \
                REFERENCES \(entries) (sequence) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED, \
                number INTEGER NOT NULL, method TEXT NOT NULL, url TEXT NOT NULL, \
                fields TEXT NOT NULL, body BLOB NOT NULL, idempotency_key TEXT, \
                conditional INTEGER NOT NULL, first_sent REAL NOT NULL, last_sent REAL NOT NULL, \
                sends INTEGER NOT NULL, last_uncertain REAL) STRICT; \
                CREATE TABLE IF NOT EXISTS \(tags) (key INTEGER PRIMARY KEY, \
                tag TEXT NOT NULL) STRICT; \
                CREATE TABLE IF NOT EXISTS \(acknowledged) (number INTEGER PRIMARY KEY, \
                key INTEGER NOT NULL, entity TEXT NOT NULL, kind TEXT NOT NULL, \
                properties TEXT NOT NULL, "row" TEXT, date REAL NOT NULL) STRICT; \
                CREATE INDEX IF NOT EXISTS restkit_index_acknowledged ON \(acknowledged) (date); \
                CREATE TABLE IF NOT EXISTS \(outcomes) (sequence INTEGER PRIMARY KEY, \
                key INTEGER NOT NULL, entity TEXT NOT NULL, kind TEXT NOT NULL, \
                outcome TEXT NOT NULL, detail INTEGER, date REAL NOT NULL) STRICT; \
                CREATE INDEX IF NOT EXISTS restkit_index_outcome ON \(outcomes) (key); \
                CREATE TABLE IF NOT EXISTS \(merges) (number INTEGER PRIMARY KEY, \
                entry INTEGER NOT NULL, key INTEGER NOT NULL, entity TEXT NOT NULL, \
                date REAL NOT NULL, base TEXT NOT NULL, local TEXT NOT NULL, \
                server TEXT NOT NULL, result TEXT NOT NULL) STRICT; \
                CREATE INDEX IF NOT EXISTS restkit_index_merge ON \(merges) (entry); \
                CREATE TABLE IF NOT EXISTS \(state) (id INTEGER PRIMARY KEY CHECK (id = 1), \
                next INTEGER NOT NULL, owner TEXT, fence INTEGER NOT NULL, lease_end REAL, \
                declarations TEXT) STRICT; \
                INSERT OR IGNORE INTO \(state) (id, next, fence) VALUES (1, 1, 0)
                """)
    }

    /// The number of the next entry or attempt.
    var next: Int64 {
        get throws(PersistenceError) {
            let statement = try PreparedStatement(
                "SELECT next FROM \(Self.state)", in: database)
            return try statement.step() ? statement.integer(0) : 1
        }
    }

    func setNext(_ next: Int64) throws(PersistenceError) {
        let statement = try PreparedStatement(
            "UPDATE \(Self.state) SET next = ?1 WHERE next <> ?1", in: database)
        try statement.bind(.integer(next), at: 1)
        try statement.run()
    }

    /// A Boolean value that indicates whether there are objects with edits.
    var hasObjects: Bool {
        get throws(PersistenceError) {
            try PreparedStatement("SELECT 1 FROM \(Self.objects) LIMIT 1", in: database).step()
        }
    }

    /// Returns the integers of the first column of the result of a query with one list of keys.
    func integers(
        _ sql: String, _ keys: some Sequence<Int64>
    ) throws(PersistenceError) -> [Int64] {
        let statement = try PreparedStatement(sql, in: database)
        try statement.bind(RowQuery.list(keys), at: 1)
        var found: [Int64] = []
        while try statement.step() { found.append(statement.integer(0)) }
        return found
    }

    /// Returns those of some keys whose objects have edits.
    func edited(_ keys: some Sequence<Int64>) throws(PersistenceError) -> Set<Int64> {
        Set(
            try integers(
                "SELECT key FROM \(Self.objects) WHERE key IN (SELECT value FROM json_each(?1))",
                keys))
    }

    /// The name of the entity that declares what is sent of a row; `nil` for an entity whose edits are not sent.
    func sentEntity(_ layout: EntityLayout) -> SentEntity? { sent.entities[layout.name] }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestOutbox
import RestPersistence
import RestTransport

extension OutboxTables {
    /// Writes what differs between edits that were read and those after a decision.
    ///
    /// An object without edits has no rows any more.
    func store(
        _ queue: OutboxQueue, since loaded: LoadedEdits, at date: Date
    ) throws(PersistenceError) {
        let keys = Set(queue.objects.keys).union(loaded.objects.keys)
        let changed = keys.filter {
            loaded.objects[$0] != queue.objects[$0]
                || loaded.predecessors[$0] != queue.predecessors[$0]
        }
        func isKept(_ object: EditedObject) -> Bool {
            guard let edits = queue.objects[object] else { return false }
            return !edits.isSettled || queue.predecessors[object] != nil
        }
        // Before the others are written, because entries may continue as those of another object.
        let settled = changed.filter { !isKept($0) }
        try remove(settled.map(\.key))
        try removeTags(
            of: Set(settled.filter { queue.objects[$0]?.local == nil }.map(\.key)))
        for object in changed.sorted(by: { $0.key < $1.key }) where isKept(object) {
            guard let edits = queue.objects[object] else { continue }
            let (former, predecessor) = (loaded.objects[object], queue.predecessors[object])
            if loaded.predecessors[object] != predecessor
                || former.map({ !edits.hasRow(of: $0) }) ?? true
            {
                try write(object, edits, predecessor: predecessor)
            }
            try write(bases: edits, of: object, since: former)
            try write(entries: edits.entries, of: object, since: former?.entries ?? [], at: date)
        }
        try setNext(queue.next)
    }

    /// Removes all that is stored of some objects.
    private func remove(_ keys: [Int64]) throws(PersistenceError) {
        if keys.isEmpty { return }
        let list = RowQuery.list(keys)
        for table in [Self.objects, Self.bases] {
            try run(
                PreparedStatement(
                    "DELETE FROM \(table) WHERE key IN (SELECT value FROM json_each(?1))",
                    in: database), [list])
        }
        try run(
            PreparedStatement(
                "DELETE FROM \(Self.entries) WHERE key IN (SELECT value FROM json_each(?1)) "
                    + "AND state <> ?2", in: database),
            [list, .text(StateText.quarantined)])
    }

    private func write(
        _ object: EditedObject, _ edits: ObjectEdits, predecessor: EditedObject?
    ) throws(PersistenceError) {
        let statement = try PreparedStatement(
            """
            INSERT INTO \(Self.objects) (key, entity, identity, version, quiet_until, revival_end, \
            needs_reading, predecessor) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) \
            ON CONFLICT (key) DO UPDATE SET entity = ?2, identity = ?3, version = ?4, \
            quiet_until = ?5, revival_end = ?6, needs_reading = ?7, predecessor = ?8
            """, in: database)
        let values: [StoredValue] = [
            .integer(object.key), .text(object.entity), edits.identity ?? .null,
            edits.version ?? .null, edits.quietUntil?.stored ?? .null,
            edits.revivalEnd?.stored ?? .null, .integer(edits.needsReading ? 1 : 0),
            predecessor.map { .integer($0.key) } ?? .null,
        ]
        try run(statement, values)
    }

    private func write(
        bases edits: ObjectEdits, of object: EditedObject, since former: ObjectEdits?
    ) throws(PersistenceError) {
        if former?.base == edits.base, former?.unknown == edits.unknown,
            former?.cleared == edits.cleared
        {
            return
        }
        let removal = try PreparedStatement(
            "DELETE FROM \(Self.bases) WHERE key = ?1", in: database)
        try run(removal, [.integer(object.key)])
        try insert(
            bases: edits.base, of: object, unknown: edits.unknown, cleared: edits.cleared)
    }

    /// Inserts what the server had of the edited properties of an object.
    func insert(
        bases: ObjectImage, of object: EditedObject, unknown: Set<String> = [],
        cleared: [String: Int64] = [:]
    ) throws(PersistenceError) {
        let statement = try PreparedStatement(
            "INSERT OR REPLACE INTO \(Self.bases) (key, entity, property, value, known, cleared) "
                + "VALUES (?1, ?2, ?3, ?4, ?5, ?6)", in: database)
        for (property, value) in bases {
            try run(
                statement,
                [
                    .integer(object.key), .text(object.entity), .text(property), value,
                    .integer(unknown.contains(property) ? 0 : 1),
                    cleared[property].map { .integer($0) } ?? .null,
                ])
        }
    }

    private func write(
        entries: [OutboxEntry], of object: EditedObject, since former: [OutboxEntry], at date: Date
    ) throws(PersistenceError) {
        let known = Dictionary(former.map { ($0.sequence, $0) }) { $1 }
        let kept = Set(entries.map(\.sequence))
        for entry in former where !kept.contains(entry.sequence) {
            try remove(entry: entry.sequence)
        }
        for entry in entries where known[entry.sequence] != entry {
            try write(entry, of: object, at: date)
            guard known[entry.sequence]?.attempt != entry.attempt else { continue }
            if let attempt = entry.attempt {
                try write(attempt, of: entry.sequence)
            } else {
                let statement = try PreparedStatement(
                    "DELETE FROM \(Self.attempts) WHERE entry = ?1", in: database)
                try run(statement, [.integer(entry.sequence)])
            }
        }
    }

    private func remove(entry sequence: Int64) throws(PersistenceError) {
        for (table, column) in [(Self.attempts, "entry"), (Self.entries, "sequence")] {
            let statement = try PreparedStatement(
                "DELETE FROM \(table) WHERE \(column) = ?1", in: database)
            try run(statement, [.integer(sequence)])
        }
    }

    /// Writes an entry, whose time of creation stays.
    func write(
        _ entry: OutboxEntry, of object: EditedObject, at date: Date
    ) throws(PersistenceError) {
        let statement = try PreparedStatement(
            """
            INSERT INTO \(Self.entries) (sequence, key, entity, kind, principal, created, state, \
            detail, closed, "values", not_before, failures, conflicts, may_exist, remainder, \
            existing, command, expires, save) \
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, \
            ?19) \
            ON CONFLICT (sequence) DO UPDATE SET kind = ?4, principal = ?5, state = ?7, detail = ?8, \
            closed = ?9, "values" = ?10, not_before = ?11, failures = ?12, conflicts = ?13, \
            may_exist = ?14, remainder = ?15, existing = ?16, command = ?17, expires = ?18, \
            problem = iif(?7 IN ('waiting', 'sending', 'reading'), NULL, problem)
            """, in: database)
        let state = StateText(entry.state)
        let command = entry.command.flatMap(CommandText.encode)
        let values: [StoredValue] = [
            .integer(entry.sequence), .integer(object.key), .text(object.entity),
            .text(entry.kind.rawValue), entry.principal.map { .text($0.id) } ?? .null,
            .double(date.timeIntervalSinceReferenceDate), .text(state.name),
            state.detail.map { .integer($0) } ?? .null, .integer(entry.isClosed ? 1 : 0),
            entry.values.isEmpty ? .null : StoredImage(entry.values).text,
            entry.notBefore.stored, .integer(Int64(entry.failureCount)),
            .integer(Int64(entry.conflictCount)), .integer(entry.mayExist ? 1 : 0),
            .integer(entry.isRemainder ? 1 : 0), entry.existing ?? .null,
            command.map { .text($0) } ?? .null, entry.expires?.stored ?? .null,
            (entry.save ?? save).map { .integer($0) } ?? .null,
        ]
        try run(statement, values)
    }

    private func write(
        _ attempt: OutboxAttempt, of sequence: Int64
    ) throws(PersistenceError) {
        let statement = try PreparedStatement(
            """
            INSERT OR REPLACE INTO \(Self.attempts) (entry, number, method, url, fields, body, \
            idempotency_key, conditional, first_sent, last_sent, sends, last_uncertain) \
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
            """, in: database)
        let request = attempt.request
        let values: [StoredValue] = [
            .integer(sequence), .integer(attempt.number), .text(request.method),
            .text(request.path), FieldText.encode(request.fields),
            .data(request.body), request.idempotencyKey.map { .text($0) } ?? .null,
            .integer(request.isConditional ? 1 : 0), attempt.firstSent.stored,
            attempt.lastSent.stored, .integer(Int64(attempt.sendCount)),
            attempt.lastUncertain?.stored ?? .null,
        ]
        try run(statement, values)
    }

    /// Keeps the body of an answer with the first entry of an object, if that is parked.
    func setProblem(_ body: [UInt8], of object: EditedObject) throws(PersistenceError) {
        let statement = try PreparedStatement(
            "UPDATE \(Self.entries) SET problem = ?2 WHERE sequence = (SELECT min(sequence) FROM "
                + "\(Self.entries) WHERE key = ?1) AND state NOT IN ('waiting', 'sending')",
            in: database)
        let bytes = body.prefix(Self.problemByteCount)
        try run(statement, [.integer(object.key), .data(Data(bytes))])
    }

    /// The maximum number of bytes of an answer that are kept.
    private static var problemByteCount: Int { 16 * 1024 }

    // MARK: Outcomes

    /// Notes the end of an entry, of which the latest ones are kept.
    func note(
        _ outcome: String, detail: Int?, of entry: OutboxEntry, _ object: EditedObject,
        at date: Date
    ) throws(PersistenceError) {
        let hasMerges = try hasMerges(of: entry.sequence)
        let isMerged = outcome == "accepted" && hasMerges
        let statement = try PreparedStatement(
            "INSERT OR REPLACE INTO \(Self.outcomes) (sequence, key, entity, kind, outcome, detail, "
                + "date) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)", in: database)
        try run(
            statement,
            [
                .integer(entry.sequence), .integer(object.key), .text(object.entity),
                .text(entry.kind.rawValue), .text(isMerged ? "merged" : outcome),
                detail.map { .integer(Int64($0)) } ?? .null,
                date.stored,
            ])
        let removal = try PreparedStatement(
            "DELETE FROM \(Self.outcomes) WHERE sequence < ?1", in: database)
        try run(removal, [.integer(entry.sequence - Self.outcomeWindow)])
    }

    /// The range of numbers of entries whose outcomes are kept.
    private static var outcomeWindow: Int64 { 2_000 }

    func run(
        _ statement: borrowing PreparedStatement, _ values: [StoredValue]
    ) throws(PersistenceError) {
        for (index, value) in values.enumerated() { try statement.bind(value, at: index + 1) }
        try statement.run()
    }
}

extension ObjectEdits {
    /// Returns a Boolean value that indicates whether other edits have the same row in the table of objects.
    fileprivate func hasRow(of other: ObjectEdits) -> Bool {
        identity == other.identity && version == other.version && quietUntil == other.quietUntil
            && revivalEnd == other.revivalEnd && needsReading == other.needsReading
    }
}

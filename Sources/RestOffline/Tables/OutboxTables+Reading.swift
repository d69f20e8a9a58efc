// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestOutbox
import RestPersistence
import RestTransport

/// A row of the table of objects with edits.
struct EditedRow {
    var identity: StoredValue?
    var version: StoredValue?
    var quietUntil: Date?
    var revivalEnd: Date?
    var needsReading = false
    var predecessor: Int64?
}

extension OutboxTables {
    /// Returns the edits of some objects, and the objects whose deletion others wait for.
    ///
    /// Rows that cannot be read are left out; see ``quarantine()``.
    func load(_ keys: some Collection<Int64>) throws(PersistenceError) -> LoadedEdits {
        var loaded = LoadedEdits()
        if keys.isEmpty { return loaded }
        let list = RowQuery.list(keys)
        var rows: [Int64: (object: EditedObject, row: EditedRow)] = [:]
        let objects = try PreparedStatement(
            "SELECT key, entity, identity, version, quiet_until, revival_end, needs_reading, "
                + "predecessor FROM \(Self.objects) WHERE key IN (SELECT value FROM json_each(?1))",
            in: database)
        try objects.bind(list, at: 1)
        while try objects.step() {
            let object = EditedObject(entity: objects.text(1), key: objects.integer(0))
            var row = EditedRow()
            let identity = objects.value(2)
            row.identity = identity.isNull ? nil : identity
            let version = objects.value(3)
            row.version = version.isNull ? nil : version
            row.quietUntil = objects.date(4)
            row.revivalEnd = objects.date(5)
            row.needsReading = objects.integer(6) != 0
            row.predecessor = objects.optionalInteger(7)
            rows[object.key] = (object, row)
        }
        if rows.isEmpty { return loaded }
        let bases = try storedBases(list)
        let entries = try self.entries(list)
        let local = try localRows(rows.values.map(\.object))
        for (key, (object, row)) in rows {
            guard let entity = sent.entities[object.entity] else { continue }
            var edits = ObjectEdits(
                stored: entity, local: local[key]?.image, base: bases[key]?.image ?? [:],
                unknown: bases[key]?.unknown ?? [], cleared: bases[key]?.cleared ?? [:],
                entries: entries[key] ?? [])
            edits.identity = row.identity
            edits.version = row.version
            edits.quietUntil = row.quietUntil
            edits.revivalEnd = row.revivalEnd
            edits.needsReading = row.needsReading
            loaded.objects[object] = edits
            loaded.rows[key] = local[key]?.row
            if let predecessor = row.predecessor {
                loaded.predecessors[object] = EditedObject(entity: object.entity, key: predecessor)
            }
        }
        return loaded
    }

    private struct StoredBases {
        var image: ObjectImage = [:]
        var unknown: Set<String> = []
        var cleared: [String: Int64] = [:]
    }

    private func storedBases(_ list: StoredValue) throws(PersistenceError) -> [Int64: StoredBases] {
        var bases: [Int64: StoredBases] = [:]
        let values = try PreparedStatement(
            "SELECT key, property, value, known, cleared FROM \(Self.bases) "
                + "WHERE key IN (SELECT value FROM json_each(?1))", in: database)
        try values.bind(list, at: 1)
        while try values.step() {
            let (key, property) = (values.integer(0), values.text(1))
            bases[key, default: StoredBases()].image[property] = values.value(2)
            if values.integer(3) == 0 { bases[key]?.unknown.insert(property) }
            bases[key]?.cleared[property] = values.optionalInteger(4)
        }
        return bases
    }

    /// Returns the stored values of objects; objects without a row have none.
    func localRows(
        _ objects: [EditedObject]
    ) throws(PersistenceError) -> [Int64: (image: ObjectImage, row: [StoredValue])] {
        var images: [Int64: (image: ObjectImage, row: [StoredValue])] = [:]
        for (name, group) in Dictionary(grouping: objects, by: \.entity) {
            guard let entity = sent.entities[name], let index = model.index(of: name) else {
                continue
            }
            let layout = model.layouts[index]
            let columns = layout.columns(of: entity)
            let query = RowQuery.rows(of: layout, keys: group.map(\.key))
            try query.run(in: database, width: layout.width) { key, row in
                images[key] = (columns.mapValues { row[$0] }, row)
            }
            for property in entity.members.keys {
                let members = try members(property, of: group.map(\.key), layout)
                for key in group.map(\.key) where images[key] != nil {
                    images[key]?.image[property] = MemberSet(members[key] ?? []).stored
                }
            }
        }
        return images
    }

    /// Returns the stored members of a relationship with a join table, by owner.
    func members(
        _ property: String, of keys: [Int64], _ layout: EntityLayout
    ) throws(PersistenceError) -> [Int64: Set<Int64>] {
        guard let end = layout.linkEnd(ofProperty: property) else { return [:] }
        let query = RowQuery.pairs(
            of: model.links[end.link], keys: keys, end.isForward, isOrdered: false)
        var members: [Int64: Set<Int64>] = [:]
        if query.isEmpty { return members }
        let statement = try query.prepare(in: database)
        while try statement.step() {
            members[statement.integer(0), default: []].insert(statement.integer(1))
        }
        return members
    }

    private func entries(_ list: StoredValue) throws(PersistenceError) -> [Int64: [OutboxEntry]] {
        let statement = try PreparedStatement(
            """
            SELECT e.key, e.sequence, e.kind, e.principal, e.state, e.detail, e.closed, e."values", \
            e.not_before, e.failures, e.conflicts, e.may_exist, e.remainder, e.existing, e.command, \
            e.expires, a.number, a.method, a.url, a.fields, a.body, a.idempotency_key, \
            a.conditional, a.first_sent, a.last_sent, a.sends, a.last_uncertain, e.save \
            FROM \(Self.entries) e LEFT JOIN \(Self.attempts) a ON a.entry = e.sequence \
            WHERE e.key IN (SELECT value FROM json_each(?1)) AND e.state <> '\(StateText.quarantined)' \
            ORDER BY e.key, e.sequence
            """, in: database)
        try statement.bind(list, at: 1)
        var found: [Int64: [OutboxEntry]] = [:]
        while try statement.step() {
            guard let entry = Self.entry(statement) else { continue }
            found[statement.integer(0), default: []].append(entry)
        }
        return found
    }

    /// Returns the entry of the current row; `nil` if it cannot be read.
    private static func entry(_ row: borrowing PreparedStatement) -> OutboxEntry? {
        guard let kind = OutboxEntry.Kind(rawValue: row.text(2)),
            let state = StateText(row.text(4), row.optionalInteger(5)).state
        else { return nil }
        let principal = row.value(3)
        var entry = OutboxEntry(
            sequence: row.integer(1), kind: kind,
            principal: principal.isNull ? nil : Principal(row.text(3)))
        entry.state = state
        entry.isClosed = row.integer(6) != 0
        if !row.value(7).isNull {
            guard let image = StoredImage(text: row.text(7)) else { return nil }
            entry.values = image.image
        }
        entry.notBefore = row.date(8) ?? .distantPast
        entry.failureCount = Int(row.integer(9))
        entry.conflictCount = Int(row.integer(10))
        entry.mayExist = row.integer(11) != 0
        entry.isRemainder = row.integer(12) != 0
        let existing = row.value(13)
        entry.existing = existing.isNull ? nil : existing
        if !row.value(14).isNull {
            guard let command = CommandText.decode(row.text(14)) else { return nil }
            entry.command = command
        }
        entry.expires = row.date(15)
        entry.save = row.optionalInteger(27)
        if !row.value(16).isNull {
            guard let attempt = attempt(row) else { return nil }
            entry.attempt = attempt
        }
        return entry
    }

    private static func attempt(_ row: borrowing PreparedStatement) -> OutboxAttempt? {
        guard let fields = FieldText.decode(row.text(19)), case .data(let body) = row.value(20),
            let firstSent = row.date(23),
            let lastSent = row.date(24)
        else { return nil }
        let key = row.value(21)
        return OutboxAttempt(
            stored: FrozenRequest(
                method: row.text(17), path: row.text(18), fields: fields, body: body,
                idempotencyKey: key.isNull ? nil : row.text(21), isConditional: row.integer(22) != 0
            ),
            number: row.integer(16), firstSent: firstSent, lastSent: lastSent,
            sendCount: Int(row.integer(25)), lastUncertain: row.date(26))
    }
}

/// Edits that were read from the tables.
struct LoadedEdits {
    var objects: [EditedObject: ObjectEdits] = [:]
    var predecessors: [EditedObject: EditedObject] = [:]
    /// The stored rows, by key.
    var rows: [Int64: [StoredValue]] = [:]
}

extension EntityLayout {
    /// Returns the columns of the properties of an entity whose edits are sent.
    func columns(of entity: SentEntity) -> [String: Int] {
        var columns: [String: Int] = [:]
        for property in entity.properties { columns[property] = column(ofProperty: property) }
        return columns
    }

    /// Returns the column of an attribute or of a to-one relationship; `nil` for other properties.
    func column(ofProperty name: String) -> Int? {
        switch propertyIndices[name] {
        case .attribute(let column): return column
        case .relationship(let index):
            guard case .column(let column) = relationships[index].storage else { return nil }
            return column
        case nil: return nil
        }
    }
}

/// The end of a join table at which a relationship has its owner.
struct LinkEnd: Hashable {
    let link: Int
    let isForward: Bool
    let isSymmetric: Bool
}

extension EntityLayout {
    /// Returns the end of the join table of a relationship; `nil` for other properties.
    func linkEnd(ofProperty name: String) -> LinkEnd? {
        guard case .relationship(let index) = propertyIndices[name],
            case .link(let link, let isForward) = relationships[index].storage
        else { return nil }
        return LinkEnd(
            link: link, isForward: isForward, isSymmetric: relationships[index].isSymmetric)
    }
}

extension PreparedStatement {
    func text(_ column: Int) -> String {
        if case .text(let text) = value(column) { text } else { "" }
    }

    func optionalInteger(_ column: Int) -> Int64? {
        if case .integer(let value) = value(column) { value } else { nil }
    }

    func date(_ column: Int) -> Date? {
        switch value(column) {
        case .double(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
        case .integer(let seconds): Date(timeIntervalSinceReferenceDate: Double(seconds))
        default: nil
        }
    }
}

extension Date {
    /// The value of a column with a time.
    var stored: StoredValue {
        self == .distantPast ? .null : .double(timeIntervalSinceReferenceDate)
    }
}

extension OutboxTables {
    /// Returns the keys of objects whose stored values mention some objects.
    ///
    /// - Complexity: O(*n*) in the number of closed entries, for each object.
    func mentioning(_ keys: some Collection<Int64>) throws(PersistenceError) -> [Int64] {
        if keys.isEmpty { return [] }
        return try integers(
            """
            SELECT key FROM \(Self.bases) WHERE value IN (SELECT value FROM json_each(?1)) \
            OR cleared IN (SELECT value FROM json_each(?1)) \
            UNION SELECT e.key FROM \(Self.entries) e, json_each(e."values") v \
            WHERE e."values" IS NOT NULL AND v.value IN (SELECT value FROM json_each(?1)) \
            UNION SELECT b.key FROM \(Self.bases) b, json_each(\(Self.memberList("b.value"))) m \
            WHERE m.value IN (SELECT value FROM json_each(?1)) \
            UNION SELECT e.key FROM \(Self.entries) e, json_each(e."values") v, \
            json_each(\(Self.memberList("v.value"))) m \
            WHERE e."values" IS NOT NULL AND m.value IN (SELECT value FROM json_each(?1)) \
            UNION SELECT key FROM \(Self.objects) \
            WHERE predecessor IN (SELECT value FROM json_each(?1))
            """, keys)
    }

    /// Returns an expression for the members in a value; those of a value that is no set are none.
    private static func memberList(_ value: String) -> String {
        "iif(typeof(\(value)) = 'text' AND \(value) GLOB '[[]*]' AND json_valid(\(value)), "
            + "\(value), '[]')"
    }

    /// Returns the keys of edited objects that the edits of some objects depend on, and of those that depend on
    /// them, also through others.
    ///
    /// - Complexity: O(*n*) in the number of edits, for each step between two objects.
    func connected(to keys: Set<Int64>) throws(PersistenceError) -> Set<Int64> {
        var (found, new) = (keys, keys)
        while !new.isEmpty {
            var next = try edited(try mentioning(new) + referring(to: new))
            for edits in try load(new).objects.values {
                next.formUnion(try edited(edits.mentionedKeys))
            }
            new = next.subtracting(found)
            found.formUnion(new)
        }
        return found
    }

    /// Returns the keys of edited objects whose rows refer to some objects.
    private func referring(to keys: Set<Int64>) throws(PersistenceError) -> [Int64] {
        var found: [Int64] = []
        for entity in sent.entities.values {
            guard let index = model.index(of: entity.name) else { continue }
            let layout = model.layouts[index]
            for property in entity.references.keys {
                guard let column = layout.column(ofProperty: property) else { continue }
                found += try integers(
                    "SELECT t.\(EntityLayout.keyColumn) FROM \(Self.objects) o "
                        + "JOIN \(layout.table.quoted) t ON t.\(EntityLayout.keyColumn) = o.key "
                        + "WHERE t.\(layout.columns[column].quoted) IN "
                        + "(SELECT value FROM json_each(?1))", keys)
            }
        }
        return found
    }

    /// Returns the keys of the objects with the oldest entries, and of those that they wait for.
    func oldestKeys(limit: Int) throws(PersistenceError) -> [Int64] {
        let statement = try PreparedStatement(
            "SELECT key FROM \(Self.entries) WHERE state <> '\(StateText.quarantined)' "
                + "GROUP BY key ORDER BY min(sequence) LIMIT ?1", in: database)
        try statement.bind(.integer(Int64(limit)), at: 1)
        var keys: [Int64] = []
        while try statement.step() { keys.append(statement.integer(0)) }
        let unread = try PreparedStatement(
            "SELECT key FROM \(Self.objects) o WHERE (needs_reading = 1 OR quiet_until IS NOT NULL) "
                + "AND NOT EXISTS (SELECT 1 FROM \(Self.entries) e WHERE e.key = o.key)",
            in: database)
        while try unread.step() { keys.append(unread.integer(0)) }
        return keys
    }

    /// Returns the values of a deleted object by property; `nil` if they are not known.
    ///
    /// A new object can have got its identity since.
    func deletedRow(_ key: Int64) throws(PersistenceError) -> ObjectImage? {
        let statement = try PreparedStatement(
            "SELECT \"row\", entity, identity FROM \(Self.objects) WHERE key = ?1", in: database)
        try statement.bind(.integer(key), at: 1)
        guard try statement.step(), !statement.value(0).isNull,
            var image = StoredImage(text: statement.text(0))?.image
        else { return nil }
        let identity = statement.value(2)
        if !identity.isNull, let index = model.index(of: statement.text(1)),
            let column = model.layouts[index].identity.first
        {
            image[model.layouts[index].columns[column].name] = identity
        }
        return image
    }
}

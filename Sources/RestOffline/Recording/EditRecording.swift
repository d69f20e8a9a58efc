// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestOutbox
import RestPersistence
import RestTransport

/// The growth of entries with the edits of one save.
///
/// The first edit of an object is written directly; what follows it is decided by
/// ``/RestOutbox/OutboxQueue``.
struct EditRecording {
    struct Update {
        let object: EditedObject
        let layout: EntityLayout
        /// The values before, by property.
        var former: ObjectImage
        /// The deleted objects to which references were cleared by a delete rule, by property.
        var cleared: [String: Int64] = [:]
    }

    struct Deletion {
        let object: EditedObject
        let layout: EntityLayout
        /// The values before, by column.
        let row: [StoredValue]
        /// The members before, by relationship.
        var members: ObjectImage = [:]

        /// Returns the values before of the properties that are sent.
        func image(of entity: SentEntity) -> ObjectImage {
            var image = layout.columns(of: entity).mapValues { row[$0] }
            for property in entity.members.keys {
                image[property] = members[property] ?? MemberSet().stored
            }
            return image
        }
    }

    let tables: OutboxTables
    let rules: OutboxRules
    let principal: Principal?
    let date: Date
    /// The number of the next entry.
    var next: Int64

    // MARK: Insertions

    mutating func insert(
        _ inserted: [(object: EditedObject, layout: EntityLayout)]
    ) throws(PersistenceError) {
        if inserted.isEmpty { return }
        let hasDeletions = try PreparedStatement(
            "SELECT 1 FROM \(OutboxTables.entries) WHERE kind = 'deletion' LIMIT 1",
            in: tables.database
        ).step()
        for (name, rows) in Dictionary(grouping: inserted, by: \.object.entity) {
            var new = rows.map(\.object.key)
            if hasDeletions {
                let facts = try facts(new, rows[0].layout)
                for (object, layout) in rows {
                    guard let identity = facts[object.key]?.identity,
                        let former = try tables.deletedObject(withIdentity: identity, name)
                    else { continue }
                    new.removeAll { $0 == object.key }
                    try insert(object, layout, replacing: former)
                }
            }
            // A new object has an identity of the server once that has answered.
            next = try tables.insertFirst(
                .creation, of: new.sorted(), name, from: nil, sequence: next,
                principal: principal, at: date)
        }
    }

    /// Notes an object with the identity of one that is being deleted.
    private mutating func insert(
        _ object: EditedObject, _ layout: EntityLayout, replacing former: EditedObject
    ) throws(PersistenceError) {
        let image = try tables.localRows([object])[object.key]?.image ?? [:]
        let loaded = try tables.load([former.key] + tables.mentioning([former.key]))
        var queue = rules.queue(loaded, next: next)
        queue.insert(object, image, replacing: former, by: principal)
        try tables.store(queue, since: loaded, at: date)
        next = queue.next
    }

    // MARK: Updates

    mutating func update(
        _ updates: [Update], _ edited: Set<Int64>
    ) throws(PersistenceError) {
        let new = updates.filter { !edited.contains($0.object.key) }
        try insert(new)
        if new.count == updates.count { return }
        let known = updates.filter { edited.contains($0.object.key) }
        var loaded = try tables.load(known.map(\.object.key))
        var changes: [EditedObject: ObjectImage] = [:]
        for update in known {
            guard let local = loaded.objects[update.object]?.local else { continue }
            changes[update.object] = local.filter { update.former[$0.key] != nil }
            // The row has been written already.
            loaded.objects[update.object]?.local?.merge(update.former) { $1 }
        }
        var queue = rules.queue(loaded, next: next)
        for update in known {
            if let values = changes[update.object] {
                queue.change(update.object, values, by: principal)
                queue.noteCleared(update.cleared, of: update.object)
            }
        }
        try tables.store(queue, since: loaded, at: date)
        next = queue.next
    }

    /// Opens updates of objects without entries.
    private mutating func insert(_ updates: [Update]) throws(PersistenceError) {
        for (name, group) in Dictionary(grouping: updates, by: \.object.entity) {
            guard let declaration = rules.declarations[name] else { continue }
            // The rows of the tables are then inserted in their order.
            let rows = group.sorted { $0.object.key < $1.object.key }
            next = try tables.insertFirst(
                .update, of: rows.map(\.object.key), name, from: (rows[0].layout, declaration),
                sequence: next, principal: principal, at: date)
            try insertBases(of: rows, name)
        }
    }

    /// Inserts what the server had of the edited properties.
    private func insertBases(of updates: [Update], _ entity: String) throws(PersistenceError) {
        let bases = try PreparedStatement(
            "INSERT OR REPLACE INTO \(OutboxTables.bases) (key, entity, property, value, cleared) "
                + "VALUES (?1, ?2, ?3, ?4, ?5)", in: tables.database)
        // A value stays bound until another one replaces it.
        try bases.bind(.text(entity), at: 2)
        var (boundProperty, boundDeletion): (String?, Int64?)
        for update in updates {
            try bases.bind(.integer(update.object.key), at: 1)
            for (property, value) in update.former {
                if property != boundProperty {
                    try bases.bind(.text(property), at: 3)
                    boundProperty = property
                }
                let deletion = update.cleared.isEmpty ? nil : update.cleared[property]
                if deletion != boundDeletion {
                    try bases.bind(deletion.map { .integer($0) } ?? .null, at: 5)
                    boundDeletion = deletion
                }
                try bases.bind(value, at: 4)
                try bases.run()
            }
        }
    }

    // MARK: Deletions

    mutating func delete(
        _ deletions: [Deletion], _ edited: Set<Int64>
    ) throws(PersistenceError) {
        if deletions.isEmpty { return }
        let keys = deletions.map(\.object.key)
        var loaded = try tables.load(
            keys + tables.mentioning(keys.filter(edited.contains)))
        for deletion in deletions {
            guard let entity = rules.sent.entities[deletion.object.entity] else { continue }
            loaded.objects[deletion.object]?.local = deletion.image(of: entity)
        }
        var queue = rules.queue(loaded, next: next)
        for deletion in deletions {
            guard let declaration = rules.declarations[deletion.object.entity] else { continue }
            let facts = RowFacts(deletion.row, deletion.layout, declaration)
            if loaded.objects[deletion.object] == nil {
                let key = deletion.object.key
                let tag = declaration.precondition.isOfField ? try tables.tag(of: key) : nil
                queue.add(
                    deletion.object, deletion.image(of: declaration.entity),
                    identity: facts.identity ?? .null, version: facts.version ?? tag)
            }
            for entry in queue.delete(deletion.object, by: principal) {
                try tables.note("discarded", detail: nil, of: entry, deletion.object, at: date)
            }
        }
        try tables.store(queue, since: loaded, at: date)
        next = queue.next
        let statement = try PreparedStatement(
            "UPDATE \(OutboxTables.objects) SET \"row\" = ?2 WHERE key = ?1", in: tables.database)
        for deletion in deletions {
            var row: ObjectImage = [:]
            for (column, value) in zip(deletion.layout.columns, deletion.row) {
                row[column.name] = value
            }
            row.merge(deletion.members) { $1 }
            try tables.run(
                statement, [.integer(deletion.object.key), StoredImage(row).text])
        }
    }

    // MARK: Rows

    /// Returns the identities and versions of rows.
    private func facts(
        _ keys: [Int64], _ layout: EntityLayout
    ) throws(PersistenceError) -> [Int64: RowFacts] {
        guard let declaration = rules.declarations[layout.name] else { return [:] }
        let table = layout.table.quoted
        let names = [
            layout.identity.first.map { layout.columns[$0].quoted } ?? "NULL",
            declaration.precondition.expression(
                layout, table, key: "\(table).\(EntityLayout.keyColumn)"),
        ]
        let statement = try PreparedStatement(
            "SELECT \(EntityLayout.keyColumn), \(names.joined(separator: ", ")) "
                + "FROM \(layout.table.quoted) "
                + "WHERE \(EntityLayout.keyColumn) IN (SELECT value FROM json_each(?1))",
            in: tables.database)
        try statement.bind(RowQuery.list(keys), at: 1)
        var facts: [Int64: RowFacts] = [:]
        facts.reserveCapacity(keys.count)
        while try statement.step() {
            facts[statement.integer(0)] = RowFacts(
                identity: statement.value(1), version: statement.value(2))
        }
        return facts
    }
}

/// The values of a row that the outbox needs besides the properties that it sends.
struct RowFacts {
    let identity: StoredValue?
    let version: StoredValue?

    init(identity: StoredValue, version: StoredValue) {
        self.identity = identity.isNull ? nil : identity
        self.version = version.isNull ? nil : version
    }

    init(_ row: [StoredValue], _ layout: EntityLayout, _ declaration: SentDeclaration) {
        let column = declaration.versionProperty.flatMap { layout.column(ofProperty: $0) }
        self.init(
            identity: layout.identity.first.map { row[$0] } ?? .null,
            version: column.map { row[$0] }.flatMap(declaration.precondition.version) ?? .null)
    }
}

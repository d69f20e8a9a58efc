// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB

/// The unsent edits of an outbox, which are migrated with the rows.
///
/// Requests that were written already are sent as they are.
extension Migrator {
    /// Gives the edits the names of the new model, before the rows are migrated.
    ///
    /// An edit of a property that the new model does not continue becomes a quarantined entry with its value; an
    /// edit of a property with another type stays, and what the server has of it is not known any more.
    func migrateUnsentEdits(in database: Database, from old: ManagedObjectModel) throws {
        guard try UnsentEdits(database: database).isPresent else { return }
        let models = MigrationPlanner(from: old, to: model, steps: migration.steps).models
        let edits = EditMigration(database: database)
        var entities: [String: String] = [:]
        for layout in old.layouts {
            guard let index = models.destinations[layout.index] else {
                try edits.quarantine(layout, properties: layout.propertyNames)
                try edits.quarantine(entity: layout.name)
                continue
            }
            let new = model.layouts[index]
            var names: [String: String] = [:]
            for attribute in new.attributes(in: model) {
                guard let source = models.source(of: attribute, new, in: layout) else { continue }
                names[source.name] = attribute.name
                if source.type != attribute.type { try edits.forget(source.name, layout.name) }
            }
            for relationship in new.relationshipDescriptions(in: model) {
                guard let source = models.source(of: relationship, new, in: layout) else {
                    continue
                }
                names[source.name] = relationship.name
            }
            try edits.quarantine(
                layout, properties: layout.propertyNames.filter { names[$0] == nil })
            try edits.keepMerges(of: names.keys, layout.name)
            if names.contains(where: { $0 != $1 }) { try edits.rename(names, of: layout.name) }
            if new.name != layout.name { entities[layout.name] = new.name }
        }
        if !entities.isEmpty { try edits.rename(entities: entities) }
    }
}

/// The tables of an outbox in a migration.
private struct EditMigration {
    let database: Database

    /// Puts the edits of properties aside that the new model does not have, with their values.
    func quarantine(_ layout: EntityLayout, properties: [String]) throws {
        for property in properties {
            let arguments: StatementArguments = [layout.name, property]
            if let column = layout.columns.first(where: { $0.name == property }) {
                try database.execute(
                    sql: """
                        INSERT INTO \(UnsentEdits.entries) (sequence, key, entity, kind, principal, \
                        created, state, closed, "values") \
                        SELECT (SELECT next FROM \(UnsentEdits.state)) + row_number() OVER () - 1, b.key, \
                        b.entity, 'update', (SELECT principal FROM \(UnsentEdits.entries) e \
                        WHERE e.key = b.key ORDER BY sequence DESC LIMIT 1), \
                        (julianday('now') - 2440587.5) * 86400.0 - 978307200.0, 'quarantined', 1, \
                        json_object(b.property, CASE typeof(t.\(column.quoted)) \
                        WHEN 'real' THEN json_object('double', CAST(t.\(column.quoted) AS TEXT)) \
                        WHEN 'blob' THEN json_object('data', hex(t.\(column.quoted))) \
                        ELSE t.\(column.quoted) END) \
                        FROM \(UnsentEdits.bases) b LEFT JOIN \(layout.table.quoted) t \
                        ON t.\(EntityLayout.keyColumn) = b.key \
                        WHERE b.entity = ? AND b.property = ?
                        """, arguments: arguments)
                try database.execute(
                    sql: """
                        UPDATE \(UnsentEdits.state) SET next = max(next, \
                        (SELECT coalesce(max(sequence), 0) + 1 FROM \(UnsentEdits.entries)))
                        """)
            }
            try database.execute(
                sql: "DELETE FROM \(UnsentEdits.bases) WHERE entity = ? AND property = ?",
                arguments: arguments)
            try database.execute(
                sql: """
                    UPDATE \(UnsentEdits.entries) SET state = 'quarantined' WHERE entity = ? \
                    AND kind <> 'deletion' AND "values" IS NOT NULL AND EXISTS \
                    (SELECT 1 FROM json_each("values") v WHERE v.key = ?)
                    """, arguments: arguments)
        }
        // An update without an edit has nothing to send.
        try database.execute(
            sql: """
                DELETE FROM \(UnsentEdits.entries) WHERE entity = ? AND kind = 'update' \
                AND closed = 0 AND key NOT IN (SELECT key FROM \(UnsentEdits.bases))
                """, arguments: [layout.name])
    }

    /// Puts all entries of an entity aside that the new model does not have.
    func quarantine(entity: String) throws {
        try database.execute(
            sql: "UPDATE \(UnsentEdits.entries) SET state = 'quarantined' WHERE entity = ?",
            arguments: [entity])
    }

    /// Notes that it is not known what the server has of a property.
    func forget(_ property: String, _ entity: String) throws {
        try database.execute(
            sql: "UPDATE \(UnsentEdits.bases) SET known = 0 WHERE entity = ? AND property = ?",
            arguments: [entity, property])
    }

    /// Forgets what merges have of the properties that the new model does not have.
    func keepMerges(of properties: some Collection<String>, _ entity: String) throws {
        for column in Self.imagesOfMerges {
            try database.execute(
                sql: """
                    UPDATE \(UnsentEdits.merges) SET \(column) = (SELECT json_group_object(\
                    m.key, json(\(column) -> m.fullkey)) FROM json_each(\(column)) m \
                    WHERE m.key IN (SELECT value FROM json_each(?1))) \
                    WHERE entity = ?2 AND json_valid(\(column))
                    """, arguments: [try Self.json(Array(properties)), entity])
        }
        try database.execute(
            sql: "DELETE FROM \(UnsentEdits.merges) WHERE entity = ? AND result = '{}'",
            arguments: [entity])
    }

    /// Gives properties their new names, none of which the former model has.
    func rename(_ names: [String: String], of entity: String) throws {
        let arguments: StatementArguments = [try Self.json(names), entity]
        try database.execute(
            sql: """
                UPDATE \(UnsentEdits.bases) SET property = (SELECT n.value \
                FROM json_each(?1) n WHERE n.key = property) \
                WHERE entity = ?2 AND property IN (SELECT n.key FROM json_each(?1) n)
                """, arguments: arguments)
        let columns =
            [(UnsentEdits.entries, "values"), (UnsentEdits.objects, "row")]
            + Self.imagesOfMerges.map { (UnsentEdits.merges, $0) }
        for (table, column) in columns {
            let quoted = SQLIdentifier.quoted(column)
            try database.execute(
                sql: """
                    UPDATE \(table) SET \(quoted) = (SELECT json_group_object(coalesce(\
                    (SELECT n.value FROM json_each(?1) n WHERE n.key = m.key), m.key), \
                    json(\(quoted) -> m.fullkey)) FROM json_each(\(quoted)) m) \
                    WHERE entity = ?2 AND \(quoted) IS NOT NULL AND json_valid(\(quoted))
                    """, arguments: arguments)
        }
    }

    private static let imagesOfMerges = ["base", "local", "server", "result"]

    private static func json(_ value: some Encodable) throws -> String {
        String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
    }

    /// Gives entities their new names, all at once.
    func rename(entities: [String: String]) throws {
        let tables = [
            UnsentEdits.entries, UnsentEdits.objects, UnsentEdits.bases, UnsentEdits.outcomes,
            UnsentEdits.merges,
        ]
        for table in tables {
            try database.execute(
                sql: """
                    UPDATE \(table) SET entity = (SELECT n.value FROM json_each(?1) n \
                    WHERE n.key = entity) WHERE entity IN (SELECT n.key FROM json_each(?1) n)
                    """, arguments: [try Self.json(entities)])
        }
    }
}

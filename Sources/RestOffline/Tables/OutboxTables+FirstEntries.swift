// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestOutbox
import RestPersistence
import RestTransport

extension OutboxTables {
    /// Inserts the first entries of objects of an entity, by one statement for each table.
    ///
    /// - Parameters:
    ///   - kind: The kind of the entries.
    ///   - keys: The keys of the objects, in the order of the entries.
    ///   - entity: The name of the entity.
    ///   - source: The layout and the declaration of the entity, whose rows have the identities and versions; `nil`
    ///     for objects without them.
    ///   - sequence: The number of the first entry.
    ///   - principal: The principal.
    ///   - date: The time.
    /// - Returns: The number after that of the last entry.
    /// - Throws: `PersistenceError` of the database.
    func insertFirst(
        _ kind: OutboxEntry.Kind, of keys: [Int64], _ entity: String,
        from source: (layout: EntityLayout, declaration: SentDeclaration)?, sequence: Int64,
        principal: Principal?, at date: Date
    ) throws(PersistenceError) -> Int64 {
        if keys.isEmpty { return sequence }
        let list = RowQuery.list(keys)
        var (identity, version, join) = ("NULL", "NULL", "")
        if let (layout, declaration) = source {
            identity = layout.identity.first.map { "t.\(layout.columns[$0].quoted)" } ?? "NULL"
            version = declaration.precondition.expression(layout, "t", key: "k.value")
            join =
                "CROSS JOIN \(layout.table.quoted) t ON t.\(EntityLayout.keyColumn) = k.value"
        }
        try run(
            PreparedStatement(
                "INSERT OR REPLACE INTO \(Self.objects) (key, entity, identity, version) "
                    + "SELECT k.value, ?2, \(identity), \(version) FROM json_each(?1) k \(join)",
                in: database),
            [list, .text(entity)])
        try run(
            PreparedStatement(
                "INSERT INTO \(Self.entries) (sequence, key, entity, kind, principal, created, state, "
                    + "save) SELECT ?2 + k.key, k.value, ?3, ?4, ?5, ?6, 'waiting', ?7 "
                    + "FROM json_each(?1) k",
                in: database),
            [
                list, .integer(sequence), .text(entity), .text(kind.rawValue),
                principal.map { .text($0.id) } ?? .null,
                .double(date.timeIntervalSinceReferenceDate),
                save.map { .integer($0) } ?? .null,
            ])
        return sequence + Int64(keys.count)
    }
}

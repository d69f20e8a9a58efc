// SPDX-License-Identifier: Apache-2.0

import GRDB
package import RestOutbox
package import RestPersistence

/// The content of a store as its outbox sees it, for checks.
package struct OutboxAudit: Sendable {
    /// The edits of the objects that have some.
    package let edits: [EditedObject: ObjectEdits]
    /// The rows of all entities.
    package let rows: StoredRows
    /// The number of bases and entries without an object.
    package let looseCount: Int
    /// The number of references to rows that do not exist.
    package let danglingReferenceCount: Int
}

/// The values of rows by the names of their properties; a reference is the key of its destination.
package struct StoredRows: Sendable {
    package let rows: [EditedObject: ObjectImage]
    private let model: ManagedObjectModel

    /// Reads the rows of a store.
    package init(of store: ManagedObjectStore) async throws {
        let model = store.model
        self = try await store.content.database.readSnapshot { database in
            try StoredRows(OutboxTables.Rows(database: database, model: model))
        }
    }

    init(_ source: OutboxTables.Rows) throws(PersistenceError) {
        model = source.model
        rows = try source.all()
    }

    /// Returns the identity of a row; `nil` if it has none.
    package func identity(of object: EditedObject) -> StoredValue? {
        guard let layout = layout(object), let column = layout.identity.first,
            let value = rows[object]?[layout.columns[column].name], !value.isNull
        else { return nil }
        return value
    }

    /// Returns the values of a row, with the identities of destinations in place of their keys.
    package func portable(_ object: EditedObject) -> ObjectImage {
        var image = rows[object] ?? [:]
        for column in layout(object)?.columns ?? [] {
            guard let destination = column.destination, case .integer(let key) = image[column.name]
            else { continue }
            let other = EditedObject(entity: model.layouts[destination].name, key: key)
            image[column.name] = identity(of: other) ?? .null
        }
        return image
    }

    private func layout(_ object: EditedObject) -> EntityLayout? {
        model.index(of: object.entity).map { model.layouts[$0] }
    }
}

extension Outbox {
    /// The entities whose edits are sent.
    package var sentModel: SentModel { recorder.rules.sent }

    /// A Boolean value that indicates whether edits are kept, whatever the server has.
    package var keepsEdits: Bool {
        let rules = recorder.rules
        return rules.declarations.values.allSatisfy { $0.policy(rules.policy).keepsEdits }
    }

    /// Reads the rows of the store and all edits.
    ///
    /// - Throws: `PersistenceError` of the store.
    package func audit() async throws -> OutboxAudit {
        try await read { (tables) throws(PersistenceError) in
            let keys = try tables.integers("SELECT key FROM \(OutboxTables.objects)")
            let loose = try tables.integers(
                "SELECT key FROM (SELECT key FROM \(OutboxTables.bases) UNION ALL "
                    + "SELECT key FROM \(OutboxTables.entries)) "
                    + "WHERE key NOT IN (SELECT key FROM \(OutboxTables.objects))")
            let check = try PreparedStatement("PRAGMA foreign_key_check", in: tables.database)
            var dangling = 0
            while try check.step() { dangling += 1 }
            return OutboxAudit(
                edits: try tables.load(keys).objects,
                rows: try StoredRows(
                    OutboxTables.Rows(database: tables.database, model: tables.model)),
                looseCount: loose.count, danglingReferenceCount: dangling)
        }
    }
}

extension OutboxTables {
    fileprivate func integers(_ sql: String) throws(PersistenceError) -> [Int64] {
        let statement = try PreparedStatement(sql, in: database)
        var found: [Int64] = []
        while try statement.step() { found.append(statement.integer(0)) }
        return found
    }

    /// A reader of the rows of all entities.
    struct Rows {
        let database: Database
        let model: ManagedObjectModel

        func all() throws(PersistenceError) -> [EditedObject: ObjectImage] {
            var found: [EditedObject: ObjectImage] = [:]
            for layout in model.layouts {
                let statement = try PreparedStatement(
                    "SELECT \(EntityLayout.keyColumn) FROM \(layout.table.quoted)", in: database)
                var keys: [Int64] = []
                while try statement.step() { keys.append(statement.integer(0)) }
                let query = RowQuery.rows(of: layout, keys: keys)
                try query.run(in: database, width: layout.width) { key, row in
                    var image: ObjectImage = [:]
                    for (column, value) in zip(layout.columns, row) { image[column.name] = value }
                    found[EditedObject(entity: layout.name, key: key)] = image
                }
            }
            return found
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import RestOutbox
import RestPersistence

extension OutboxTables {
    /// Returns the keys of the objects with edits whose identity other objects are about to adopt.
    func holders(ofExisting keys: some Sequence<Int64>) throws(PersistenceError) -> [Int64] {
        try integers(
            """
            SELECT o.key FROM \(Self.entries) e JOIN \(Self.objects) o \
            ON o.entity = e.entity AND o.identity = e.existing AND o.key <> e.key \
            WHERE e.existing IS NOT NULL AND e.key IN (SELECT value FROM json_each(?1))
            """, keys)
    }

    /// Returns the identity of an object's row; `nil` for none.
    func identity(ofRow object: EditedObject) throws(PersistenceError) -> StoredValue? {
        guard let index = model.index(of: object.entity) else { return nil }
        let layout = model.layouts[index]
        guard let column = layout.identity.first else { return nil }
        var identity: StoredValue?
        try RowQuery.rows(of: layout, keys: [object.key]).run(in: database, width: layout.width) {
            _, row in identity = row[column].isNull ? nil : row[column]
        }
        return identity
    }

    /// Returns a Boolean value that indicates whether the store has a row with an identity.
    func hasRow(withIdentity identity: StoredValue, _ entity: String) throws(PersistenceError)
        -> Bool
    {
        guard let index = model.index(of: entity) else { return false }
        let layout = model.layouts[index]
        guard let column = layout.identity.first else { return false }
        let statement = try PreparedStatement(
            "SELECT 1 FROM \(layout.table.quoted) WHERE \(layout.columns[column].quoted) = ?1",
            in: database)
        try statement.bind(identity, at: 1)
        return try statement.step()
    }

    /// Returns the object with an identity whose deletion is not acknowledged; `nil` for none.
    func deletedObject(
        withIdentity identity: StoredValue, _ entity: String
    ) throws(PersistenceError) -> EditedObject? {
        let statement = try PreparedStatement(
            "SELECT o.key FROM \(Self.objects) o JOIN \(Self.entries) e "
                + "ON e.key = o.key AND e.kind = 'deletion' WHERE o.entity = ?1 AND o.identity = ?2",
            in: database)
        try statement.bind(.text(entity), at: 1)
        try statement.bind(identity, at: 2)
        guard try statement.step() else { return nil }
        return EditedObject(entity: entity, key: statement.integer(0))
    }

    /// Returns the new objects that the server may have, also those whose creations are on their way.
    func unansweredCreations() throws(PersistenceError) -> [EditedObject] {
        let statement = try PreparedStatement(
            """
            SELECT e.entity, e.key FROM \(Self.attempts) a JOIN \(Self.entries) e \
            ON e.sequence = a.entry WHERE e.kind = 'creation' \
            UNION SELECT entity, key FROM \(Self.entries) WHERE may_exist = 1 \
            UNION SELECT entity, key FROM \(Self.entries) WHERE existing IS NOT NULL
            """, in: database)
        var objects: [EditedObject] = []
        while try statement.step() {
            objects.append(EditedObject(entity: statement.text(0), key: statement.integer(1)))
        }
        return objects
    }

    /// Returns the key of the object with edits that has an identity; `nil` for none.
    func key(ofIdentity identity: StoredValue, _ entity: String) throws(PersistenceError) -> Int64?
    {
        let statement = try PreparedStatement(
            "SELECT key FROM \(Self.objects) WHERE entity = ?1 AND identity = ?2", in: database)
        try statement.bind(.text(entity), at: 1)
        try statement.bind(identity, at: 2)
        return try statement.step() ? statement.integer(0) : nil
    }

    /// Gives objects whose rows are about to be replaced by others the values that the other rows then have: those of
    /// their own rows, and those of the other row that their own rows do not have, or that the program has edited
    /// there.
    ///
    /// - Returns: The names of the properties that have the values of the other row without being edited, by its key.
    func takeValues(
        ofReplaced keys: [Int64: Int64], keeping kept: [Int64: Set<String>],
        _ loaded: inout LoadedEdits
    ) throws(PersistenceError) -> [Int64: Set<String>] {
        var taken: [Int64: Set<String>] = [:]
        for (former, key) in keys {
            guard let object = loaded.objects.keys.first(where: { $0.key == key }),
                let entity = sent.entities[object.entity],
                let index = model.index(of: object.entity)
            else { continue }
            let replaced = EditedObject(entity: object.entity, key: former)
            guard let found = try localRows([replaced])[former] else { continue }
            let layout = model.layouts[index]
            var row = found.row
            if let other = loaded.rows[key] {
                let edited = Set((kept[key] ?? []).compactMap(layout.column(ofProperty:)))
                for column in row.indices where row[column] != other[column] {
                    if edited.contains(column) {
                        row[column] = other[column]
                    } else if row[column] == layout.defaults[column] {
                        row[column] = other[column]
                        taken[key, default: []].insert(layout.columns[column].name)
                    }
                }
            }
            var image = layout.columns(of: entity).mapValues { row[$0] }
            for property in entity.members.keys {
                let sets = [found.image, loaded.objects[object]?.local ?? [:]]
                    .compactMap { $0[property].flatMap(MemberSet.init)?.keys }
                image[property] =
                    MemberSet(sets.reduce(into: Set<Int64>()) { $0.formUnion($1) }).stored
            }
            loaded.objects[object]?.local = image
            loaded.rows[key] = row
        }
        return taken
    }
}

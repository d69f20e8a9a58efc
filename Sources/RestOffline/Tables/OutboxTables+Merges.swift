// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestOutbox
import RestPersistence

/// A merge of edits with values of the server, as it is stored.
struct StoredMerge: Sendable {
    let number: Int64
    let object: EditedObject
    let date: Date
    let base: ObjectImage
    let local: ObjectImage
    let server: ObjectImage
    let result: ObjectImage
}

extension OutboxTables {
    /// Notes a merge, and forgets the oldest ones.
    ///
    /// - Parameters:
    ///   - merge: The merge.
    ///   - object: The object.
    ///   - date: The time.
    ///   - count: The number of merges that are kept.
    /// - Throws: `PersistenceError` of the database.
    func note(
        _ merge: EditMerge, of object: EditedObject, at date: Date, keeping count: Int
    ) throws(PersistenceError) {
        func text(_ path: KeyPath<EditMerge.Property, StoredValue>) -> StoredValue {
            StoredImage(merge.properties.mapValues { $0[keyPath: path] }).text
        }
        let statement = try PreparedStatement(
            "INSERT INTO \(Self.merges) (entry, key, entity, date, base, local, server, result) "
                + "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)", in: database)
        try run(
            statement,
            [
                .integer(merge.sequence), .integer(object.key), .text(object.entity), date.stored,
                text(\.base), text(\.local), text(\.server), text(\.result),
            ])
        let removal = try PreparedStatement(
            "DELETE FROM \(Self.merges) WHERE number <= "
                + "(SELECT max(number) FROM \(Self.merges)) - ?1", in: database)
        try run(removal, [.integer(Int64(max(0, count)))])
    }

    /// Returns a Boolean value that indicates whether values of an entry were merged.
    func hasMerges(of entry: Int64) throws(PersistenceError) -> Bool {
        let statement = try PreparedStatement(
            "SELECT 1 FROM \(Self.merges) WHERE entry = ?1", in: database)
        try statement.bind(.integer(entry), at: 1)
        return try statement.step()
    }

    /// Returns the names of the properties of an entry that were merged.
    func mergedProperties(of entry: Int64) throws(PersistenceError) -> Set<String> {
        let statement = try PreparedStatement(
            "SELECT m.key FROM \(Self.merges) t, json_each(t.result) m WHERE t.entry = ?1",
            in: database)
        try statement.bind(.integer(entry), at: 1)
        var names: Set<String> = []
        while try statement.step() { names.insert(statement.text(0)) }
        return names
    }

    /// Returns the stored merges, the latest one first.
    ///
    /// - Parameter number: The number of a merge; `nil` for all.
    /// - Returns: The merges that can be read.
    /// - Throws: `PersistenceError` of the database.
    func storedMerges(_ number: Int64? = nil) throws(PersistenceError) -> [StoredMerge] {
        let statement = try PreparedStatement(
            "SELECT number, entity, key, date, base, local, server, result FROM \(Self.merges) "
                + "WHERE ?1 IS NULL OR number = ?1 ORDER BY number DESC", in: database)
        try statement.bind(number.map { .integer($0) } ?? .null, at: 1)
        var found: [StoredMerge] = []
        while try statement.step() {
            guard let base = StoredImage(text: statement.text(4)),
                let local = StoredImage(text: statement.text(5)),
                let server = StoredImage(text: statement.text(6)),
                let result = StoredImage(text: statement.text(7))
            else { continue }
            found.append(
                StoredMerge(
                    number: statement.integer(0),
                    object: EditedObject(
                        entity: statement.text(1), key: statement.integer(2)),
                    date: statement.date(3) ?? .distantPast, base: base.image,
                    local: local.image, server: server.image, result: result.image))
        }
        return found
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestOutbox
import RestPersistence
import RestTransport

/// The acknowledged writes that replicas of the server may not have yet, if a lag of the replicas is declared.
extension OutboxTables {
    /// Notes that the server has acknowledged the request of an entry.
    ///
    /// - Parameters:
    ///   - entry: The entry with the values that were sent.
    ///   - object: The object, whose deleted row is still stored.
    ///   - timing: The times of the outbox.
    ///   - date: The time of the answer.
    /// - Throws: `PersistenceError` of the database.
    func acknowledge(
        _ entry: OutboxEntry, of object: EditedObject, _ timing: OutboxTiming, at date: Date
    ) throws(PersistenceError) {
        if timing.replicaLag == .zero { return }
        // A clock that was set back would keep the writes that seem to be later.
        let removal = try PreparedStatement(
            "DELETE FROM \(Self.acknowledged) WHERE date < ?1 OR date > ?2", in: database)
        try run(
            removal,
            [
                date.adding(.zero - timing.replicaLag - timing.longestLife).stored,
                date.adding(timing.longestLife).stored,
            ])
        let names = entry.kind == .deletion ? [] : entry.values.keys.sorted()
        let row = entry.kind == .deletion ? try deletedRow(object.key) : nil
        let statement = try PreparedStatement(
            "INSERT INTO \(Self.acknowledged) (key, entity, kind, properties, \"row\", date) "
                + "VALUES (?1, ?2, ?3, ?4, ?5, ?6)", in: database)
        try run(
            statement,
            [
                .integer(object.key), .text(object.entity), .text(entry.kind.rawValue),
                .text(names.joined(separator: " ")), row.map { StoredImage($0).text } ?? .null,
                date.stored,
            ])
    }

    /// Returns the times from which on all replicas have the writes of objects, by key; only later ones.
    func lagEnds(
        _ timing: OutboxTiming, at date: Date
    ) throws(PersistenceError) -> [Int64: Date] {
        if timing.replicaLag == .zero { return [:] }
        var ends: [Int64: Date] = [:]
        try forEachAcknowledged(timing, sentAt: date) { write in
            let end = write.date.adding(timing.replicaLag)
            ends[write.key] = max(ends[write.key] ?? end, end)
        }
        return ends
    }

    /// A write that the server has acknowledged.
    struct AcknowledgedWrite {
        let key: Int64
        let entity: String
        /// The names of the properties that were sent.
        let properties: [String]
        /// The values of a deleted object; `nil` if the object was not deleted.
        let row: ObjectImage?
        let date: Date
    }

    /// Calls a closure with each write that the response to a request may not have.
    ///
    /// - Parameters:
    ///   - timing: The times of the outbox.
    ///   - date: The time before the request was sent; `nil` if it is not known.
    ///   - body: The closure.
    /// - Throws: `PersistenceError` of the database.
    func forEachAcknowledged(
        _ timing: OutboxTiming, sentAt date: Date?, _ body: (AcknowledgedWrite) -> Void
    ) throws(PersistenceError) {
        let statement = try PreparedStatement(
            "SELECT key, entity, properties, \"row\", date FROM \(Self.acknowledged) "
                + "WHERE ?1 IS NULL OR (date > ?1 AND date < ?2)", in: database)
        let lag = timing.replicaLag
        try statement.bind(date.map { $0.adding(.zero - lag).stored } ?? .null, at: 1)
        try statement.bind(date.map { $0.adding(timing.longestLife).stored } ?? .null, at: 2)
        while try statement.step() {
            let row = statement.value(3).isNull ? nil : StoredImage(text: statement.text(3))?.image
            body(
                AcknowledgedWrite(
                    key: statement.integer(0), entity: statement.text(1),
                    properties: statement.text(2).split(separator: " ").map(String.init), row: row,
                    date: statement.date(4) ?? .distantPast))
        }
    }
}

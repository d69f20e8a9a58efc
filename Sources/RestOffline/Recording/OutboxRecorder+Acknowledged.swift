// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestOutbox
import RestPersistence

extension OutboxRecorder {
    /// Returns what the response to a request may not change, because a replica of the server may not have the
    /// acknowledged writes yet: the sent properties with the version, and deleted rows.
    ///
    /// - Parameters:
    ///   - tables: The tables.
    ///   - target: The key of the object of the request, of which its response is the newest word.
    ///   - date: The time before the request was sent; `nil` if it is not known.
    /// - Returns: The values; none without a declared lag.
    /// - Throws: `PersistenceError` of the database.
    func acknowledgedValues(
        _ tables: OutboxTables, except target: Int64?, sentAt date: Date?
    ) throws(PersistenceError) -> WrittenValues {
        var held = WrittenValues()
        if rules.timing.replicaLag == .zero { return held }
        try tables.forEachAcknowledged(rules.timing, sentAt: date) { write in
            guard write.key != target, let index = rules.model.index(of: write.entity) else {
                return
            }
            let layout = rules.model.layouts[index]
            if let row = write.row {
                held.add(removed: row, layout)
            } else if !write.properties.isEmpty {
                let version = rules.declarations[write.entity]?.versionProperty
                held.add(
                    write.properties + [version].compactMap(\.self), of: write.key, layout)
            }
        }
        return held
    }

    /// Returns what the requests have written whose entries have ended: the sent properties, and deleted rows.
    ///
    /// - Parameters:
    ///   - loaded: The edits before.
    ///   - queue: The edits after.
    ///   - tables: The tables with the edits before.
    /// - Returns: The values.
    /// - Throws: `PersistenceError` of the database.
    func acknowledgedValues(
        since loaded: LoadedEdits, _ queue: OutboxQueue, in tables: OutboxTables
    ) throws(PersistenceError) -> WrittenValues {
        var written = WrittenValues()
        for (object, edits) in loaded.objects {
            guard let entry = edits.entries.first, entry.attempt != nil,
                queue.objects[object]?.entries.first?.sequence != entry.sequence,
                let index = rules.model.index(of: object.entity)
            else { continue }
            let layout = rules.model.layouts[index]
            if entry.kind == .deletion {
                guard let row = try tables.deletedRow(object.key) else { continue }
                written.add(removed: row, layout)
            } else {
                written.add(entry.values.keys, of: object.key, layout)
            }
        }
        return written
    }
}

extension WrittenValues {
    /// Adds the values of a deleted object.
    mutating func add(removed image: ObjectImage, _ layout: EntityLayout) {
        add(removed: layout.columns.map { image[$0.name] ?? .null }, layout.table.index)
    }

    /// Adds properties of an object that are sent.
    mutating func add(
        _ properties: some Sequence<String>, of key: Int64, _ layout: EntityLayout
    ) {
        var mask = ColumnMask()
        for property in properties {
            if let column = layout.column(ofProperty: property) {
                mask.insert(column)
            } else if let end = layout.linkEnd(ofProperty: property) {
                add(members: end.link, of: key, isSource: end.isForward)
            }
        }
        add(mask, of: key)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestOutbox
import RestPersistence
import RestTransport

/// The insertion of the first entries of many objects, by statements that are prepared once.
struct FirstEntryInsertion: ~Copyable {
    private let object: PreparedStatement
    private let entry: PreparedStatement
    private let base: PreparedStatement
    private let principal: StoredValue
    private let created: StoredValue

    init(
        _ tables: OutboxTables, _ principal: Principal?, at date: Date
    ) throws(PersistenceError) {
        self.init(
            object: try PreparedStatement(
                "INSERT OR REPLACE INTO \(OutboxTables.objects) (key, entity, identity, version) "
                    + "VALUES (?1, ?2, ?3, ?4)", in: tables.database),
            entry: try PreparedStatement(
                "INSERT INTO \(OutboxTables.entries) (sequence, key, entity, kind, principal, "
                    + "created, state) VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'waiting')",
                in: tables.database),
            base: try PreparedStatement(
                "INSERT OR REPLACE INTO \(OutboxTables.bases) (key, entity, property, value) "
                    + "VALUES (?1, ?2, ?3, ?4)", in: tables.database),
            principal: principal.map { .text($0.id) } ?? .null,
            created: .double(date.timeIntervalSinceReferenceDate))
    }

    private init(
        object: consuming PreparedStatement, entry: consuming PreparedStatement,
        base: consuming PreparedStatement, principal: StoredValue, created: StoredValue
    ) {
        self.object = object
        self.entry = entry
        self.base = base
        self.principal = principal
        self.created = created
    }

    func insert(
        _ kind: OutboxEntry.Kind, of edited: EditedObject, _ facts: RowFacts?, sequence: Int64
    ) throws(PersistenceError) {
        let (key, entity) = (StoredValue.integer(edited.key), StoredValue.text(edited.entity))
        try object.bind(key, at: 1)
        try object.bind(entity, at: 2)
        try object.bind(facts?.identity ?? .null, at: 3)
        try object.bind(facts?.version.map { .integer($0) } ?? .null, at: 4)
        try object.run()
        try entry.bind(.integer(sequence), at: 1)
        try entry.bind(key, at: 2)
        try entry.bind(entity, at: 3)
        try entry.bind(.text(kind.rawValue), at: 4)
        try entry.bind(principal, at: 5)
        try entry.bind(created, at: 6)
        try entry.run()
    }

    func insert(bases: ObjectImage, of edited: EditedObject) throws(PersistenceError) {
        for (property, value) in bases {
            try base.bind(.integer(edited.key), at: 1)
            try base.bind(.text(edited.entity), at: 2)
            try base.bind(.text(property), at: 3)
            try base.bind(value, at: 4)
            try base.run()
        }
    }
}

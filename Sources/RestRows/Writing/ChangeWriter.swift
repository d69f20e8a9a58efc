// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB

/// Writes a change set in a transaction, with one prepared statement for each kind of change.
package struct ChangeWriter {
    let database: Database
    let model: ManagedObjectModel
    let policy: MergePolicy
    var rows = SaveReport()
    var tables: [TableCommit]
    var links: [LinkCommit]
    /// A Boolean value that indicates whether other connections may have committed since the last
    /// write of this one.
    var hasForeignCommits = false
    /// The properties that the store has changed as well.
    var conflicts: [SaveConflict] = []
    /// The rows whose stored values are not those of the change set.
    var staleKeys: [Int64] = []
    /// The rows that have been deleted, to which references have been cleared.
    var deletedKeys: Set<Int64> = []
    /// The rows that delete rules have deleted, because others have saved references since the context
    /// applied the rules.
    var cascadedRows: [TableCommit.Row] = []
    /// Their keys.
    var cascadedKeys: Set<Int64> = []
    /// The rows whose update other rows prevent, because they have the new identity.
    var blockedRows: [BlockedRow] = []
    /// The rows that have been inserted; known once pending references are connected.
    var insertedKeys: Set<Int64> = []
    /// The new rows that others have inserted already.
    var replacements = KeyReplacements()
    let store: UUID
    /// The indices of the entities whose rows are explained.
    var explainedEntities: Set<Int> = []
    /// A Boolean value that indicates whether requests are in progress.
    var hasRequests = false
    /// The values that the responses to requests in progress must not bring back: those of deleted rows, and those
    /// that other requests have replaced.
    var fenced = WrittenValues()
    /// The objects to which deleted and moved rows have referred, by the entity of these rows and by table.
    var formerOwners: [Int: [Int: Set<Int64>]] = [:]
    /// The rows of which a program has edited values.
    var editedKeys: Set<Int64> = []
    /// The edits for the observer of the store; `nil` if it has none.
    var observation: Observation?
    /// The origin of the commit.
    var origin = StoreCommit.Origin.local
    /// The progress of walks that the file does not have yet.
    let heldWalks: HeldWalks
    /// The walks that are held after the commit; those that were noted are `nil`.
    var walkChanges: [CollectionRequest: HeldWalk?] = [:]

    init(
        database: Database, model: ManagedObjectModel, store: UUID, policy: MergePolicy,
        heldWalks: HeldWalks
    ) {
        self.database = database
        self.heldWalks = heldWalks
        self.model = model
        self.store = store
        self.policy = policy
        tables = model.tables.map { _ in TableCommit() }
        links = model.links.map { _ in LinkCommit() }
    }

    /// Writes all changes; the caller commits the transaction, or rolls it back after an error.
    mutating func write(_ changes: ChangeSet) throws {
        var changes = try observing(mergingImported(changes))
        // Deletions first, so that a new row can have the identity of a deleted one. Foreign keys
        // are checked when the transaction commits, so the order of tables does not matter.
        if changes.hasDeletions { try delete(changes) }
        try noteFormerOwners(before: changes)
        changes = try resolvingOneToOne(changes)
        for table in model.tables where !changes.tables[table.index].isEmpty {
            try update(changes.tables[table.index], table)
        }
        if !conflicts.isEmpty { throw PersistenceError(conflicts: conflicts) }
        for table in model.tables where !changes.tables[table.index].isEmpty {
            try insert(changes.tables[table.index], table)
        }
        for index in model.links.indices where !changes.links[index].isEmpty {
            try write(changes.links[index], index)
        }
        try removeDanglingReferences(changes)
        try writePendingReferences(changes)
        try writeCollections(changes)
        if !explainedEntities.isEmpty {
            try writeExplanations(changes, of: explainedEntities)
        }
        try recordEdits()
        try SearchIndex(model: model, database: database).update(tables)
        for table in model.tables where !tables[table.index].isEmpty {
            try database.notifyChanges(in: Table(table.name))
        }
        for (index, link) in model.links.enumerated() where !links[index].isEmpty {
            try database.notifyChanges(in: Table(link.table))
        }
    }

    /// Returns the result of the write for a context.
    func outcome(writer: ContextToken?) -> SaveOutcome {
        var report = rows
        for (index, link) in model.links.enumerated() where !links[index].isEmpty {
            report.relationships.append(
                SaveReport.RelationshipChanges(
                    entity: model.layouts[link.source].name, relationship: link.relationship,
                    inserted: links[index].inserted.count, deleted: links[index].deleted.count,
                    moved: links[index].moved.count))
        }
        let commit = StoreCommit(
            origin, tables: tables, links: links, writer: writer, replacements: replacements,
            model: model, store: store)
        return SaveOutcome(
            report: report, commit: commit, staleKeys: staleKeys, cascadedRows: cascadedRows)
    }

    // MARK: Join tables

    private mutating func write(_ changes: LinkChanges, _ index: Int) throws {
        let link = model.links[index]
        let delete = try PreparedStatement(
            "DELETE FROM \(link.quoted) WHERE source = ? AND target = ?", in: database)
        let insertion = try insertion(of: index)
        let presence = try presence(in: index)
        for (pair, change) in changes.pairs {
            if change.isMember {
                try insert(pair, index, change, insertion, presence)
            } else {
                try Self.bind(pair, to: delete)
                guard try delete.run() > 0 else { continue }
                links[index].deleted.append(pair)
                noteLinkEdit(pair, index, change)
            }
        }
    }

    private func presence(in index: Int) throws(PersistenceError) -> PreparedStatement {
        try PreparedStatement(
            "SELECT 1 FROM \(model.links[index].quoted) WHERE source = ? AND target = ?",
            in: database)
    }

    private mutating func insert(
        _ pair: LinkPair, _ index: Int, _ change: LinkChange,
        _ insertion: borrowing PreparedStatement, _ presence: borrowing PreparedStatement
    ) throws(PersistenceError) {
        let link = model.links[index]
        var isKnown = false
        if link.isTargetOrdered || link.isSourceOrdered {
            try Self.bind(pair, to: presence)
            isKnown = try presence.step()
            presence.reset()
        }
        if change.isMove, !isKnown { return }
        if change.isRenewed, isKnown { return try renew(pair, index, change) }
        try Self.bind(pair, to: insertion)
        var parameter: Int = 3
        for (isOrdered, position) in [
            (link.isTargetOrdered, change.targetPosition),
            (link.isSourceOrdered, change.sourcePosition),
        ] where isOrdered {
            try insertion.bind(position.map { .integer($0) } ?? .null, at: parameter)
            parameter += 1
        }
        guard try insertion.run() > 0 else { return }
        if isKnown {
            links[index].moved.append(pair)
        } else {
            links[index].inserted.append(pair)
            noteLinkEdit(pair, index, change)
        }
    }

    /// Gives a row the positions of a change, also none.
    private mutating func renew(
        _ pair: LinkPair, _ index: Int, _ change: LinkChange
    ) throws(PersistenceError) {
        let link = model.links[index]
        let places = [
            (link.isTargetOrdered, LinkLayout.targetPosition, change.targetPosition),
            (link.isSourceOrdered, LinkLayout.sourcePosition, change.sourcePosition),
        ].filter(\.0)
        let (names, marks) = (places.map(\.1), places.indices.map { "?\($0 + 3)" })
        let assignments = zip(names, marks).map { "\($0) = \($1)" }.joined(separator: ", ")
        let guards = zip(names, marks).map { "\($0) IS NOT \($1)" }.joined(separator: " OR ")
        let statement = try PreparedStatement(
            "UPDATE \(link.quoted) SET \(assignments) "
                + "WHERE source = ?1 AND target = ?2 AND (\(guards))", in: database)
        try Self.bind(pair, to: statement)
        for (offset, place) in places.enumerated() {
            try statement.bind(place.2.map { .integer($0) } ?? .null, at: offset + 3)
        }
        if try statement.run() > 0 { links[index].moved.append(pair) }
    }

    private static func bind(
        _ pair: LinkPair, to statement: borrowing PreparedStatement
    ) throws(PersistenceError) {
        try statement.bind(.integer(pair.source), at: 1)
        try statement.bind(.integer(pair.target), at: 2)
    }

    /// Returns the statement that inserts a row, or changes its positions if they are given.
    ///
    /// A statement for a list has it as its only parameter, and returns the rows that it inserts or
    /// changes.
    func insertion(
        of index: Int, isList: Bool = false
    ) throws(PersistenceError) -> PreparedStatement {
        let link = model.links[index]
        let ordered = [
            (link.isTargetOrdered, LinkLayout.targetPosition),
            (link.isSourceOrdered, LinkLayout.sourcePosition),
        ].filter(\.0).map(\.1)
        let columns = ["source", "target"] + ordered
        let values = columns.indices.map { isList ? "json_extract(value, '$[\($0)]')" : "?" }
            .joined(separator: ", ")
        let rows =
            isList ? "SELECT \(values) FROM json_each(?1) WHERE true" : "VALUES (\(values))"
        let assignments = ordered.map { "\($0) = coalesce(excluded.\($0), \($0))" }
        let guards = ordered.map { "\($0) IS NOT coalesce(excluded.\($0), \($0))" }
        let conflict =
            ordered.isEmpty
            ? "DO NOTHING"
            : "DO UPDATE SET \(assignments.joined(separator: ", ")) "
                + "WHERE \(guards.joined(separator: " OR "))"
        return try PreparedStatement(
            "INSERT INTO \(link.quoted) (\(columns.joined(separator: ", "))) "
                + "\(rows) ON CONFLICT \(conflict)\(isList ? " RETURNING source, target" : "")",
            in: database)
    }
}

/// The result of writing a change set.
package struct SaveOutcome: Sendable {
    package let report: SaveReport
    package let commit: StoreCommit
    /// The rows whose stored values are not those that the context has.
    package let staleKeys: [Int64]
    /// The rows that delete rules have deleted, and that the context has not.
    package let cascadedRows: [TableCommit.Row]
}

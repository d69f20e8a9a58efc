// SPDX-License-Identifier: Apache-2.0

import GRDB

/// Writes a change set in a transaction, with one prepared statement for each kind of change.
struct ChangeWriter {
    let database: Database
    let model: ManagedObjectModel
    private var rows = SaveReport()
    /// The changed rows of each join table.
    private var linkRows: [SaveReport.RelationshipChanges]

    init(database: Database, model: ManagedObjectModel) {
        self.database = database
        self.model = model
        linkRows = model.links.map {
            SaveReport.RelationshipChanges(
                entity: model.layouts[$0.source].name, relationship: $0.relationship)
        }
    }

    var report: SaveReport {
        var report = rows
        report.relationships = linkRows.filter { $0.inserted + $0.deleted > 0 }
        return report
    }

    mutating func write(_ changes: ChangeSet) throws {
        // Deletions first, so that a new row can have the identity of a deleted one. Foreign keys
        // are checked when the transaction commits, so the order of entities does not matter.
        for table in model.tables where changes.tables[table.index].deletedCount > 0 {
            try delete(changes.tables[table.index], table)
        }
        for table in model.tables where !changes.tables[table.index].isEmpty {
            let before = rows.inserted + rows.updated
            try update(changes.tables[table.index], table)
            try insert(changes.tables[table.index], table)
            if rows.inserted + rows.updated > before {
                try database.notifyChanges(in: Table(table.name))
            }
        }
        for (index, link) in model.links.enumerated() {
            if !changes.links[index].isEmpty { try write(changes.links[index], index) }
            if linkRows[index].inserted + linkRows[index].deleted > 0 {
                try database.notifyChanges(in: Table(link.table))
            }
        }
    }

    private mutating func delete(_ changes: TableChanges, _ table: TableLayout) throws {
        try deleteLinks(of: changes, table)
        let statement = try PreparedStatement(
            "DELETE FROM \(table.quoted) WHERE \(EntityLayout.keyColumn) = ?", in: database)
        var count = 0
        for slot in 0..<changes.count where changes.states[slot] == .deleted {
            try statement.bind(.integer(changes.keys[slot]), at: 1)
            count += try statement.run()
        }
        rows.deleted += count
        guard count > 0 else { return }
        // The database changes the rows that referred to the deleted ones.
        try database.notifyChanges(in: Table(table.name))
        for other in model.tables {
            let refersToTable = other.references.contains { column in
                other.columns[column].destination.map(table.entities.contains) == true
            }
            if refersToTable { try database.notifyChanges(in: Table(other.name)) }
        }
    }

    /// Deletes the rows of join tables that refer to deleted objects.
    ///
    /// The foreign keys would delete them as well, but SQLite does not count such rows.
    private mutating func deleteLinks(of changes: TableChanges, _ table: TableLayout) throws {
        for (index, link) in model.links.enumerated() {
            let ends = [("source", link.source), ("target", link.target)]
            let columns = ends.filter { table.entities.contains($0.1) }.map { "\($0.0) = ?1" }
            if columns.isEmpty { continue }
            let statement = try PreparedStatement(
                "DELETE FROM \(link.quoted) WHERE \(columns.joined(separator: " OR "))",
                in: database)
            for slot in 0..<changes.count where changes.states[slot] == .deleted {
                try statement.bind(.integer(changes.keys[slot]), at: 1)
                linkRows[index].deleted += try statement.run()
            }
        }
    }

    private mutating func insert(_ changes: TableChanges, _ table: TableLayout) throws {
        let names = [EntityLayout.keyColumn] + table.columns.map(\.quoted)
        let marks = Array(repeating: "?", count: names.count).joined(separator: ", ")
        let statement = try PreparedStatement(
            "INSERT INTO \(table.quoted) (\(names.joined(separator: ", "))) VALUES (\(marks))",
            in: database)
        for slot in 0..<changes.count where changes.states[slot] == .inserted {
            try statement.bind(.integer(changes.keys[slot]), at: 1)
            for column in 0..<table.width {
                try statement.bind(changes.value(slot, column), at: column + 2)
            }
            rows.inserted += try statement.run()
        }
    }

    /// Updates rows, with one statement for all rows that have the same changed columns.
    private mutating func update(_ changes: TableChanges, _ table: TableLayout) throws {
        var groups: [ColumnMask: Int] = [:]
        var slots: [(mask: ColumnMask, slots: [Int])] = []
        for slot in 0..<changes.count where changes.states[slot] == .updated {
            let mask = changes.masks[slot]
            if let group = groups[mask] {
                slots[group].slots.append(slot)
            } else {
                groups[mask] = slots.count
                slots.append((mask, [slot]))
            }
        }
        for (mask, slots) in slots where !mask.isEmpty {
            try update(slots, mask.columns, changes, table)
        }
    }

    private mutating func update(
        _ slots: [Int], _ columns: [Int], _ changes: TableChanges, _ table: TableLayout
    ) throws {
        let names = columns.map { table.columns[$0].quoted }
        let assignments = names.enumerated().map { "\($1) = ?\($0 + 1)" }
        let guards = names.enumerated().map { "\($1) IS NOT ?\($0 + 1)" }
        let key = "\(EntityLayout.keyColumn) = ?\(names.count + 1)"
        let statement = try PreparedStatement(
            "UPDATE \(table.quoted) SET \(assignments.joined(separator: ", ")) WHERE \(key) "
                + "AND (\(guards.joined(separator: " OR ")))", in: database)
        let presence = try PreparedStatement(
            "SELECT 1 FROM \(table.quoted) WHERE \(EntityLayout.keyColumn) = ?", in: database)
        for slot in slots {
            for (index, column) in columns.enumerated() {
                try statement.bind(changes.value(slot, column), at: index + 1)
            }
            try statement.bind(.integer(changes.keys[slot]), at: names.count + 1)
            if try statement.run() > 0 {
                rows.updated += 1
                continue
            }
            // Nothing was written: either the row has the values, or it no longer exists.
            try presence.bind(.integer(changes.keys[slot]), at: 1)
            guard try presence.step() else {
                throw PersistenceError(.objectNotFound, entity: table.name)
            }
            presence.reset()
            rows.unchanged += 1
        }
    }

    private mutating func write(_ changes: LinkChanges, _ index: Int) throws {
        let link = model.links[index]
        let insert = try PreparedStatement(Self.insertion(of: link), in: database)
        let delete = try PreparedStatement(
            "DELETE FROM \(link.quoted) WHERE source = ? AND target = ?", in: database)
        for (pair, change) in changes.pairs {
            guard change.isMember else {
                try delete.bind(.integer(pair.source), at: 1)
                try delete.bind(.integer(pair.target), at: 2)
                linkRows[index].deleted += try delete.run()
                continue
            }
            try insert.bind(.integer(pair.source), at: 1)
            try insert.bind(.integer(pair.target), at: 2)
            var parameter = 3
            for (isOrdered, position) in [
                (link.isTargetOrdered, change.targetPosition),
                (link.isSourceOrdered, change.sourcePosition),
            ] where isOrdered {
                try insert.bind(position.map { .integer($0) } ?? .null, at: parameter)
                parameter += 1
            }
            linkRows[index].inserted += try insert.run()
        }
    }

    /// Returns the statement that inserts a row, or changes its positions if they are given.
    private static func insertion(of link: LinkLayout) -> String {
        let ordered = [
            (link.isTargetOrdered, LinkLayout.targetPosition),
            (link.isSourceOrdered, LinkLayout.sourcePosition),
        ].filter(\.0).map(\.1)
        let columns = ["source", "target"] + ordered
        let marks = Array(repeating: "?", count: columns.count).joined(separator: ", ")
        let assignments = ordered.map { "\($0) = coalesce(excluded.\($0), \($0))" }
        let guards = ordered.map { "\($0) IS NOT coalesce(excluded.\($0), \($0))" }
        let conflict =
            ordered.isEmpty
            ? "DO NOTHING"
            : "DO UPDATE SET \(assignments.joined(separator: ", ")) "
                + "WHERE \(guards.joined(separator: " OR "))"
        return "INSERT INTO \(link.quoted) (\(columns.joined(separator: ", "))) "
            + "VALUES (\(marks)) ON CONFLICT \(conflict)"
    }
}

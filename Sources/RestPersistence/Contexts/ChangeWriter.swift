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
        for layout in model.layouts where changes.entities[layout.index].deletedCount > 0 {
            try delete(changes.entities[layout.index], layout)
        }
        for layout in model.layouts where !changes.entities[layout.index].isEmpty {
            let before = rows.inserted + rows.updated
            try update(changes.entities[layout.index], layout)
            try insert(changes.entities[layout.index], layout)
            if rows.inserted + rows.updated > before {
                try database.notifyChanges(in: Table(layout.name))
            }
        }
        for (index, link) in model.links.enumerated() {
            if !changes.links[index].isEmpty { try write(changes.links[index], index) }
            if linkRows[index].inserted + linkRows[index].deleted > 0 {
                try database.notifyChanges(in: Table(link.table))
            }
        }
    }

    private mutating func delete(_ changes: EntityChanges, _ layout: EntityLayout) throws {
        try deleteLinks(of: changes, layout)
        let statement = try PreparedStatement(
            "DELETE FROM \(layout.table) WHERE \(EntityLayout.keyColumn) = ?", in: database)
        var count = 0
        for slot in 0..<changes.count where changes.states[slot] == .deleted {
            try statement.bind(.integer(changes.keys[slot]), at: 1)
            count += try statement.run()
        }
        rows.deleted += count
        guard count > 0 else { return }
        // The database changes the rows that referred to the deleted ones.
        try database.notifyChanges(in: Table(layout.name))
        for other in model.layouts {
            let refersToEntity = other.relationships.contains {
                guard $0.destination == layout.index, case .column = $0.storage else {
                    return false
                }
                return true
            }
            if refersToEntity { try database.notifyChanges(in: Table(other.name)) }
        }
    }

    /// Deletes the rows of join tables that refer to deleted objects.
    ///
    /// The foreign keys would delete them as well, but SQLite does not count such rows.
    private mutating func deleteLinks(of changes: EntityChanges, _ layout: EntityLayout) throws {
        for (index, link) in model.links.enumerated() {
            let ends = [("source", link.source), ("target", link.target)]
            let columns = ends.filter { $0.1 == layout.index }.map { "\($0.0) = ?1" }
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

    private mutating func insert(_ changes: EntityChanges, _ layout: EntityLayout) throws {
        let names = [EntityLayout.keyColumn] + layout.columns.map(\.quoted)
        let marks = Array(repeating: "?", count: names.count).joined(separator: ", ")
        let statement = try PreparedStatement(
            "INSERT INTO \(layout.table) (\(names.joined(separator: ", "))) VALUES (\(marks))",
            in: database)
        for slot in 0..<changes.count where changes.states[slot] == .inserted {
            try statement.bind(.integer(changes.keys[slot]), at: 1)
            for column in 0..<layout.width {
                try statement.bind(changes.value(slot, column), at: column + 2)
            }
            rows.inserted += try statement.run()
        }
    }

    /// Updates rows, with one statement for all rows that have the same changed columns.
    private mutating func update(_ changes: EntityChanges, _ layout: EntityLayout) throws {
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
            try update(slots, mask.columns, changes, layout)
        }
    }

    private mutating func update(
        _ slots: [Int], _ columns: [Int], _ changes: EntityChanges, _ layout: EntityLayout
    ) throws {
        let names = columns.map { layout.columns[$0].quoted }
        let assignments = names.enumerated().map { "\($1) = ?\($0 + 1)" }
        let guards = names.enumerated().map { "\($1) IS NOT ?\($0 + 1)" }
        let key = "\(EntityLayout.keyColumn) = ?\(names.count + 1)"
        let statement = try PreparedStatement(
            "UPDATE \(layout.table) SET \(assignments.joined(separator: ", ")) WHERE \(key) "
                + "AND (\(guards.joined(separator: " OR ")))", in: database)
        let presence = try PreparedStatement(
            "SELECT 1 FROM \(layout.table) WHERE \(EntityLayout.keyColumn) = ?", in: database)
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
                throw PersistenceError(.objectNotFound, entity: layout.name)
            }
            presence.reset()
            rows.unchanged += 1
        }
    }

    private mutating func write(_ changes: LinkChanges, _ index: Int) throws {
        let link = model.links[index]
        let insert = try PreparedStatement(
            "INSERT INTO \(link.quoted) (source, target) VALUES (?, ?) ON CONFLICT DO NOTHING",
            in: database)
        let delete = try PreparedStatement(
            "DELETE FROM \(link.quoted) WHERE source = ? AND target = ?", in: database)
        for (pair, isMember) in changes.pairs {
            if isMember {
                try insert.bind(.integer(pair.source), at: 1)
                try insert.bind(.integer(pair.target), at: 2)
                linkRows[index].inserted += try insert.run()
            } else {
                try delete.bind(.integer(pair.source), at: 1)
                try delete.bind(.integer(pair.target), at: 2)
                linkRows[index].deleted += try delete.run()
            }
        }
    }
}

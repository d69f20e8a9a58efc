// SPDX-License-Identifier: Apache-2.0

import GRDB

/// The deletion of rows.
///
/// A context applies the delete rules to the rows that it has read. Others may have saved rows since
/// that refer to a deleted one, so that the rules are applied to these here, under the lock of the
/// writer, level by level.
extension ChangeWriter {
    private typealias Destination = DeletionWalk.Destination

    /// Deletes rows, and applies the delete rules to the rows that refer to them.
    ///
    /// - Throws: ``PersistenceError`` with code `invalidObject` if a relationship denies a deletion.
    mutating func delete(_ changes: ChangeSet) throws(PersistenceError) {
        var deleted: [TableCommit.Row] = []
        for table in model.tables where changes.tables[table.index].deletedCount > 0 {
            let rows = changes.tables[table.index]
            for slot in 0..<rows.count where rows.states[slot] == .deleted {
                deleted.append(TableCommit.Row(key: rows.keys[slot], entity: rows.entities[slot]))
                deletedKeys.insert(rows.keys[slot])
            }
        }
        let denying = try DeletionWalk.delete(deleted) { level throws(PersistenceError) in
            try delete(level, changes)
        } followedBy: { destination throws(PersistenceError) in
            try cascade(to: destination)
        }
        var errors: [ValidationError] = []
        for destination in denying where !deletedKeys.contains(destination.key) {
            let owner = ManagedObjectID(
                key: destination.owner.key, layout: model.layouts[destination.owner.entity],
                store: store)
            let error = ValidationError(deletionOf: owner, deniedBy: destination.relationship)
            if !errors.contains(error) { errors.append(error) }
        }
        if !errors.isEmpty { throw PersistenceError(validationErrors: errors) }
    }

    /// Deletes a level of rows, by table.
    ///
    /// - Returns: The destinations of relationships with a rule.
    private mutating func delete(
        _ level: [TableCommit.Row], _ changes: ChangeSet
    ) throws(PersistenceError) -> [Destination] {
        let levels = Dictionary(grouping: level) { model.layouts[$0.entity].table.index }
        var destinations: [Destination] = []
        for table in model.tables {
            guard let rows = levels[table.index] else { continue }
            try noteFormerOwners(of: rows.map(\.key), table)
            destinations += try deleteLinks(of: rows, table, changes)
            destinations += try clearReferences(to: rows, table, changes)
            destinations += try delete(rows, table, changes)
        }
        // The object of a replaced row still exists.
        destinations.removeAll { replacements.keys[$0.owner.key] != nil }
        return destinations
    }

    /// Notes that the rule ``DeleteRule/cascade`` deletes a destination, and returns its row; `nil` if it is
    /// deleted already.
    private mutating func cascade(
        to destination: Destination
    ) throws(PersistenceError) -> TableCommit.Row? {
        guard deletedKeys.insert(destination.key).inserted else { return nil }
        let table = model.layouts[destination.relationship.destination].table
        let row = TableCommit.Row(
            key: destination.key, entity: try entity(of: destination, table))
        cascadedKeys.insert(row.key)
        cascadedRows.append(row)
        return row
    }

    private func entity(
        of destination: Destination, _ table: TableLayout
    ) throws(PersistenceError) -> Int {
        if let entity = destination.entity { return entity }
        if table.entityColumn == nil { return table.entities[0] }
        let statement = try PreparedStatement(
            "SELECT \(Self.columns(table)) FROM \(table.quoted) "
                + "WHERE \(EntityLayout.keyColumn) = ?", in: database)
        try statement.bind(.integer(destination.key), at: 1)
        return try statement.step() ? entity(statement, table) : table.entities[0]
    }

    // MARK: Rows

    /// Deletes the rows.
    ///
    /// - Returns: The destinations of relationships with a rule that are stored in the rows.
    private mutating func delete(
        _ rows: [TableCommit.Row], _ table: TableLayout, _ changes: ChangeSet
    ) throws(PersistenceError) -> [Destination] {
        var relationships: [Int: [(relationship: RelationshipLayout, column: Int)]] = [:]
        for entity in table.entities {
            let rules = model.deletionRules[entity]
            relationships[entity] = (rules.cascading + rules.denying).compactMap {
                guard case .column(let column) = $0.storage else { return nil }
                return ($0, column)
            }
        }
        let columns = Set(relationships.values.joined().map(\.column)).sorted()
        let names = [EntityLayout.keyColumn] + columns.map { table.columns[$0].quoted }
        let statement = try PreparedStatement(
            "DELETE FROM \(table.quoted) WHERE \(EntityLayout.keyColumn) IN "
                + "(SELECT value FROM json_each(?)) RETURNING \(names.joined(separator: ", "))",
            in: database)
        if observation != nil { try noteDeletionEdits(rows, table) }
        if hasRequests {
            let query = RowQuery.rows(of: model.layouts[table.entities[0]], keys: rows.map(\.key))
            try query.run(in: database, width: table.width) { _, values in
                fenced.add(removed: values, table.index)
            }
        }
        try statement.bind(RowQuery.list(rows.lazy.map(\.key)), at: 1)
        var deleted: [Int64: [StoredValue]] = [:]
        while try statement.step() {
            deleted[statement.integer(0)] = statement.values(from: 1, columns.count)
        }
        var destinations: [Destination] = []
        for row in rows {
            guard let values = deleted.removeValue(forKey: row.key) else { continue }
            note(row, table)
            for (relationship, column) in relationships[row.entity] ?? [] {
                guard let position = columns.firstIndex(of: column),
                    case .integer(let key) = values[position],
                    !deletedKeys.contains(key),
                    changes.tables[table.index].changedValue(row.key, column) == nil
                else { continue }
                destinations.append(
                    Destination(key: key, entity: nil, owner: row, relationship: relationship))
            }
        }
        return destinations
    }

    private mutating func note(_ deleted: TableCommit.Row, _ table: TableLayout) {
        rows.deleted += 1
        tables[table.index].updated[deleted.key] = nil
        tables[table.index].deleted.append(deleted)
    }

    // MARK: References

    /// Clears the optional foreign keys that refer to deleted rows.
    ///
    /// The database would clear them as well, but would not name the rows.
    ///
    /// - Returns: The rows whose references are the inverse of a relationship with a rule.
    private mutating func clearReferences(
        to deleted: [TableCommit.Row], _ table: TableLayout, _ changes: ChangeSet
    ) throws(PersistenceError) -> [Destination] {
        var destinations: [Destination] = []
        let list = RowQuery.list(deleted.lazy.map(\.key))
        // All entities of a table have the same references, with rules of their own.
        let references = model.deletionRules[table.entities[0]].columns
        for (index, reference) in references.enumerated() {
            let (other, column) = (model.tables[reference.table], reference.column)
            let rules = self.rules(of: table) { $0.columns[index].relationship }
            let isRequired = other.columns[column].isRequired
            if isRequired, rules.isEmpty { continue }
            let referring = try self.referring(to: list, by: column, of: other)
            if !isRequired, !referring.isEmpty {
                let name = other.columns[column].quoted
                let update = try PreparedStatement(
                    "UPDATE \(other.quoted) SET \(name) = NULL WHERE \(name) IN "
                        + "(SELECT value FROM json_each(?))", in: database)
                try update.bind(list, at: 1)
                try update.run()
            }
            if referring.isEmpty { continue }
            var mask = ColumnMask()
            mask.insert(column)
            for row in deleted {
                for (key, entity) in referring[row.key] ?? [] {
                    if !isRequired { noteClearedEdit(key, entity, column, row.key) }
                    if deletedKeys.contains(key) { continue }
                    if let relationship = rules[row.entity],
                        changes.tables[other.index].changedValue(key, column) == nil
                    {
                        destinations.append(
                            Destination(
                                key: key, entity: entity, owner: row,
                                relationship: relationship))
                    } else if !isRequired {
                        tables[other.index].update(key, entity, mask)
                        staleKeys.append(key)
                    }
                }
            }
        }
        return destinations
    }

    /// Returns the rows of a table that refer to rows, by the key of the row.
    private func referring(
        to list: StoredValue, by column: Int, of table: TableLayout
    ) throws(PersistenceError) -> [Int64: [(key: Int64, entity: Int)]] {
        let name = table.columns[column].quoted
        // The name follows the key and, if there is one, the name of the entity.
        let place = table.entityColumn == nil ? 1 : 2
        let statement = try PreparedStatement(
            "SELECT \(Self.columns(table)), \(name) FROM \(table.quoted) WHERE \(name) IN "
                + "(SELECT value FROM json_each(?))", in: database)
        try statement.bind(list, at: 1)
        var referring: [Int64: [(key: Int64, entity: Int)]] = [:]
        while try statement.step() {
            referring[statement.integer(place), default: []].append(
                (statement.integer(0), entity(statement, table)))
        }
        return referring
    }

    /// Deletes the rows of join tables that refer to deleted rows.
    ///
    /// The foreign keys would delete them as well, but would not name the rows.
    ///
    /// - Returns: The rows at the other ends of relationships with a rule.
    private mutating func deleteLinks(
        of deleted: [TableCommit.Row], _ table: TableLayout, _ changes: ChangeSet
    ) throws(PersistenceError) -> [Destination] {
        let ends = model.deletionRules[table.entities[0]].links
        if ends.isEmpty { return [] }
        var destinations: [Destination] = []
        let list = RowQuery.list(deleted.lazy.map(\.key))
        let owners = Dictionary(uniqueKeysWithValues: deleted.map { ($0.key, $0) })
        for (index, link) in model.links.enumerated() {
            for end in ends.indices where ends[end].link == index {
                let isSource = ends[end].isSource
                let rules = self.rules(of: table) { $0.links[end].relationship }
                let statement = try PreparedStatement(
                    "DELETE FROM \(link.quoted) WHERE \(isSource ? "source" : "target") IN "
                        + "(SELECT value FROM json_each(?1)) RETURNING source, target",
                    in: database)
                try statement.bind(list, at: 1)
                while try statement.step() {
                    let pair = LinkPair(statement.integer(0), statement.integer(1), isForward: true)
                    links[index].deleted.append(pair)
                    noteClearedLink(pair, index)
                    if rules.isEmpty { continue }
                    let (own, other) = (
                        pair.key(isSource: isSource), pair.key(isSource: !isSource)
                    )
                    guard let row = owners[own], let relationship = rules[row.entity],
                        !deletedKeys.contains(other),
                        changes.links[index].pairs[pair]?.isMember != false
                    else { continue }
                    destinations.append(
                        Destination(
                            key: other, entity: nil, owner: row, relationship: relationship))
                }
            }
        }
        return destinations
    }

    /// Returns the relationship that has a rule for a reference, by entity.
    private func rules(
        of table: TableLayout, for reference: (DeletionRules) -> RelationshipLayout?
    ) -> [Int: RelationshipLayout] {
        var rules: [Int: RelationshipLayout] = [:]
        for entity in table.entities { rules[entity] = reference(model.deletionRules[entity]) }
        return rules
    }
}

// SPDX-License-Identifier: Apache-2.0

import GRDB

// Members of collections are related to objects of other collections, whose responses may have contained
// them. A key belongs to one row of the store, so that sets of keys need no entities.

extension ManagedObjectContext {
    /// Deletes members of collections, and takes the validators from the collections of the rows that are
    /// related to them, so that the next responses restore the relationships.
    ///
    /// - Throws: ``PersistenceError`` of the database.
    package func deleteMembers(_ ids: [ManagedObjectID]) throws(PersistenceError) {
        let deletion = try MemberDeletion(ids, in: self)
        let related = try deletion.relatedKeys(in: self)
        delete(ids)
        if !related.isEmpty { record(.diminished(related.sorted())) }
    }

    /// Returns those of some objects whose deletion leaves no other row without its reference.
    ///
    /// An object stays if a row that stays refers to it, or to a row that would be deleted with it.
    ///
    /// - Parameters:
    ///   - ids: The objects.
    ///   - kept: The keys of rows that stay in any case.
    /// - Returns: The objects that can be deleted.
    /// - Throws: ``PersistenceError`` of the database.
    /// - Complexity: The number of queries depends on the model and the length of chains of references, not
    ///   on the number of objects.
    func withoutReferredObjects(
        _ ids: [ManagedObjectID], keeping kept: Set<Int64>
    ) throws(PersistenceError) -> [ManagedObjectID] {
        var removable = ids
        while !removable.isEmpty {
            let deletion = try MemberDeletion(removable, in: self)
            let retained = try deletion.referredKeys(in: self, keeping: kept)
            if retained.isEmpty { break }
            // Each row of the deletion is due to one of the objects, so that there are fewer of them.
            removable.removeAll { retained.contains($0.key) }
        }
        return removable
    }
}

/// The rows that are deleted with some objects, by the delete rules of their relationships.
private struct MemberDeletion {
    /// The keys by table.
    private var keys: [Int: Set<Int64>] = [:]
    /// The rows whose relationships delete a row.
    private var owners: [Int64: [Int64]] = [:]

    init(
        _ ids: [ManagedObjectID], in context: ManagedObjectContext
    ) throws(PersistenceError) {
        var level = ids.map { (key: $0.key, layout: $0.layout) }
        while !level.isEmpty {
            var new: [Int: [Int64]] = [:]
            for (key, layout) in level
            where keys[layout.table.index, default: []].insert(key).inserted {
                new[layout.index, default: []].append(key)
            }
            level = []
            for (entity, keys) in new.sorted(by: { $0.key < $1.key }) {
                let layout = context.model.layouts[entity]
                for relationship in context.model.deletionRules[entity].cascading {
                    let members = try context.layered.members(
                        of: keys, relationship, in: layout)
                    for (owner, keys) in members {
                        for key in keys { owners[key, default: []].append(owner) }
                    }
                    level += try context.layered.withEntities(
                        members.values.flatMap(\.self),
                        in: context.model.layouts[relationship.destination])
                }
            }
        }
    }

    /// Returns the rows that must stay because they are kept in any case or rows that stay refer to them, and
    /// their owners.
    func referredKeys(
        in context: ManagedObjectContext, keeping kept: Set<Int64>
    ) throws(PersistenceError) -> Set<Int64> {
        var retained: Set<Int64> = []
        var level = try references(in: context) { table in
            ("NOT IN", keys[table] ?? [])
        }
        if !kept.isEmpty { for keys in keys.values { level.formUnion(keys.intersection(kept)) } }
        while !level.isEmpty {
            retained.formUnion(level)
            var rest = Array(level)
            while let key = rest.popLast() {
                for owner in owners[key] ?? [] where retained.insert(owner).inserted {
                    level.insert(owner)
                    rest.append(owner)
                }
            }
            // What stays keeps what it refers to.
            level = try references(in: context) { table in
                ("IN", level.intersection(keys[table] ?? []))
            }.subtracting(retained)
        }
        return retained
    }

    /// Returns the rows to which some rows refer.
    ///
    /// - Parameters:
    ///   - context: The context.
    ///   - sources: Returns the operator and the keys that select rows of a table.
    /// - Returns: The keys of rows that are deleted.
    /// - Throws: ``PersistenceError`` of the database.
    private func references(
        in context: ManagedObjectContext,
        from sources: (_ table: Int) -> (operator: String, keys: Set<Int64>)
    ) throws(PersistenceError) -> Set<Int64> {
        var found: Set<Int64> = []
        for table in context.model.tables {
            let (condition, selected) = sources(table.index)
            if condition == "IN", selected.isEmpty { continue }
            for column in table.references {
                guard let destination = table.columns[column].destination,
                    let keys = keys[context.model.layouts[destination].table.index]
                else { continue }
                let name = table.columns[column].quoted
                found.formUnion(
                    try Self.integers(
                        "SELECT DISTINCT \(name) FROM \(table.quoted) "
                            + "WHERE \(name) IN (SELECT value FROM json_each(?1)) "
                            + "AND \(EntityLayout.keyColumn) \(condition) "
                            + "(SELECT value FROM json_each(?2))",
                        [RowQuery.list(keys.sorted()), RowQuery.list(selected.sorted())], context))
            }
        }
        return found
    }

    /// Returns the rows that stay, and refer to deleted ones or lose them from a relationship.
    func relatedKeys(
        in context: ManagedObjectContext
    ) throws(PersistenceError) -> Set<Int64> {
        let model = context.model
        var related: Set<Int64> = []
        func add(
            _ selected: String, of table: String, where column: String, among keys: Set<Int64>?
        ) throws(PersistenceError) {
            guard let keys else { return }
            related.formUnion(
                try Self.integers(
                    "SELECT DISTINCT \(selected) FROM \(table) WHERE \(selected) IS NOT NULL "
                        + "AND \(column) IN (SELECT value FROM json_each(?1))",
                    [RowQuery.list(keys.sorted())], context))
        }
        for table in model.tables {
            for column in table.references {
                guard let destination = table.columns[column].destination else { continue }
                let name = table.columns[column].quoted
                let owner = model.layouts[destination].table
                try add(
                    EntityLayout.keyColumn, of: table.quoted, where: name,
                    among: keys[owner.index])
                if hasInverse(column, of: table, in: model) {
                    try add(
                        name, of: table.quoted, where: EntityLayout.keyColumn,
                        among: keys[table.index])
                }
            }
        }
        for link in model.links {
            let (source, target) = (model.layouts[link.source], model.layouts[link.target])
            try add("source", of: link.quoted, where: "target", among: keys[target.table.index])
            try add("target", of: link.quoted, where: "source", among: keys[source.table.index])
        }
        for keys in keys.values { related.subtract(keys) }
        return related
    }

    /// Returns a Boolean value that indicates whether the destinations of a column have a relationship
    /// that is stored in it.
    private func hasInverse(
        _ column: Int, of table: TableLayout, in model: ManagedObjectModel
    ) -> Bool {
        model.layouts.contains { layout in
            layout.relationships.contains { relationship in
                guard case .inverseColumn(column, _) = relationship.storage else { return false }
                return model.layouts[relationship.destination].table === table
            }
        }
    }

    private static func integers(
        _ sql: String, _ values: [StoredValue], _ context: ManagedObjectContext
    ) throws(PersistenceError) -> [Int64] {
        try context.read { connection throws(PersistenceError) in
            let statement = try PreparedStatement(sql, in: connection)
            for (index, value) in values.enumerated() { try statement.bind(value, at: index + 1) }
            var found: [Int64] = []
            while try statement.step() { found.append(statement.integer(0)) }
            return found
        }
    }
}

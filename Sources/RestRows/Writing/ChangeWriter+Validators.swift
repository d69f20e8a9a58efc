// SPDX-License-Identifier: Apache-2.0

import GRDB

/// A page of a collection; the first one is the whole response of a list without pages.
struct PageKey: Hashable, Sendable {
    let collection: Int64
    let page: Int
}

/// The validators of collections whose rows another writer has changed.
///
/// A validator confirms the values that its response has brought. If something else has replaced them, a
/// response without body would confirm what it has not brought.
extension ChangeWriter {
    /// Removes the validators of the pages that have changed rows as members, or contain them inside of
    /// members, at any depth, except for those of responses in the changes.
    ///
    /// - Complexity: A few statements for each table with changed rows, and for each level of objects around
    ///   them.
    func removeValidators(
        ofCollectionsIn table: CollectionTable, _ changes: ChangeSet
    ) throws(PersistenceError) {
        var own: [PageKey] = []
        for case .fetched(let response) in changes.collections {
            guard let row = try table.row(of: response.request) else { continue }
            let page = if case .page(let index, _, _) = response.extent { index } else { 0 }
            own.append(PageKey(collection: row.id, page: page))
        }
        let linkedRows = keysOfLinks()
        for layout in model.tables {
            let updated = tables[layout.index].updated
            let linked = linkedRows[layout.index] ?? []
            if updated.isEmpty, linked.isEmpty,
                !layout.entities.contains(where: { formerOwners[$0] != nil })
            {
                continue
            }
            let keys = linked.union(updated.keys)
            if !keys.isEmpty {
                try table.removeValidators(ofCollectionsWith: keys.sorted(), except: own)
            }
            for entity in layout.entities {
                let changed = linked.union(updated.keys.filter { updated[$0]?.entity == entity })
                try removeValidators(
                    ofCollectionsNesting: entity, changed, layout, in: table, except: own)
            }
        }
    }

    /// Returns the keys of the rows whose rows of join tables have changed, by table.
    private func keysOfLinks() -> [Int: Set<Int64>] {
        var keys: [Int: Set<Int64>] = [:]
        for (index, commit) in links.enumerated() where !commit.isEmpty {
            let link = model.links[index]
            let (source, target) = (model.layouts[link.source], model.layouts[link.target])
            for pair in commit.inserted + commit.deleted + commit.moved {
                keys[source.table.index, default: []].insert(pair.source)
                keys[target.table.index, default: []].insert(pair.target)
            }
        }
        return keys
    }

    /// Records the objects to which rows refer before they are deleted or changed, if collections have objects
    /// of their entity inside of members.
    ///
    /// Such a collection has the row as an object of the former owner, which nothing in the file says afterwards.
    ///
    /// - Parameters:
    ///   - keys: The keys of the rows.
    ///   - layout: Their table.
    ///   - changes: The changes of the rows; `nil` if they are deleted.
    /// - Throws: ``PersistenceError`` of the database.
    mutating func noteFormerOwners(
        of keys: [Int64], _ layout: TableLayout, before changes: TableChanges? = nil
    ) throws(PersistenceError) {
        if keys.isEmpty || layout.references.isEmpty { return }
        let table = CollectionTable(database: database, heldWalks: heldWalks)
        guard try table.isPresent else { return }
        var nested: [String: Int] = [:]
        for entity in layout.entities {
            let name = model.layouts[entity].name
            if try table.nesting(of: name) != nil { nested[name] = entity }
        }
        if nested.isEmpty { return }
        let entityName = layout.entityColumn.map { layout.columns[$0].quoted } ?? "NULL"
        for column in layout.references {
            guard let destination = layout.columns[column].destination else { continue }
            let owners = model.layouts[destination].table.index
            let name = layout.columns[column].quoted
            let statement = try PreparedStatement(
                "SELECT \(EntityLayout.keyColumn), \(name), \(entityName) FROM \(layout.quoted) "
                    + "WHERE \(name) IS NOT NULL AND \(EntityLayout.keyColumn) IN "
                    + "(SELECT value FROM json_each(?1))", in: database)
            try statement.bind(RowQuery.list(keys), at: 1)
            while try statement.step() {
                let (key, owner) = (statement.integer(0), statement.integer(1))
                if let changes {
                    let new = changes.changedValue(key, column)
                    if new == nil || new == .integer(owner) { continue }
                }
                var entity: Int? = layout.entities[0]
                if case .text(let name) = statement.value(2) { entity = nested[name] }
                guard let entity else { continue }
                formerOwners[entity, default: [:]][owners, default: []].insert(owner)
            }
        }
    }

    /// Records the former owners of the rows whose references changes replace.
    mutating func noteFormerOwners(before changes: ChangeSet) throws(PersistenceError) {
        for layout in model.tables where !layout.references.isEmpty {
            let rows = changes.tables[layout.index]
            let moved = (0..<rows.count).filter { slot in
                rows.states[slot] == .updated
                    && layout.references.contains { rows.masks[slot].contains($0) }
            }
            try noteFormerOwners(of: moved.map { rows.keys[$0] }, layout, before: rows)
        }
    }

    /// Removes the validators of the pages that contain changed objects of an entity inside of members, or that
    /// have contained objects which were deleted or moved.
    private func removeValidators(
        ofCollectionsNesting entity: Int, _ changed: Set<Int64>, _ layout: TableLayout,
        in table: CollectionTable, except own: [PageKey]
    ) throws(PersistenceError) {
        let former = formerOwners[entity] ?? [:]
        if changed.isEmpty && former.isEmpty { return }
        let name = model.layouts[entity].name
        guard let nesting = try table.nesting(of: name) else { return }
        let inner = Set(
            nesting.entities.compactMap { name in
                model.index(of: name).map { model.layouts[$0].table.index }
            })
        var known = changed
        var level = changed.isEmpty ? [:] : [layout.index: changed]
        for depth in 1...nesting.depth {
            var owners = depth == 1 ? former : [:]
            for (index, keys) in level {
                try add(relatedTo: keys.sorted(), model.tables[index], to: &owners)
            }
            let all = owners.values.reduce(into: Set<Int64>()) { $0.formUnion($1) }
            if all.isEmpty { return }
            try table.removeValidators(
                ofCollectionsWith: all.sorted(), except: own, nesting: name, atDepth: depth)
            // Objects of other entities are not inside of others.
            level = owners.filter { inner.contains($0.key) }.mapValues { $0.subtracting(known) }
            level = level.filter { !$0.value.isEmpty }
            if level.isEmpty { return }
            known.formUnion(all)
        }
    }

    /// Adds the keys of the rows to which some rows refer, or that refer to them, by table.
    private func add(
        relatedTo keys: [Int64], _ table: TableLayout, to related: inout [Int: Set<Int64>]
    ) throws(PersistenceError) {
        func add(
            _ column: String, of name: String, where other: String, to index: Int
        ) throws(PersistenceError) {
            let statement = try PreparedStatement(
                "SELECT DISTINCT \(column) FROM \(name) WHERE \(column) IS NOT NULL "
                    + "AND \(other) IN (SELECT value FROM json_each(?1))", in: database)
            try statement.bind(RowQuery.list(keys), at: 1)
            while try statement.step() { related[index, default: []].insert(statement.integer(0)) }
        }
        for column in table.references {
            guard let destination = table.columns[column].destination else { continue }
            try add(
                table.columns[column].quoted, of: table.quoted, where: EntityLayout.keyColumn,
                to: model.layouts[destination].table.index)
        }
        for other in model.tables {
            for column in other.references {
                guard let destination = other.columns[column].destination,
                    table.entities.contains(destination)
                else { continue }
                try add(
                    EntityLayout.keyColumn, of: other.quoted, where: other.columns[column].quoted,
                    to: other.index)
            }
        }
        for link in model.links {
            let (source, target) = (model.layouts[link.source], model.layouts[link.target])
            if table.entities.contains(link.source) {
                try add("target", of: link.quoted, where: "source", to: target.table.index)
            }
            if table.entities.contains(link.target) {
                try add("source", of: link.quoted, where: "target", to: source.table.index)
            }
        }
    }
}

extension CollectionTable {
    /// Returns the greatest depth of the objects inside of the members of collections that have objects of an
    /// entity there, and the names of the entities inside of them; `nil` if there is none.
    fileprivate func nesting(
        of entity: String
    ) throws(PersistenceError) -> (depth: Int, entities: Set<String>)? {
        let statement = try PreparedStatement(
            "SELECT max(depth, 1), nested FROM \(Self.name) "
                + "WHERE instr(' ' || nested || ' ', ' ' || ?1 || ' ') > 0 GROUP BY depth, nested",
            in: database)
        try statement.bind(.text(entity), at: 1)
        var depth = 0
        var entities: Set<String> = []
        while try statement.step() {
            depth = max(depth, Int(statement.integer(0)))
            let names = statement.value(1).collectionText.split(separator: " ")
            entities.formUnion(names.map(String.init))
        }
        return depth == 0 ? nil : (depth, entities)
    }
}

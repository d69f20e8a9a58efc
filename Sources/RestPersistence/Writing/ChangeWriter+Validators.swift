// SPDX-License-Identifier: Apache-2.0

import GRDB

/// The validators of collections whose rows another writer has changed.
///
/// A validator confirms the values that its response has brought. If something else has replaced them, a
/// response without body would confirm what it has not brought.
extension ChangeWriter {
    /// Removes the validators of the collections that have changed rows as members, or contain them inside
    /// of members, except for those of responses in the changes.
    ///
    /// - Complexity: A few statements for each table with changed rows.
    func removeValidators(
        ofCollectionsIn table: CollectionTable, _ changes: ChangeSet
    ) throws(PersistenceError) {
        var own: [Int64] = []
        for case .fetched(let response) in changes.collections {
            if let row = try table.row(of: response.request) { own.append(row.id) }
        }
        var linked: Set<Int64> = []
        for pair in links.lazy.flatMap({ $0.inserted + $0.deleted + $0.moved }) {
            linked.insert(pair.source)
            linked.insert(pair.target)
        }
        if !linked.isEmpty {
            try table.removeValidators(ofCollectionsWith: linked.sorted(), except: own)
        }
        for layout in model.tables where !tables[layout.index].updated.isEmpty {
            let keys = tables[layout.index].updated.keys.sorted()
            try table.removeValidators(ofCollectionsWith: keys, except: own)
            for entity in layout.entities {
                let name = model.layouts[entity].name
                guard try table.hasCollections(nesting: name) else { continue }
                let changed = keys.filter { tables[layout.index].updated[$0]?.entity == entity }
                let owners = try relatedKeys(of: changed, layout)
                if owners.isEmpty { continue }
                try table.removeValidators(
                    ofCollectionsWith: owners.sorted(), except: own, nesting: name)
            }
        }
    }

    /// Returns the keys of the rows to which some rows refer, or that refer to them.
    private func relatedKeys(
        of keys: [Int64], _ table: TableLayout
    ) throws(PersistenceError) -> Set<Int64> {
        var related: Set<Int64> = []
        func add(_ column: String, of table: String, where other: String) throws(PersistenceError) {
            let statement = try PreparedStatement(
                "SELECT DISTINCT \(column) FROM \(table) WHERE \(column) IS NOT NULL "
                    + "AND \(other) IN (SELECT value FROM json_each(?1))", in: database)
            try statement.bind(RowQuery.list(keys), at: 1)
            while try statement.step() { related.insert(statement.integer(0)) }
        }
        for column in table.references {
            try add(table.columns[column].quoted, of: table.quoted, where: EntityLayout.keyColumn)
        }
        for other in model.tables {
            for column in other.references {
                guard let destination = other.columns[column].destination,
                    table.entities.contains(destination)
                else { continue }
                try add(
                    EntityLayout.keyColumn, of: other.quoted, where: other.columns[column].quoted)
            }
        }
        for link in model.links {
            if table.entities.contains(link.source) {
                try add("target", of: link.quoted, where: "source")
            }
            if table.entities.contains(link.target) {
                try add("source", of: link.quoted, where: "target")
            }
        }
        return related
    }
}

extension CollectionTable {
    /// Returns a Boolean value that indicates whether a collection has objects of an entity inside of its
    /// members.
    fileprivate func hasCollections(nesting entity: String) throws(PersistenceError) -> Bool {
        let statement = try PreparedStatement(
            "SELECT 1 FROM \(Self.name) WHERE instr(' ' || nested || ' ', ' ' || ?1 || ' ') > 0 "
                + "LIMIT 1", in: database)
        try statement.bind(.text(entity), at: 1)
        return try statement.step()
    }
}

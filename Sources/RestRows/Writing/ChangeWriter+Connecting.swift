// SPDX-License-Identifier: Apache-2.0

import GRDB

/// The connection of references whose destinations exist now.
///
/// Each relationship needs the same few statements, whatever the number of its references: the keys
/// are bound as one list of `json_each`.
extension ChangeWriter {
    /// A reference and the object that has its identity.
    typealias ReferenceMatch = (row: PendingReferenceTable.Row, key: Int64)

    /// Connects references, which are in the order of their owners.
    mutating func connect(_ matches: [ReferenceMatch]) throws(PersistenceError) {
        for (entity, matches) in Dictionary(grouping: matches, by: \.row.entity) {
            guard let index = model.index(of: entity) else { continue }
            let owner = model.layouts[index]
            for (name, matches) in Dictionary(grouping: matches, by: \.row.relationship) {
                guard case .relationship(let position) = owner.propertyIndices[name] else {
                    continue
                }
                try connect(matches, owner.relationships[position], of: owner)
            }
        }
    }

    private mutating func connect(
        _ matches: [ReferenceMatch], _ relationship: RelationshipLayout, of owner: EntityLayout
    ) throws(PersistenceError) {
        let destination = model.layouts[relationship.destination]
        switch relationship.storage {
        case .column(let column): try setDestinations(matches, column, relationship, of: owner)
        case .inverseColumn(let column, let position):
            let free =
                try relationship.isOneToOne
                ? withoutPartners(matches, column, in: destination) : matches
            try setOwners(free, of: owner, column, position, in: destination)
        case .link(let link, _): try insertPairs(matches, of: owner, link, relationship)
        }
    }

    // MARK: Columns

    /// Sets the column of owners in which it is null; of both partners if the relationship is its own inverse.
    private mutating func setDestinations(
        _ matches: [ReferenceMatch], _ column: Int, _ relationship: RelationshipLayout,
        of owner: EntityLayout
    ) throws(PersistenceError) {
        let claims = try ReferenceChanges.granted(
            matches.map { ReferenceChanges.Claim(owner: $0.row.owner, destination: $0.key) },
            of: relationship
        ) { owners throws(PersistenceError) in
            try existing(owners, in: owner.table, withoutValueOf: column)
        } taken: { destinations throws(PersistenceError) in
            try taken(destinations, column, relationship, of: owner)
        }
        if relationship.isSymmetric { try release(claims.map(\.destination), column, in: owner) }
        let table = owner.table.quoted
        var assignments = "\(owner.columns[column].quoted) = json_extract(m.value, '$[1]')"
        // The last position: the owner joins the end of the destination's list.
        let position = owner.table.position(besides: column)
        if let position { assignments += ", \(owner.columns[position].quoted) = NULL" }
        let statement = try PreparedStatement(
            "UPDATE \(table) SET \(assignments) FROM json_each(?1) AS m "
                + "WHERE \(table).\(EntityLayout.keyColumn) = json_extract(m.value, '$[0]') "
                + "RETURNING \(EntityLayout.keyColumn)", in: database)
        try statement.bind(Self.list(claims.map { [$0.owner, $0.destination] }), at: 1)
        for key in try keys(statement) {
            note([column] + [position].compactMap(\.self), of: key, in: owner)
        }
    }

    /// Returns the destinations of a one-to-one relationship that have a partner by now, which they keep.
    ///
    /// The partner is the source that refers to the destination. If the relationship is its own inverse, it is
    /// the object to which the destination refers.
    private func taken(
        _ destinations: [Int64], _ column: Int, _ relationship: RelationshipLayout,
        of owner: EntityLayout
    ) throws(PersistenceError) -> Set<Int64> {
        if relationship.isSymmetric {
            let free = try existing(destinations, in: owner.table, withoutValueOf: column)
            return Set(destinations).subtracting(free)
        }
        return try referred(among: destinations, column, in: owner)
    }

    /// Clears the references of objects to both partners that these do not return.
    ///
    /// Another program may have written one side only.
    private mutating func release(
        _ destinations: some Collection<Int64>, _ column: Int, in layout: EntityLayout
    ) throws(PersistenceError) {
        let name = layout.columns[column].quoted
        let statement = try PreparedStatement(
            "UPDATE \(layout.table.quoted) SET \(name) = NULL "
                + "WHERE \(name) IN (SELECT value FROM json_each(?1)) "
                + "RETURNING \(EntityLayout.keyColumn)", in: database)
        try statement.bind(RowQuery.list(destinations), at: 1)
        for key in try keys(statement) { note([column], of: key, in: layout) }
    }

    /// Returns the references of owners that have no destination of a one-to-one relationship yet.
    private func withoutPartners(
        _ matches: [ReferenceMatch], _ column: Int, in destination: EntityLayout
    ) throws(PersistenceError) -> [ReferenceMatch] {
        let owners = try referred(among: matches.map(\.row.owner), column, in: destination)
        return matches.filter { !owners.contains($0.row.owner) }
    }

    /// Returns those of some objects to which a column refers.
    private func referred(
        among keys: [Int64], _ column: Int, in layout: EntityLayout
    ) throws(PersistenceError) -> Set<Int64> {
        let name = layout.columns[column].quoted
        let statement = try PreparedStatement(
            "SELECT \(name) FROM \(layout.table.quoted) "
                + "WHERE \(name) IN (SELECT value FROM json_each(?1))", in: database)
        try statement.bind(RowQuery.list(keys), at: 1)
        return Set(try self.keys(statement))
    }

    /// Sets the column of destinations in which it is null, and their position.
    ///
    /// A destination that has named the owner itself, and has no position in its list, gets that of the
    /// reference, so that the order of a list does not depend on the order of arrival.
    private mutating func setOwners(
        _ matches: [ReferenceMatch], of owner: EntityLayout, _ column: Int, _ position: Int?,
        in destination: EntityLayout
    ) throws(PersistenceError) {
        let present = try existing(matches.map(\.row.owner), in: owner.table)
        var rows: [Int64: PendingReferenceTable.Row] = [:]
        for match in matches where present.contains(match.row.owner) && rows[match.key] == nil {
            rows[match.key] = match.row
        }
        let list = Self.list(rows.map { [$0.key, $0.value.owner, $0.value.position] })
        let table = destination.table.quoted
        let name = destination.columns[column].quoted
        let source =
            "FROM json_each(?1) AS m "
            + "WHERE \(table).\(EntityLayout.keyColumn) = json_extract(m.value, '$[0]') AND "
        let returning = " RETURNING \(EntityLayout.keyColumn)"
        if let position {
            let place = destination.columns[position].quoted
            let statement = try PreparedStatement(
                "UPDATE \(table) SET \(place) = json_extract(m.value, '$[2]') \(source)"
                    + "\(table).\(name) = json_extract(m.value, '$[1]') "
                    + "AND \(table).\(place) IS NULL AND json_extract(m.value, '$[2]') IS NOT NULL"
                    + returning, in: database)
            try statement.bind(list, at: 1)
            for key in try keys(statement) { note([position], of: key, in: destination) }
        }
        var assignments = "\(name) = json_extract(m.value, '$[1]')"
        if let position {
            assignments +=
                ", \(destination.columns[position].quoted) = json_extract(m.value, '$[2]')"
        }
        let statement = try PreparedStatement(
            "UPDATE \(table) SET \(assignments) \(source)\(table).\(name) IS NULL\(returning)",
            in: database)
        try statement.bind(list, at: 1)
        for key in try keys(statement) {
            note([column] + [position].compactMap(\.self), of: key, in: destination)
        }
    }

    // MARK: Join tables

    private mutating func insertPairs(
        _ matches: [ReferenceMatch], of owner: EntityLayout, _ index: Int,
        _ relationship: RelationshipLayout
    ) throws(PersistenceError) {
        let present = try existing(matches.map(\.row.owner), in: owner.table)
        var changes = LinkChanges()
        for match in matches where present.contains(match.row.owner) {
            let position = relationship.isOrdered ? match.row.position : nil
            let change = LinkChange(position: position, isForward: relationship.isForward)
            relationship.forEachRow(from: match.row.owner, to: match.key, change) {
                changes.set($0, $1)
            }
        }
        let link = model.links[index]
        let list = Self.list(
            changes.pairs.map { pair, change in
                [pair.source, pair.target]
                    + (link.isTargetOrdered ? [change.targetPosition] : [])
                    + (link.isSourceOrdered ? [change.sourcePosition] : [])
            })
        let isOrdered = link.isTargetOrdered || link.isSourceOrdered
        let known = isOrdered ? try storedPairs(of: list, in: link) : []
        let statement = try insertion(of: index, isList: true)
        try statement.bind(list, at: 1)
        while try statement.step() {
            let pair = LinkPair(statement.integer(0), statement.integer(1), isForward: true)
            if known.contains(pair) {
                links[index].moved.append(pair)
            } else {
                links[index].inserted.append(pair)
            }
        }
    }

    private func storedPairs(
        of list: StoredValue, in link: LinkLayout
    ) throws(PersistenceError) -> Set<LinkPair> {
        let statement = try PreparedStatement(
            "SELECT l.source, l.target FROM json_each(?1) AS m CROSS JOIN \(link.quoted) AS l "
                + "ON l.source = json_extract(m.value, '$[0]') "
                + "AND l.target = json_extract(m.value, '$[1]')", in: database)
        try statement.bind(list, at: 1)
        var pairs: Set<LinkPair> = []
        while try statement.step() {
            pairs.insert(LinkPair(statement.integer(0), statement.integer(1), isForward: true))
        }
        return pairs
    }

    // MARK: Statements

    /// Returns the rows of a table that exist, and whose column is null if one is given.
    private func existing(
        _ keys: [Int64], in table: TableLayout, withoutValueOf column: Int? = nil
    ) throws(PersistenceError) -> Set<Int64> {
        let condition = column.map { " AND \(table.columns[$0].quoted) IS NULL" } ?? ""
        let statement = try PreparedStatement(
            "SELECT \(EntityLayout.keyColumn) FROM \(table.quoted) "
                + "WHERE \(EntityLayout.keyColumn) IN (SELECT value FROM json_each(?1))\(condition)",
            in: database)
        try statement.bind(RowQuery.list(keys), at: 1)
        return Set(try self.keys(statement))
    }

    private func keys(
        _ statement: borrowing PreparedStatement
    ) throws(PersistenceError) -> [Int64] {
        var keys: [Int64] = []
        while try statement.step() { keys.append(statement.integer(0)) }
        return keys
    }

    /// Returns lists of keys and positions as one value for `json_each`.
    private static func list(_ rows: [[Int64?]]) -> StoredValue {
        let lists = rows.map { row in
            "[" + row.map { $0.map(String.init) ?? "null" }.joined(separator: ",") + "]"
        }
        return .text("[" + lists.joined(separator: ",") + "]")
    }

    /// Records columns that the context does not have.
    private mutating func note(_ columns: [Int], of key: Int64, in layout: EntityLayout) {
        staleKeys.append(key)
        let table = layout.table.index
        if insertedKeys.contains(key) { return }
        var mask = ColumnMask()
        for column in columns { mask.insert(column) }
        tables[table].update(key, layout.index, mask)
    }
}

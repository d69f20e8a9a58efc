// SPDX-License-Identifier: Apache-2.0

/// Sets a relationship of rows that is not a column of them alone: one of other rows or of a join table, or a
/// one-to-one relationship.
///
/// The destinations of a row are set like those of an object, one row after the other, but as values of a
/// document and not as edits.
struct ConnectionWriter {
    private let layered: LayeredRows
    private let relationship: RelationshipLayout
    /// The entity of the rows.
    private let layout: EntityLayout
    private let destination: EntityLayout
    /// The stored values of rows that have been read.
    private var stored: [Int64: [StoredValue]] = [:]

    init(_ relationship: RelationshipLayout, of layout: EntityLayout, in layered: LayeredRows) {
        self.layered = layered
        self.relationship = relationship
        self.layout = layout
        destination = layered.model.layouts[relationship.destination]
    }

    /// Sets the destinations of rows.
    ///
    /// - Throws: ``PersistenceError`` of the database.
    mutating func set(
        _ destinations: [(source: Int64, found: [Int64])]
    ) throws(PersistenceError) {
        let owners = destinations.map(\.source)
        let found = Set(destinations.lazy.flatMap(\.found))
        switch relationship.storage {
        case .column(let column):
            stored = try layered.storedRows(found.union(owners), layout.table)
            try setPartners(destinations, column)
        case .inverseColumn(let column, let position):
            let members = try layered.storedMembers(of: owners, relationship)
            stored = try layered.storedRows(
                found.union(members.values.joined().map(\.key)), destination.table)
            for (owner, found) in destinations {
                let current = try layered.overlaid(members[owner] ?? [], of: owner, relationship)
                let kept = Set(found)
                for member in current where !kept.contains(member.key) {
                    set(.null, column, of: member.key, in: destination)
                }
                for (index, key) in found.enumerated() {
                    set(.integer(owner), column, of: key, in: destination)
                    if let position {
                        set(.integer(Int64(index)), position, of: key, in: destination)
                    }
                }
            }
        case .link:
            let members = try layered.storedMembers(of: owners, relationship)
            for (owner, found) in destinations {
                let current = try layered.overlaid(members[owner] ?? [], of: owner, relationship)
                relationship.forEachChange(
                    to: found, from: current.map { ($0.key, $0.position) }
                ) { key, change in
                    layered.layers.setLink(from: owner, to: key, of: relationship, change)
                }
            }
        }
    }

    /// Sets a column of a row; an equal value is set only in the place of an edit.
    private func set(
        _ value: StoredValue, _ column: Int, of key: Int64, in layout: EntityLayout
    ) {
        if self.value(column, of: key, in: layout) == value,
            !layered.layers.isEdited(key, column, layout.table.index)
        {
            return
        }
        layered.set(value, column, of: key, in: layout)
    }

    private func value(_ column: Int, of key: Int64, in layout: EntityLayout) -> StoredValue {
        layered.layers.changedValue(key, column, layout.table.index) ?? stored[key]?[column]
            ?? .null
    }

    // MARK: One-to-one relationships

    /// Sets the partners of rows; the former partners of both sides lose theirs.
    private mutating func setPartners(
        _ destinations: [(source: Int64, found: [Int64])], _ column: Int
    ) throws(PersistenceError) {
        let inverse = relationship.inverse.map { destination.relationships[$0] }
        var sources: [Int64: [LayeredRows.Member]] = [:]
        if relationship.isSymmetric {
            try readPartners(column)
        } else if let inverse {
            sources = try layered.storedMembers(
                of: Set(destinations.lazy.flatMap(\.found)).sorted(), inverse)
            stored.merge(
                try layered.storedRows(Set(sources.values.joined().map(\.key)), layout.table)
            ) { $1 }
        }
        for (owner, found) in destinations {
            let new = found.first
            let displaced = try OneToOneRule.displaced(
                by: owner, new, isSymmetric: relationship.isSymmetric
            ) { (key: Int64) throws(PersistenceError) -> Int64? in
                partner(of: key, column)
            } sources: { (destination: Int64) throws(PersistenceError) -> [Int64] in
                guard let inverse else { return [] }
                return try layered.overlaid(
                    sources[destination] ?? [], of: destination, inverse
                ).map(\.key)
            }
            for other in displaced { set(.null, column, of: other, in: layout) }
            set(new.map { .integer($0) } ?? .null, column, of: owner, in: layout)
            if relationship.isSymmetric, let new, new != owner {
                set(.integer(owner), column, of: new, in: layout)
            }
        }
    }

    /// Reads the partners of the rows that have been read.
    private mutating func readPartners(_ column: Int) throws(PersistenceError) {
        let partners = stored.keys.compactMap { partner(of: $0, column) }
        let unknown = Set(partners).filter { stored[$0] == nil }
        stored.merge(try layered.storedRows(unknown, layout.table)) { $1 }
    }

    /// Returns the partner of a row, if it exists.
    private func partner(of key: Int64, _ column: Int) -> Int64? {
        guard case .integer(let partner) = value(column, of: key, in: layout),
            !layered.layers.isDeleted(partner, destination.table.index)
        else { return nil }
        return partner
    }
}

// SPDX-License-Identifier: Apache-2.0

import RestMapping

/// A reference of the document to a missing object that can have one owner only.
struct WaitingClaim {
    let reference: WaitingReference
    /// The number of assignments before it.
    let ordinal: Int
}

/// The references that have waited for the objects of the document.
///
/// An import has the same effect on those of the store as on unsaved ones, so that documents that are imported
/// one after the other and saved together have the result of documents that are saved one by one. A save
/// connects what is left: references to objects that a program, or another connection, has inserted.
struct ReferenceArrivals {
    private let placement: ImportPlacement
    private var layered: LayeredRows { placement.layered }
    /// The references that have waited for objects of the document, and the keys of these.
    private var arrivals: [(reference: WaitingReference, key: Int64)] = []

    init(_ placement: ImportPlacement) { self.placement = placement }

    /// Removes the references of other owners to the objects for which references of the document wait, if an
    /// object can have one owner only.
    func removeOlderReferences(_ claims: [WaitingClaim]) throws(PersistenceError) {
        if claims.isEmpty { return }
        var owners: [Destination: ReferenceChanges.Owner] = [:]
        var identities: [ColumnOfTable: Set<StoredValue>] = [:]
        for claim in claims.sorted(by: { $0.ordinal < $1.ordinal }) {
            let (column, identity) = destination(of: claim.reference)
            owners[claimed(by: claim.reference)] = claim.reference.owner
            identities[column, default: []].insert(identity)
        }
        var others = unsavedReferences
        for (column, identities) in identities {
            others += try storedReferences(to: column, identities)
        }
        for other in others {
            let relationship = layered.model.layouts[other.entity]
                .relationships[other.owner.relationship]
            guard relationship.isExclusive, let owner = owners[claimed(by: other)],
                owner != other.owner
            else { continue }
            layered.layers.top.pending.remove(other)
        }
    }

    /// Connects the references that have waited for new objects of the document, except those that the document
    /// excludes.
    mutating func connect() throws(PersistenceError) {
        guard placement.hasPendingReferences || !layered.layers.top.pending.isEmpty else { return }
        var arrived: [ColumnOfTable: [StoredValue: BatchRow]] = [:]
        // Those of the store are older.
        var waiting: [WaitingReference] = []
        for column in try storedDestinations() {
            let rows = placement.importedRows(
                layered.model.layouts[column.entity], column: column.column)
            arrived[column] = rows
            if rows.isEmpty { continue }
            waiting += try storedReferences(to: column, rows.keys)
        }
        waiting += unsavedReferences
        var matches: [RelationshipOfEntity: [ReferenceConnector.Match]] = [:]
        for reference in waiting {
            let (column, identity) = destination(of: reference)
            if arrived[column] == nil {
                arrived[column] = placement.importedRows(
                    layered.model.layouts[column.entity], column: column.column)
            }
            guard let row = arrived[column]?[identity],
                let key = placement.resolutions[row.entity].key(of: row.row)
            else { continue }
            let owner = reference.owner
            layered.layers.top.pending.remove(reference)
            let relation = RelationshipOfEntity(
                entity: reference.entity, relationship: owner.relationship)
            let layout = layered.model.layouts[reference.entity]
            let relationship = layout.relationships[owner.relationship]
            if layered.layers.top.pending.excludes(owner.key, from: key, relationship) { continue }
            arrivals.append((reference, key))
            matches[relation, default: []].append((owner.key, reference.reference.position, key))
            placement.counts[reference.entity].connected += 1
        }
        for (relation, matches) in matches {
            let layout = layered.model.layouts[relation.entity]
            try ReferenceConnector(layered).connect(
                matches, layout.relationships[relation.relationship], in: layout)
        }
    }

    /// Restores the references that have waited for objects of the document that were discarded.
    func restore() {
        for (reference, key) in arrivals {
            let relationship = layered.model.layouts[reference.entity]
                .relationships[reference.owner.relationship]
            let table = layered.model.layouts[relationship.destination].table.index
            guard layered.layers.isDeleted(key, table) else { continue }
            layered.layers.top.pending.restore(reference, from: placement.formerChanges.pending)
            placement.counts[reference.entity].connected -= 1
        }
    }

    // MARK: Waiting references

    /// The unsaved references, the oldest first.
    private var unsavedReferences: [WaitingReference] {
        layered.unsavedPendingReferences.ordered.flatMap { owner, change in
            change.references.map {
                WaitingReference(owner: owner, entity: change.entity, reference: $0)
            }
        }
    }

    /// Returns the columns by whose values references of the store wait.
    private func storedDestinations() throws(PersistenceError) -> [ColumnOfTable] {
        guard placement.hasPendingReferences else { return [] }
        let groups = try layered.read { database in
            let table = PendingReferenceTable(database: database)
            return try table.isPresent ? table.groups() : []
        }
        return groups.compactMap { name, attribute in
            guard let entity = layered.model.index(of: name),
                case .attribute(let column) =
                    layered.model.layouts[entity].propertyIndices[attribute]
            else { return nil }
            return ColumnOfTable(entity: entity, column: column)
        }
    }

    /// Returns the references of the store that wait for objects with some values of a column, without those that
    /// the context has removed.
    private func storedReferences(
        to column: ColumnOfTable, _ identities: some Sequence<StoredValue>
    ) throws(PersistenceError) -> [WaitingReference] {
        guard placement.hasPendingReferences else { return [] }
        let layout = layered.model.layouts[column.entity]
        let attribute = layout.columns[column.column].name
        let rows = try layered.read { database in
            let table = PendingReferenceTable(database: database)
            return try table.isPresent
                ? table.rows(to: layout.name, attribute, identities: identities) : []
        }
        let unsaved = layered.unsavedPendingReferences
        return rows.compactMap { row in
            guard let waiting = WaitingReference(row, in: layered.model),
                !unsaved.removes(waiting)
            else { return nil }
            return waiting
        }
    }

    private func destination(
        of waiting: WaitingReference
    ) -> (column: ColumnOfTable, identity: StoredValue) {
        let relationship = layered.model.layouts[waiting.entity]
            .relationships[waiting.owner.relationship]
        return (
            ColumnOfTable(
                entity: relationship.destination, column: waiting.reference.column),
            waiting.reference.identity
        )
    }

    private func claimed(by waiting: WaitingReference) -> Destination {
        Destination(
            table: layered.model.layouts[waiting.entity].table.index,
            relationship: waiting.owner.relationship, reference: waiting.reference.unpositioned)
    }

    private struct RelationshipOfEntity: Hashable {
        let entity: Int
        let relationship: Int
    }

    private struct ColumnOfTable: Hashable {
        let entity: Int
        let column: Int
    }

    /// An object that is missing, as the destination of a relationship.
    private struct Destination: Hashable {
        let table: Int
        let relationship: Int
        let reference: ReferenceChanges.Reference
    }
}

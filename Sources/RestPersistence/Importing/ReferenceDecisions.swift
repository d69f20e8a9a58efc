// SPDX-License-Identifier: Apache-2.0

import RestMapping

/// The relationships of which the document has the destinations, although other objects may have waited
/// with references to their owners.
///
/// The document of an object is newer than the references that wait for the object: a null, or a list
/// without the owner, ends the waiting. Otherwise importing the document again would remove a
/// connection that its first import has made.
struct ReferenceDecisions {
    private let placement: ImportPlacement
    private var batch: ImportBatch { placement.batch }
    private var layered: LayeredRows { placement.layered }

    init(_ placement: ImportPlacement) { self.placement = placement }

    /// Records the destinations of relationships with an inverse, except one-to-one relationships, whose
    /// partners are recorded when they are assigned.
    func record() {
        guard placement.hasPendingReferences else { return }
        for relation in batch.relations {
            let relationship = relation.relationship
            if relationship.inverse == nil || relationship.isOneToOne { continue }
            if case .column(let column) = relationship.storage {
                recordNulls(relation, column)
            } else if !relation.isUnion {
                let incomplete = placement.incompleteOwners(of: relation)
                for (owner, members) in placement.assignedKeys(relation)
                where !incomplete.contains(owner) {
                    decide(Set(members.map(\.key)), owner, relationship)
                }
            }
        }
    }

    /// Records the objects that the document leaves without a destination.
    ///
    /// An object with a destination needs no record, because references of another owner have no effect on it.
    private func recordNulls(_ relation: RelationBatch, _ column: Int) {
        for assignment in relation.assignments {
            let row = placement.canonicalRow(
                BatchRow(entity: relation.entity, row: assignment.owner))
            let rows = batch.entities[row.entity]
            guard rows.masks[row.row].contains(column), rows.isNull(row.row, column),
                let key = placement.resolutions[row.entity].key(of: row.row)
            else { continue }
            decide([], key, relation.relationship)
        }
    }

    /// Records the destinations of a relationship of an object.
    func decide(_ destinations: Set<Int64>, _ owner: Int64, _ relationship: RelationshipLayout) {
        if placement.keepsValues(of: owner) { return }
        layered.layers.top.pending.decide(
            destinations,
            of: ReferenceChanges.Owner(key: owner, relationship: relationship.index))
    }
}

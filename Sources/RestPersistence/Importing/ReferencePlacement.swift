// SPDX-License-Identifier: Apache-2.0

import RestMapping

/// The node of a reference that waits for its destination.
struct PendingNode {
    let node: Int
    let owner: Int64
    let entity: Int
}

/// The references of a representation: to objects that exist, and to those that do not yet.
struct ReferencePlacement {
    private let placement: ImportPlacement
    private var batch: ImportBatch { placement.batch }
    private var layered: LayeredRows { placement.layered }
    /// The references of the document that wait for their destinations.
    private var pending: [PendingNode] = []
    private var arrivals: ReferenceArrivals

    init(_ placement: ImportPlacement) {
        self.placement = placement
        arrivals = ReferenceArrivals(placement)
    }

    /// Finds the objects of references: first in the document, then in the context and the store.
    ///
    /// - Parameter joins: A Boolean value that indicates whether SQLite reads the identities of the batch.
    /// - Throws: ``PersistenceError`` of the database.
    func resolveReferences(joins: Bool) throws(PersistenceError) {
        placement.hasPendingReferences = try layered.hasPendingReferences
        for references in batch.references {
            var resolution = ReferenceResolution(
                keys: Array(repeating: nil, count: references.identities.count),
                rows: Array(repeating: nil, count: references.identities.count))
            let imported = placement.importedRows(
                references.identities.layout, column: references.column)
            var isComplete = true
            for index in resolution.rows.indices {
                guard let row = imported[references.identity(index)] else {
                    isComplete = false
                    continue
                }
                resolution.rows[index] = row
                resolution.keys[index] = placement.resolutions[row.entity].key(of: row.row)
            }
            if !isComplete {
                var found = ImportResolution(references.identities)
                try found.find(in: layered, isReference: true, joins: joins)
                for index in resolution.keys.indices where resolution.keys[index] == nil {
                    guard let key = found.key(of: index) else { continue }
                    resolution.keys[index] = key
                    resolution.rows[index] = nil
                }
            }
            placement.referenced.append(resolution)
        }
    }

    // MARK: Pending references

    /// Keeps or reports the references without an object, and removes those of relationships that the
    /// document sets to something else.
    mutating func setPendingReferences() throws(PersistenceError) {
        var claims: [WaitingClaim] = []
        for relation in batch.relations {
            guard relation.missing != nil || placement.hasPendingReferences else { continue }
            for assigned in placement.assigned(relation).sorted(by: { $0.ordinal < $1.ordinal })
            where !placement.keepsValues(of: assigned.owner) {
                placement.counts[relation.entity].connected += assigned.members.count {
                    $0.row == nil && placement.key(of: $0) != nil
                }
                var missing: [ReferenceChanges.Reference] = []
                for (reference, node) in self.missing(assigned, relation) {
                    if relation.missing == .pending {
                        missing.append(reference)
                        pending.append(
                            PendingNode(
                                node: node, owner: assigned.owner, entity: relation.entity))
                    } else {
                        noteSkipped(node, relation)
                    }
                }
                let isReplacing = !relation.isUnion
                guard !missing.isEmpty || placement.hasPendingReferences && isReplacing else {
                    continue
                }
                let owner = ReferenceChanges.Owner(
                    key: assigned.owner, relationship: relation.relationship.index)
                if relation.relationship.isExclusive {
                    claims += missing.map {
                        WaitingClaim(
                            reference: WaitingReference(
                                owner: owner, entity: relation.entity, reference: $0),
                            ordinal: assigned.ordinal)
                    }
                }
                layered.layers.top.pending.set(
                    ReferenceChanges.Change(
                        entity: relation.entity, isReplacing: isReplacing, references: missing),
                    of: owner)
            }
        }
        try arrivals.removeOlderReferences(claims)
        removeOverriddenReferences()
        try arrivals.connect()
    }

    /// Removes the unsaved references of to-one relationships that have an object by now, as saving does.
    private func removeOverriddenReferences() {
        for (owner, change) in layered.unsavedPendingReferences.changes
        where !change.references.isEmpty {
            let layout = layered.model.layouts[change.entity]
            guard case .column(let column) = layout.relationships[owner.relationship].storage,
                case .integer? = layered.layers.changedValue(owner.key, column, layout.table.index)
            else { continue }
            layered.layers.top.pending.set(
                ReferenceChanges.Change(entity: change.entity, isReplacing: true, references: []),
                of: owner)
        }
    }

    /// Reports a reference that has no effect.
    private func noteSkipped(_ node: Int, _ relation: RelationBatch) {
        let destination = layered.model.layouts[relation.relationship.destination]
        batch.issues.append(
            ImportIssue(
                node: node, entity: relation.entity, property: relation.relationship.name,
                code: .missingDestination,
                expected: "the identity of an object of \(destination.name)"))
    }

    /// Returns the different members without an object, each with its first node.
    private func missing(
        _ assigned: AssignedMembers, _ relation: RelationBatch
    ) -> [(reference: ReferenceChanges.Reference, node: Int)] {
        placement.placed(assigned, relation).compactMap { place in
            guard place.key == nil, case .reference(let reference) = place.member else {
                return nil
            }
            let identities = batch.references[reference.batch]
            let missing = ReferenceChanges.Reference(
                column: identities.column, identity: identities.identity(reference.index),
                position: relation.relationship.isOrdered ? place.position : nil)
            return (missing, reference.node)
        }
    }

    /// Counts the references that wait for their destination, and returns their nodes in document
    /// order, without those of discarded objects.
    func countPending() -> [Int] {
        let kept = pending.filter {
            !layered.layers.isDeleted($0.owner, layered.model.layouts[$0.entity].table.index)
        }
        for reference in kept { placement.counts[reference.entity].pending += 1 }
        return kept.map(\.node).sorted()
    }

    /// Restores the references that have waited for objects of the document that were discarded.
    func restoreArrivals() { arrivals.restore() }
}

// SPDX-License-Identifier: Apache-2.0

// References to objects that do not exist yet.

extension LayeredRows {
    /// The unsaved changes of pending references in all layers.
    var unsavedPendingReferences: ReferenceChanges {
        if layers.lower.allSatisfy(\.pending.isEmpty) { return layers.top.pending }
        var changes = ReferenceChanges()
        for layer in layers.lower { changes.absorb(layer.pending) }
        changes.absorb(layers.top.pending)
        return changes
    }

    /// A Boolean value that indicates whether the unsaved changes or the store have pending references.
    var hasPendingReferences: Bool {
        get throws(PersistenceError) {
            if !layers.top.pending.isEmpty || !layers.lower.allSatisfy(\.pending.isEmpty) {
                return true
            }
            return try read { try !PendingReferenceTable(database: $0).isEmpty }
        }
    }

    /// Returns a Boolean value that indicates whether a relationship of a row has pending references.
    func hasPendingReferences(
        of owner: ReferenceChanges.Owner, _ relationship: RelationshipLayout,
        in layout: EntityLayout
    ) throws(PersistenceError) -> Bool {
        for layer in [layers.top] + layers.lower.reversed() {
            guard let change = layer.pending.changes[owner] else { continue }
            if !change.references.isEmpty { return true }
            if change.isReplacing { return false }
        }
        if layers.state(of: owner.key, layout.table.index) == .inserted { return false }
        return try read { database in
            let table = PendingReferenceTable(database: database)
            guard try table.isPresent else { return false }
            return try table.rows(ofOwners: [owner.key]).contains {
                $0.relationship == relationship.name
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

/// Unsaved changes of the references whose destinations do not exist.
struct ReferenceChanges: Sendable {
    /// A relationship of an object.
    struct Owner: Hashable, Sendable {
        let key: Int64
        /// The index of the relationship, which is the same in sub-entities.
        let relationship: Int
    }

    /// A reference to a destination.
    struct Reference: Hashable, Sendable {
        /// The column of the destination that has the identity.
        let column: Int
        let identity: StoredValue
        /// The position of the destination in an ordered relationship.
        let position: Int64?

        /// The reference without its position, which is the same for all references to an object.
        var unpositioned: Reference {
            Reference(column: column, identity: identity, position: nil)
        }
    }

    /// The pending references of a relationship of an object.
    struct Change: Sendable {
        /// The entity of the object.
        let entity: Int
        /// A Boolean value that indicates whether references of lower layers and of the store are
        /// removed.
        var isReplacing: Bool
        var references: [Reference]
    }

    private(set) var changes: [Owner: Change] = [:]

    var isEmpty: Bool { changes.isEmpty }

    /// Replaces the references of a relationship, or adds to them.
    mutating func set(_ change: Change, of owner: Owner) {
        if change.isReplacing || changes[owner] == nil {
            changes[owner] = change
            return
        }
        var known = Set(changes[owner]?.references.map(\.unpositioned) ?? [])
        for reference in change.references where known.insert(reference.unpositioned).inserted {
            changes[owner]?.references.append(reference)
        }
    }

    /// Removes references that have been connected.
    mutating func remove(_ references: Set<Reference>, of owner: Owner) {
        changes[owner]?.references.removeAll { references.contains($0) }
    }

    /// Adds the changes of the layer above, which win.
    mutating func absorb(_ upper: ReferenceChanges) {
        if changes.isEmpty {
            self = upper
        } else {
            for (owner, change) in upper.changes { set(change, of: owner) }
        }
    }
}

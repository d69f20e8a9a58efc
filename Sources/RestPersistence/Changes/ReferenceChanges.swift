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
        /// A Boolean value that indicates whether a program has set the relationship, and not an import.
        var isEdit = false
        /// The number of changes before it: of two references to an object that can have one owner only,
        /// the newer wins.
        fileprivate(set) var ordinal = 0
    }

    private(set) var changes: [Owner: Change] = [:]
    /// The destinations of the relationships that documents contain.
    ///
    /// A reference that has waited for the object of such a relationship is connected only if its owner is
    /// one of them.
    private(set) var decided: [Owner: Set<Int64>] = [:]
    private var changeCount = 0

    /// The changes, the oldest first.
    var ordered: [(owner: Owner, change: Change)] {
        changes.map { ($0.key, $0.value) }.sorted { $0.change.ordinal < $1.change.ordinal }
    }

    var isEmpty: Bool { changes.isEmpty }

    /// Replaces the references of a relationship, or adds to them.
    mutating func set(_ change: Change, of owner: Owner) {
        defer {
            changes[owner]?.ordinal = changeCount
            changeCount += 1
        }
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

    /// Removes a reference to an object, whatever its position.
    mutating func remove(_ reference: Reference, of owner: Owner) {
        changes[owner]?.references.removeAll { $0.unpositioned == reference.unpositioned }
    }

    /// Records the destinations of a relationship that a document contains.
    mutating func decide(_ destinations: Set<Int64>, of owner: Owner) {
        decided[owner] = destinations
    }

    /// Returns a Boolean value that indicates whether the document of a destination has the inverse of a
    /// relationship without an owner.
    func excludes(
        _ owner: Int64, from destination: Int64, _ relationship: RelationshipLayout
    ) -> Bool {
        guard !decided.isEmpty, let inverse = relationship.inverse,
            let destinations = decided[Owner(key: destination, relationship: inverse)]
        else { return false }
        return !destinations.contains(owner)
    }

    /// Adds the changes of the layer above, which win.
    mutating func absorb(_ upper: ReferenceChanges) {
        if changes.isEmpty, decided.isEmpty {
            self = upper
            return
        }
        for (owner, change) in upper.ordered { set(change, of: owner) }
        decided.merge(upper.decided) { $1 }
    }

    /// Removes and returns the changes of relationships that a program has set.
    mutating func takeEdits() -> ReferenceChanges {
        take { $1.isEdit }
    }

    /// Removes and returns the changes of the relationships that others change.
    mutating func take(ownersOf other: ReferenceChanges) -> ReferenceChanges {
        take { owner, _ in other.changes[owner] != nil }
    }

    private mutating func take(_ isTaken: (Owner, Change) -> Bool) -> ReferenceChanges {
        var taken = ReferenceChanges()
        for (owner, change) in ordered where isTaken(owner, change) { taken.set(change, of: owner) }
        for owner in taken.changes.keys { changes[owner] = nil }
        return taken
    }
}

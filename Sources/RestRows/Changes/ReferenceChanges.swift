// SPDX-License-Identifier: Apache-2.0

/// A reference that waits for its object.
package struct WaitingReference: Sendable {
    package let owner: ReferenceChanges.Owner
    /// The entity of the owner.
    package let entity: Int
    package let reference: ReferenceChanges.Reference

    package init(
        owner: ReferenceChanges.Owner, entity: Int, reference: ReferenceChanges.Reference
    ) {
        self.owner = owner
        self.entity = entity
        self.reference = reference
    }
}

/// Unsaved changes of the references whose destinations do not exist.
package struct ReferenceChanges: Sendable {
    /// A relationship of an object.
    package struct Owner: Hashable, Sendable {
        package let key: Int64
        /// The index of the relationship, which is the same in sub-entities.
        package let relationship: Int

        package init(key: Int64, relationship: Int) {
            self.key = key
            self.relationship = relationship
        }
    }

    /// A reference to a destination.
    package struct Reference: Hashable, Sendable {
        /// The column of the destination that has the identity.
        package let column: Int
        package let identity: StoredValue
        /// The position of the destination in an ordered relationship.
        package let position: Int64?

        package init(column: Int, identity: StoredValue, position: Int64?) {
            self.column = column
            self.identity = identity
            self.position = position
        }

        /// The reference without its position, which is the same for all references to an object.
        package var unpositioned: Reference {
            Reference(column: column, identity: identity, position: nil)
        }
    }

    /// The pending references of a relationship of an object.
    package struct Change: Sendable {
        /// The entity of the object.
        package let entity: Int
        /// A Boolean value that indicates whether references of lower layers and of the store are
        /// removed.
        package var isReplacing: Bool
        package var references: [Reference]
        /// The references of lower layers and of the store that are removed, without positions, if not all are.
        package fileprivate(set) var removed: Set<Reference> = []
        /// A Boolean value that indicates whether a program has set the relationship, and not an import.
        package var isEdit = false
        /// The number of changes before it: of two references to an object that can have one owner only,
        /// the newer wins.
        fileprivate(set) var ordinal = 0

        package init(
            entity: Int, isReplacing: Bool, references: [Reference], isEdit: Bool = false,
            ordinal: Int = 0
        ) {
            self.entity = entity
            self.isReplacing = isReplacing
            self.references = references
            self.isEdit = isEdit
            self.ordinal = ordinal
        }

        fileprivate mutating func remove(_ references: Set<Reference>) {
            if references.isEmpty { return }
            self.references.removeAll { references.contains($0.unpositioned) }
            if !isReplacing { removed.formUnion(references) }
        }
    }

    package private(set) var changes: [Owner: Change] = [:]
    /// The destinations of the relationships that documents contain.
    ///
    /// A reference that has waited for the object of such a relationship is connected only if its owner is
    /// one of them.
    private(set) var decided: [Owner: Set<Int64>] = [:]
    private var changeCount = 0

    package init() {}

    /// The changes, the oldest first.
    package var ordered: [(owner: Owner, change: Change)] {
        changes.map { ($0.key, $0.value) }.sorted { $0.change.ordinal < $1.change.ordinal }
    }

    package var isEmpty: Bool { changes.isEmpty }

    /// Replaces the references of a relationship, or adds to them.
    package mutating func set(_ change: Change, of owner: Owner) {
        defer {
            changes[owner]?.ordinal = changeCount
            changeCount += 1
        }
        if change.isReplacing || changes[owner] == nil {
            changes[owner] = change
            return
        }
        changes[owner]?.remove(change.removed)
        var known = Set(changes[owner]?.references.map(\.unpositioned) ?? [])
        for reference in change.references where known.insert(reference.unpositioned).inserted {
            changes[owner]?.references.append(reference)
        }
    }

    /// Removes a reference, whatever its position, from these changes, lower layers and the store.
    package mutating func remove(_ waiting: WaitingReference) {
        let owner = waiting.owner
        if changes[owner] == nil {
            set(
                Change(entity: waiting.entity, isReplacing: false, references: []), of: owner)
        }
        changes[owner]?.remove([waiting.reference.unpositioned])
    }

    /// Returns a Boolean value that indicates whether these changes remove a reference of the store.
    package func removes(_ waiting: WaitingReference) -> Bool {
        guard let change = changes[waiting.owner] else { return false }
        return change.isReplacing || change.removed.contains(waiting.reference.unpositioned)
    }

    /// Restores a reference that was removed since other changes.
    package mutating func restore(_ waiting: WaitingReference, from former: ReferenceChanges) {
        let (owner, reference) = (waiting.owner, waiting.reference)
        changes[owner]?.removed.remove(reference.unpositioned)
        if former.changes[owner]?.references.contains(reference) == true {
            changes[owner]?.references.append(reference)
        }
    }

    /// Records the destinations of a relationship that a document contains.
    package mutating func decide(_ destinations: Set<Int64>, of owner: Owner) {
        decided[owner] = destinations
    }

    /// Returns a Boolean value that indicates whether the document of a destination has the inverse of a
    /// relationship without an owner.
    package func excludes(
        _ owner: Int64, from destination: Int64, _ relationship: RelationshipLayout
    ) -> Bool {
        guard !decided.isEmpty, let inverse = relationship.inverse,
            let destinations = decided[Owner(key: destination, relationship: inverse)]
        else { return false }
        return !destinations.contains(owner)
    }

    /// Adds the changes of the layer above, which win.
    package mutating func absorb(_ upper: ReferenceChanges) {
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

/// The connection of references whose destinations exist now.
extension ReferenceChanges {
    /// A reference that has waited, whose destination exists now.
    package struct Claim {
        package let owner: Int64
        package let destination: Int64

        package init(owner: Int64, destination: Int64) {
            self.owner = owner
            self.destination = destination
        }

        package var reversed: Claim { Claim(owner: destination, destination: owner) }
    }

    /// Returns the claims of a to-one relationship that are granted, one for each owner.
    ///
    /// A reference yields to whatever was set while it waited: an owner keeps its destination, and a destination
    /// of a one-to-one relationship its partner. If the relationship is its own inverse, the reversed claims
    /// are granted as well.
    ///
    /// - Parameters:
    ///   - claims: The claims in the order of their age.
    ///   - relationship: The relationship.
    ///   - free: Returns those of some owners that have no destination.
    ///   - taken: Returns those of some destinations that have a partner.
    /// - Returns: The claims.
    /// - Throws: The error of a closure.
    package static func granted<Failure>(
        _ claims: [Claim], of relationship: RelationshipLayout,
        free: ([Int64]) throws(Failure) -> Set<Int64>,
        taken: ([Int64]) throws(Failure) -> Set<Int64>
    ) throws(Failure) -> [Claim] {
        let owners = try free(claims.map(\.owner))
        var claims = claims.filter { owners.contains($0.owner) }
        if relationship.isOneToOne {
            let destinations = try taken(claims.map(\.destination))
            claims = pairs(
                claims.filter { !destinations.contains($0.destination) },
                isSymmetric: relationship.isSymmetric)
        }
        if relationship.isSymmetric {
            claims += claims.filter { $0.owner != $0.destination }.map(\.reversed)
        }
        var known: Set<Int64> = []
        return claims.filter { known.insert($0.owner).inserted }
    }

    /// Returns the claims after which no object has two partners; of several, the last.
    ///
    /// - Parameters:
    ///   - claims: The claims in the order of their age.
    ///   - isSymmetric: A Boolean value that indicates whether the relationship is its own inverse, so that
    ///     owners are destinations as well.
    /// - Returns: The claims, the last first.
    private static func pairs(_ claims: [Claim], isSymmetric: Bool) -> [Claim] {
        var owners: Set<Int64> = []
        var destinations: Set<Int64> = []
        return claims.reversed().filter { claim in
            let (owner, destination) = (claim.owner, claim.destination)
            if owners.contains(owner) || destinations.contains(destination) { return false }
            if isSymmetric, owners.contains(destination) || destinations.contains(owner) {
                return false
            }
            owners.insert(owner)
            destinations.insert(destination)
            return true
        }
    }
}

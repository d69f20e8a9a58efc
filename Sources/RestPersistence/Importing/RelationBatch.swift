// SPDX-License-Identifier: Apache-2.0

import RestMapping

/// The references of a relationship between rows of a batch.
final class RelationBatch {
    /// The destinations that the document assigns to the relationship of a row.
    struct Assignment {
        let owner: Int
        let range: Range<Int>
        /// The number of assignments before it, of all relationships.
        let ordinal: Int
        /// A Boolean value that indicates whether no element of the list was dropped.
        let isComplete: Bool
    }

    let entity: Int
    let relationship: RelationshipLayout
    private let allAssignments = BatchArray<Assignment>()
    private let members = BatchArray<BatchMember>()
    /// The last of the first ``indexedCount`` assignments of each owner.
    private var latest: [Int: Int] = [:]
    private var indexedCount = 0
    /// The treatment of plain values to which there is no object; `nil` if plain values are objects.
    let missing: MissingDestination?
    /// The policy for the existing destinations.
    let policy: AssignmentPolicy
    /// A Boolean value that indicates whether the existing destinations are kept.
    var isUnion: Bool { policy == .union }
    /// The existing destinations of each owner, if new ones follow them in order.
    var existingOrders: [Int64: ExistingOrder] = [:]
    /// The destinations of each owner, while they are placed.
    var placed: PlacedLists?
    /// The lists, compared with the stored ones before the import; `nil` if they were not compared.
    var stored: BatchLists?

    init(
        _ entity: Int, _ relationship: RelationshipLayout, _ policy: AssignmentPolicy,
        missing: MissingDestination?
    ) {
        self.entity = entity
        self.relationship = relationship
        self.policy = policy
        self.missing = missing
    }

    /// The assignments in document order; a later one for the same object replaces an earlier one.
    var assignments: [Assignment] { allAssignments.all }

    func assign(
        _ owner: Int, _ assigned: some Collection<BatchMember>, ordinal: Int, isComplete: Bool
    ) {
        let start = members.count
        for member in assigned { members.append(member) }
        allAssignments.append(
            Assignment(
                owner: owner, range: start..<members.count, ordinal: ordinal,
                isComplete: isComplete))
    }

    /// Returns the destination that was assigned last to the to-one relationship of an owner.
    func member(of owner: Int) -> BatchMember? {
        // Indexed when first asked for, because few relationships are.
        let assignments = assignments
        for index in indexedCount..<assignments.count { latest[assignments[index].owner] = index }
        indexedCount = assignments.count
        return latest[owner].flatMap { members(of: assignments[$0]).last }
    }

    /// Removes the assignments of owners, and returns their destinations.
    func removeAssignments(of owners: Set<Int>) -> [BatchMember] {
        let removed = assignments.filter { owners.contains($0.owner) }
        allAssignments.replaceAll(by: assignments.filter { !owners.contains($0.owner) })
        latest = [:]
        indexedCount = 0
        return removed.flatMap { members(of: $0) }
    }

    func members(of assignment: Assignment) -> ArraySlice<BatchMember> { members[assignment.range] }
}

/// The existing destinations of an ordered relationship, which a union keeps in their places.
struct ExistingOrder {
    /// The positions by key.
    let positions: [Int64: Int64]
    /// The position of the first new destination.
    let next: Int64

    init(_ members: [LayeredRows.Member]) {
        positions = Dictionary(members.map { ($0.key, $0.position ?? 0) }) { first, _ in first }
        next = (positions.values.max() ?? -1) + 1
    }

    /// Creates the order of destinations to which none is added, so that no position is needed.
    init(unchanged keys: [Int64]) {
        positions = Dictionary(keys.map { ($0, 0) }) { first, _ in first }
        next = 0
    }
}

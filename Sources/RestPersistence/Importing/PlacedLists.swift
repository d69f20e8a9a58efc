// SPDX-License-Identifier: Apache-2.0

/// The destinations of the objects of a relationship, in flat arrays.
struct PlacedLists {
    private(set) var owners: [Int64] = []
    /// For each object, the number of assignments before its last one, of all relationships.
    private(set) var ordinals: [Int] = []
    private var ends: [Int] = []
    /// The destinations, those of an object together.
    var members: [PlacedMember] = []

    /// Ends a list, which has the destinations that were appended since the last one.
    mutating func endList(of owner: Int64, _ ordinal: Int) {
        owners.append(owner)
        ordinals.append(ordinal)
        ends.append(members.count)
    }

    /// Returns the indices of the destinations of an object.
    func range(of index: Int) -> Range<Int> { (index == 0 ? 0 : ends[index - 1])..<ends[index] }

    /// The destinations of each object that exist.
    var keys: [Int64: [(key: Int64, position: Int64?)]] {
        var keys: [Int64: [(key: Int64, position: Int64?)]] = [:]
        keys.reserveCapacity(owners.count)
        for (index, owner) in owners.enumerated() {
            keys[owner] = members[range(of: index)].compactMap { place in
                place.key.map { ($0, place.position) }
            }
        }
        return keys
    }
}

/// A destination in the list of an object.
struct PlacedMember {
    let member: BatchMember
    /// The key of the object; `nil` for a reference that waits for its object.
    let key: Int64?
    /// The position; `nil` for an existing destination that a union leaves in its place.
    let position: Int64?
}

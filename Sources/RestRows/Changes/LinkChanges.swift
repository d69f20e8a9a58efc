// SPDX-License-Identifier: Apache-2.0

/// The keys of a row of a join table.
package struct LinkPair: Sendable, Hashable {
    package let source: Int64
    package let target: Int64

    package init(_ own: Int64, _ other: Int64, isForward: Bool) {
        source = isForward ? own : other
        target = isForward ? other : own
    }

    package var reversed: LinkPair { LinkPair(target, source, isForward: true) }

    /// Returns the key at an end.
    package func key(isSource: Bool) -> Int64 { isSource ? source : target }
}

/// The change of a row of a join table: inserted with positions, moved or deleted.
package struct LinkChange: Sendable, Hashable {
    package static let removed = LinkChange(isMember: false)

    package let isMember: Bool
    /// A Boolean value that indicates whether the row has only another position.
    ///
    /// Such a change has no effect if others have deleted the row.
    package var isMove = false
    /// A Boolean value that indicates whether a program has made the change, and not an import.
    package var isEdit = false
    /// A Boolean value that indicates whether imports have removed the row and added it again, so that it is new:
    /// a position that is not given is the last.
    ///
    /// A program that adds what it has removed changes nothing.
    private(set) var isRenewed = false
    /// The position of the target among the targets of its source; `nil` for the last or no change.
    var targetPosition: Int64?
    /// The position of the source among the sources of its target; `nil` for the last or no change.
    var sourcePosition: Int64?

    package init(isMember: Bool) { self.isMember = isMember }

    /// Creates a membership whose other end has a position in the list of the own one.
    package init(position: Int64?, isForward: Bool) {
        isMember = true
        if isForward { targetPosition = position } else { sourcePosition = position }
    }

    /// Returns the position in the list of the owner of a relationship.
    package func position(isForward: Bool) -> Int64? { isForward ? targetPosition : sourcePosition }

    /// Returns the position of a member in the list of the owner of a relationship, given the one that it had.
    package func position(isForward: Bool, after former: Int64?) -> Int64? {
        position(isForward: isForward) ?? (isRenewed ? nil : former)
    }

    /// Returns the change that follows an earlier one: a change of one position keeps the other.
    package func following(_ earlier: LinkChange?) -> LinkChange {
        guard isMember, let earlier else { return self }
        var change = self
        guard earlier.isMember else {
            if isMove { return earlier }
            change.isRenewed = !isEdit && !earlier.isEdit
            return change
        }
        change.isRenewed = isRenewed || earlier.isRenewed
        change.isMove = isMove && earlier.isMove
        change.targetPosition = targetPosition ?? earlier.targetPosition
        change.sourcePosition = sourcePosition ?? earlier.sourcePosition
        return change
    }
}

extension RelationshipLayout {
    /// Calls a closure with each row of a join table that the change of a destination concerns: its own, and the
    /// reversed one of a relationship that is its own inverse.
    ///
    /// The reversed row has no position, and a move leaves it alone.
    ///
    /// - Parameters:
    ///   - owner: The key of the owner.
    ///   - destination: The key of the destination.
    ///   - change: The change of the owner's row.
    ///   - body: The closure, which is called with a row and its change.
    package func forEachRow(
        from owner: Int64, to destination: Int64, _ change: LinkChange,
        _ body: (LinkPair, LinkChange) -> Void
    ) {
        let pair = LinkPair(owner, destination, isForward: isForward)
        body(pair, change)
        guard isSymmetric, owner != destination, !change.isMove else { return }
        var reversed = LinkChange(isMember: change.isMember)
        reversed.isEdit = change.isEdit
        body(pair.reversed, reversed)
    }

    /// Calls a closure with each change that gives an owner other destinations, in the rows of a join table.
    ///
    /// - Parameters:
    ///   - destinations: The keys of the destinations, in their order.
    ///   - current: Those that the owner has, with their positions.
    ///   - body: The closure, which is called with the key of a destination and its change.
    package func forEachChange(
        to destinations: [Int64], from current: [(key: Int64, position: Int64?)],
        _ body: (Int64, LinkChange) -> Void
    ) {
        let kept = Set(destinations)
        for member in current where !kept.contains(member.key) { body(member.key, .removed) }
        let positions = Dictionary(current.map { ($0.key, $0.position) }) { $1 }
        for (index, key) in destinations.enumerated() {
            let position = isOrdered ? Int64(index) : nil
            let known = positions[key]
            if known == .some(position) { continue }
            var change = LinkChange(position: position, isForward: isForward)
            change.isMove = known != nil
            body(key, change)
        }
    }
}

/// The changed rows of a join table.
package struct LinkChanges: Sendable {
    package private(set) var pairs: [LinkPair: LinkChange] = [:]
    /// The other ends of changed pairs, by source and by target.
    private var targets: [Int64: Set<Int64>] = [:]
    private var sources: [Int64: Set<Int64>] = [:]

    package init() {}

    package var isEmpty: Bool { pairs.isEmpty }

    /// Returns the changed pairs of a key.
    package func pairs(of key: Int64, isSource: Bool) -> [(pair: LinkPair, change: LinkChange)] {
        guard !pairs.isEmpty else { return [] }
        return (isSource ? targets[key] : sources[key])?.compactMap { other in
            let pair = LinkPair(key, other, isForward: isSource)
            return pairs[pair].map { (pair, $0) }
        } ?? []
    }

    /// Sets a pair; a change of one position keeps an unsaved one of the other.
    package mutating func set(_ pair: LinkPair, _ change: LinkChange) {
        targets[pair.source, default: []].insert(pair.target)
        sources[pair.target, default: []].insert(pair.source)
        pairs[pair] = change.following(pairs[pair])
    }

    /// Forgets the pairs that insert a row for a deleted object.
    package mutating func removePairs(of key: Int64, isSource: Bool) {
        for (pair, change) in pairs(of: key, isSource: isSource) where change.isMember {
            remove(pair)
        }
    }

    /// Forgets a pair.
    package mutating func remove(_ pair: LinkPair) {
        pairs[pair] = nil
        targets[pair.source]?.remove(pair.target)
        sources[pair.target]?.remove(pair.source)
    }

    /// Adds the changes of the layer above, which win.
    package mutating func absorb(_ upper: LinkChanges) {
        if pairs.isEmpty {
            self = upper
            return
        }
        for (pair, change) in upper.pairs { set(pair, change) }
    }
}

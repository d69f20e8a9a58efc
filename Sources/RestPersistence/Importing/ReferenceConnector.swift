// SPDX-License-Identifier: Apache-2.0

/// The connection of unsaved references with the objects that they have waited for.
struct ReferenceConnector {
    private let layered: LayeredRows

    init(_ layered: LayeredRows) { self.layered = layered }

    /// An unsaved reference of an owner and the key of the object that has its identity.
    typealias Match = (owner: Int64, position: Int64?, key: Int64)

    /// Connects unsaved references of a relationship, except where it has another value.
    ///
    /// The references are in the order of their age. As in the store, the newest owner keeps a destination
    /// that can have one owner only.
    ///
    /// - Complexity: Three queries at most, whatever the number of references.
    func connect(
        _ matches: [Match], _ relationship: RelationshipLayout, in layout: EntityLayout
    ) throws(PersistenceError) {
        let matches = matches.filter { !layered.layers.isDeleted($0.owner, layout.table.index) }
        switch relationship.storage {
        case .column(let column): try setDestinations(matches, column, relationship, in: layout)
        case .inverseColumn(let column, let position):
            let destination = layered.model.layouts[relationship.destination]
            let newest = Dictionary(matches.map { ($0.key, $0) }) { $1 }
            let rows = try layered.rows(newest.keys.sorted(), destination)
            let partners =
                try relationship.isOneToOne
                ? layered.members(
                    of: Set(matches.map(\.owner)).sorted(), relationship, in: layout) : [:]
            for match in newest.values {
                guard let row = rows[match.key], partners[match.owner]?.isEmpty != false else {
                    continue
                }
                let place = match.position.map { StoredValue.integer($0) } ?? .null
                if row[column].isNull {
                    layered.set(.integer(match.owner), column, of: match.key, in: destination)
                } else if row[column] != .integer(match.owner) || position.map({ row[$0] }) != .null
                {
                    continue
                }
                if let position, row[position] != place {
                    layered.set(place, position, of: match.key, in: destination)
                }
            }
        case .link(_, let isForward):
            for match in matches {
                let position = relationship.isOrdered ? match.position : nil
                layered.layers.setLink(
                    from: match.owner, to: match.key, of: relationship,
                    LinkChange(position: position, isForward: isForward))
            }
        }
    }

    private func setDestinations(
        _ matches: [Match], _ column: Int, _ relationship: RelationshipLayout,
        in layout: EntityLayout
    ) throws(PersistenceError) {
        let claims = try ReferenceChanges.granted(
            matches.map { ReferenceChanges.Claim(owner: $0.owner, destination: $0.key) },
            of: relationship
        ) { owners throws(PersistenceError) in
            let rows = try layered.rows(Array(Set(owners)), layout)
            return Set(rows.lazy.filter { $0.value[column].isNull }.map(\.key))
        } taken: { destinations throws(PersistenceError) in
            try taken(destinations, column, relationship, in: layout)
        }
        for claim in claims {
            layered.set(.integer(claim.destination), column, of: claim.owner, in: layout)
            // The last position: the owner joins the end of the destination's list.
            if let position = layout.table.position(besides: column) {
                layered.set(.null, position, of: claim.owner, in: layout)
            }
        }
    }

    /// Returns the destinations of a one-to-one relationship that have a partner by now, which they keep.
    private func taken(
        _ destinations: [Int64], _ column: Int, _ relationship: RelationshipLayout,
        in layout: EntityLayout
    ) throws(PersistenceError) -> Set<Int64> {
        let destination = layered.model.layouts[relationship.destination]
        if relationship.isSymmetric {
            let rows = try layered.rows(destinations, destination)
            return Set(rows.filter { !$0.value[column].isNull }.keys)
        }
        guard let inverse = relationship.inverse else { return [] }
        let partners = try layered.members(
            of: destinations, destination.relationships[inverse], in: destination)
        return Set(partners.keys)
    }
}

// SPDX-License-Identifier: Apache-2.0

import RestMapping

/// One-to-one relationships that are their own inverse, of which a document may have one side only.
///
/// Saving would set the other side, but the objects of the context have both at once.
extension ImportPlacement {
    /// An object, and the partner that the document assigns to it.
    private typealias Claim = (owner: Int64, partner: Int64?)

    /// Reads the partners that objects have before the import changes their rows.
    func readFormerPartners() throws(PersistenceError) {
        for relation in batch.relations {
            guard case .column(let column) = relation.relationship.storage,
                relation.relationship.isSymmetric
            else { continue }
            let claims = claims(of: relation, column)
            let keys = Set(claims.map(\.owner) + claims.compactMap(\.partner))
            var former = try partners(of: keys, relation)
            // Another program may have written one side only.
            let others = try partners(of: Set(former.values).subtracting(keys), relation)
            former.merge(others) { first, _ in first }
            relation.formerPartners = former
        }
    }

    /// Sets the other side of each pair, and removes the former partners of both.
    ///
    /// Of the objects that claim one partner, the one that the partner claims wins, or else the last.
    func setPartners(of relation: RelationBatch, _ column: Int) {
        let claims = claims(of: relation, column)
        let claimed = Dictionary(claims.map { ($0.owner, $0.partner) }) { _, last in last }
        var partners: [Int64: Int64?] = claimed
        var owners: [Int64: Int64] = [:]
        for case (let owner, let partner?) in claims {
            if let own = claimed[partner], own != owner { continue }
            owners[partner] = owner
        }
        for case (let owner, let partner?) in claims where owners[partner] != owner {
            partners.updateValue(nil, forKey: owner)
        }
        for (partner, owner) in owners where claimed[partner] == nil {
            partners.updateValue(owner, forKey: partner)
        }
        for key in Array(partners.keys) {
            guard let former = relation.formerPartners[key], partners[former] == nil,
                relation.formerPartners[former] == key
            else { continue }
            partners.updateValue(nil, forKey: former)
        }
        let layout = context.model.layouts[relation.entity]
        for (key, partner) in partners.sorted(by: { $0.key < $1.key }) {
            // The value that the row has by now.
            let present = claimed[key] ?? relation.formerPartners[key]
            if present == partner { continue }
            context.set(partner.map { .integer($0) } ?? .null, column, of: key, in: layout)
        }
    }

    /// Returns the objects whose partner the document has.
    ///
    /// Mappings of other entities of the table may have some of them. A representation that was dropped
    /// assigns nothing.
    private func claims(of relation: RelationBatch, _ column: Int) -> [Claim] {
        let table = context.model.layouts[relation.entity].table
        var claims: [Claim] = []
        for other in batch.relations
        where context.model.layouts[other.entity].table === table
            && other.relationship.index == relation.relationship.index
        {
            for (owner, members) in assigned(other) {
                let partner = members.first.flatMap(key(of:))
                if partner == nil, members.first?.row != nil { continue }
                claims.append((owner, partner))
            }
        }
        return claims
    }

    private func partners(
        of keys: Set<Int64>, _ relation: RelationBatch
    ) throws(PersistenceError) -> [Int64: Int64] {
        let created = resolutions.map(\.createdKeys)
        let existing = keys.filter { key in !created.contains { $0.contains(key) } }
        if existing.isEmpty { return [:] }
        let layout = context.model.layouts[relation.entity]
        return try context.members(of: existing.sorted(), relation.relationship, in: layout)
            .compactMapValues(\.first)
    }
}

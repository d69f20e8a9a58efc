// SPDX-License-Identifier: Apache-2.0

import RestMapping

/// One-to-one relationships, of which a document may have one side, both, or contradicting ones.
///
/// If several objects claim one partner, the object that the partner itself names wins, or else the last one;
/// an object comes after those inside of it. A claim wins over null. The objects of the context have both
/// sides at once, and the former partners of both lose theirs.
struct PartnerAssignment {
    private let placement: ImportPlacement
    private var batch: ImportBatch { placement.batch }
    private var layered: LayeredRows { placement.layered }

    init(_ placement: ImportPlacement) { self.placement = placement }

    /// An object at one side of a relationship.
    ///
    /// An object can be at both sides of a relationship within its entity. Both sides of a relationship that
    /// is its own inverse are sources.
    private struct Party: Hashable {
        let key: Int64
        let isSource: Bool
    }

    /// An object, and the partner that the document assigns to it.
    private struct Claim {
        let owner: Party
        let partner: Party?
        /// A Boolean value that indicates whether the partner is named; it may not exist yet.
        let isNamed: Bool
        let ordinal: Int

        /// The object without the column; `nil` if there is none.
        var destination: Int64? { owner.isSource ? partner?.key : owner.key }
    }

    /// The column of the sources, and the relationships of both sides.
    private struct PartnerColumn {
        let column: Int
        /// The entity that declares the relationship with the column.
        let source: EntityLayout
        let relationship: RelationshipLayout
        let destination: EntityLayout
        let inverse: RelationshipLayout
    }

    /// Assigns the partners of the objects of all one-to-one relationships.
    func assignPartners() throws(PersistenceError) {
        var columns: [(partner: PartnerColumn, relations: [RelationBatch])] = []
        for relation in batch.relations {
            guard let partner = partnerColumn(of: relation) else { continue }
            let known = columns.firstIndex {
                $0.partner.column == partner.column
                    && $0.partner.source.table === partner.source.table
            }
            if let known {
                columns[known].relations.append(relation)
            } else {
                columns.append((partner, [relation]))
            }
        }
        for (partner, relations) in columns { try assignPartners(by: partner, relations) }
    }

    private func partnerColumn(of relation: RelationBatch) -> PartnerColumn? {
        let relationship = relation.relationship
        guard relationship.isOneToOne, let index = relationship.inverse else { return nil }
        let (own, other) = (
            layered.model.layouts[relation.entity], layered.model.layouts[relationship.destination]
        )
        let inverse = other.relationships[index]
        switch relationship.storage {
        case .column(let column):
            return PartnerColumn(
                column: column, source: own, relationship: relationship, destination: other,
                inverse: inverse)
        case .inverseColumn(let column, _):
            return PartnerColumn(
                column: column, source: other, relationship: inverse, destination: own,
                inverse: relationship)
        case .link: return nil
        }
    }

    private func assignPartners(
        by partner: PartnerColumn, _ relations: [RelationBatch]
    ) throws(PersistenceError) {
        let isSymmetric = partner.relationship.isSymmetric
        var claims: [Claim] = []
        // The objects with the column, and their rows.
        var sources: Set<Int64> = []
        var rows: [Int64: BatchRow] = [:]
        for relation in relations {
            var isSource = false
            if case .column = relation.relationship.storage { isSource = true }
            for assignment in relation.assignments {
                let ownRow = BatchRow(entity: relation.entity, row: assignment.owner)
                let member = relation.members(of: assignment).first
                let key = member.flatMap(placement.key(of:))
                // A representation that was dropped assigns nothing.
                guard let owner = placement.resolutions[ownRow.entity].key(of: ownRow.row),
                    key != nil || member?.row == nil || placement.isLeftOut(member)
                else { continue }
                let waits =
                    member != nil && !placement.isLeftOut(member) && relation.missing == .pending
                claims.append(
                    Claim(
                        owner: Party(key: owner, isSource: isSymmetric || isSource),
                        partner: key.map { Party(key: $0, isSource: isSymmetric || !isSource) },
                        isNamed: key != nil || waits, ordinal: assignment.ordinal))
                if isSource {
                    sources.insert(owner)
                    rows[owner] = placement.canonicalRow(ownRow)
                }
                guard isSymmetric || !isSource, let member, let key else { continue }
                sources.insert(key)
                if let row = placement.row(of: member) { rows[key] = row }
            }
        }
        if placement.mode == .insertOnly { claims = try insertable(claims, partner) }
        let partners = Self.partners(claims)
        let destinations = partners.keys.filter { isSymmetric || !$0.isSource }.map(\.key)
        let former = try formerSources(of: destinations, partner)
        let layout = partner.source
        for key in sources {
            guard let decided = partners[Party(key: key, isSource: true)] else { continue }
            let value = decided.map { StoredValue.integer($0.key) } ?? .null
            if let row = rows[key] {
                batch.entities[row.entity].set(value, partner.column, of: row.row)
            } else if decided == nil || former[decided?.key ?? 0]?.contains(key) != true {
                placement.set(value, partner.column, of: key, in: layout)
            }
        }
        for destination in former.keys.sorted() {
            guard let source = partners[Party(key: destination, isSource: isSymmetric)] else {
                continue
            }
            let displaced = OneToOneRule.displaced(
                by: source?.key, among: former[destination] ?? [])
            for other in displaced where partners[Party(key: other, isSource: true)] == nil {
                placement.set(.null, partner.column, of: other, in: layout)
            }
        }
        guard placement.hasPendingReferences else { return }
        for (party, other) in partners {
            let relationship = party.isSource ? partner.relationship : partner.inverse
            ReferenceDecisions(placement).decide(
                Set(other.map { [$0.key] } ?? []), party.key, relationship)
        }
    }

    /// Returns the claims that change no object which existed before: the reference is that of a new object, and
    /// its destination has no other source and need not refer back.
    private func insertable(
        _ claims: [Claim], _ partner: PartnerColumn
    ) throws(PersistenceError) -> [Claim] {
        let new = claims.filter { claim in
            guard let other = claim.partner else { return placement.isCreated(claim.owner.key) }
            if partner.relationship.isSymmetric {
                return placement.isCreated(claim.owner.key) && placement.isCreated(other.key)
            }
            return placement.isCreated(claim.owner.isSource ? claim.owner.key : other.key)
        }
        if partner.relationship.isSymmetric { return new }
        let former = try formerSources(of: new.compactMap(\.destination), partner)
        return new.filter { claim in claim.destination.map { former[$0] == nil } ?? true }
    }

    /// Returns the partner of each object that claims one or is claimed, or `nil` for none.
    private static func partners(_ claims: [Claim]) -> [Party: Party?] {
        let claims = claims.sorted { $0.ordinal < $1.ordinal }
        let last = Dictionary(claims.map { ($0.owner, $0) }) { $1 }
        var owners: [Party: Party] = [:]
        for claim in claims where last[claim.owner]?.ordinal == claim.ordinal {
            guard let partner = claim.partner else { continue }
            if let own = last[partner], own.isNamed, own.partner != claim.owner { continue }
            owners[partner] = claim.owner
        }
        var partners: [Party: Party?] = [:]
        for (owner, claim) in last {
            let isWon = claim.partner.map { owners[$0] == owner } == true
            partners.updateValue(isWon ? claim.partner : nil, forKey: owner)
        }
        for (partner, owner) in owners where last[partner]?.isNamed != true {
            partners.updateValue(owner, forKey: partner)
        }
        return partners
    }

    /// Returns the objects that refer to some objects before the import, by the object referred to.
    private func formerSources(
        of keys: [Int64], _ partner: PartnerColumn
    ) throws(PersistenceError) -> [Int64: [Int64]] {
        let existing = keys.filter { !placement.isCreated($0) }.sorted()
        if existing.isEmpty { return [:] }
        guard partner.relationship.isSymmetric else {
            return try layered.members(
                of: existing, partner.inverse, in: partner.destination)
        }
        let own = try layered.members(
            of: existing, partner.relationship, in: partner.source)
        // Another program may have written one side only.
        let others = Set(own.values.joined()).subtracting(existing)
        let mutual = try layered.members(
            of: others.sorted(), partner.relationship, in: partner.source
        ).merging(own) { $1 }
        var sources: [Int64: [Int64]] = [:]
        for (key, partners) in mutual {
            for other in partners { sources[other, default: []].append(key) }
        }
        return sources
    }
}

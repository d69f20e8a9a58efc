// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB

extension CollectionTable {
    /// The members of a collection whose rows exist.
    struct Members {
        var confirmed: [ManagedObjectID] = []
        var unconfirmed: [ManagedObjectID] = []
        /// The number of members whose rows are missing.
        var missingCount = 0
    }

    /// A member whose row exists.
    private struct Member {
        let page: Int64
        let position: Int64
        let walk: Int64
        let id: ManagedObjectID
    }

    /// Returns the members of a collection, in order.
    func members(
        of row: Row, in model: ManagedObjectModel, _ store: UUID
    ) throws(PersistenceError) -> Members {
        let found = try rows(ofMembersIn: row.id, in: model, store)
        var members = Members()
        members.missingCount = try memberCount(of: row.id) - found.count
        for member in found {
            if member.walk == row.facts.walk.id {
                members.confirmed.append(member.id)
            } else {
                members.unconfirmed.append(member.id)
            }
        }
        return members
    }

    /// Returns the pages of the last walk, in order, with their members.
    func pages(
        of row: Row, in model: ManagedObjectModel, _ store: UUID
    ) throws(PersistenceError) -> [StoredPage] {
        let members = Dictionary(
            grouping: try rows(ofMembersIn: row.id, in: model, store).filter {
                $0.walk == row.facts.walk.id
            }, by: \.page)
        let statement = try PreparedStatement(
            "SELECT page, url, entity_tag, last_modified, vary, selection, fields, state, size "
                + "FROM \(Self.pages) WHERE collection = ? ORDER BY page", in: database)
        try statement.bind(.integer(row.id), at: 1)
        var pages: [StoredPage] = []
        while try statement.step() {
            let index = statement.integer(0)
            let ids = (members[index] ?? []).map(\.id)
            let fields = statement.value(6)
            pages.append(
                StoredPage(
                    url: statement.value(1).collectionText,
                    validators: CollectionValidators(
                        entityTag: statement.value(2).collectionData,
                        lastModified: statement.value(3).collectionData),
                    vary: statement.value(4).collectionText,
                    selection: statement.value(5).collectionText,
                    facts: PageFacts(
                        fields: fields.isNull ? nil : fields.collectionText,
                        state: statement.value(7).collectionData),
                    members: ids, isComplete: Int64(ids.count) == statement.integer(8)))
        }
        return pages
    }

    private func rows(
        ofMembersIn collection: Int64, in model: ManagedObjectModel, _ store: UUID
    ) throws(PersistenceError) -> [Member] {
        var found: [Member] = []
        for entity in try entities(of: collection) {
            // An entity that is no longer in the model has no rows.
            guard let index = model.index(of: entity) else { continue }
            let layout = model.layouts[index]
            let statement = try PreparedStatement(
                "SELECT m.page, m.position, m.walk, m.key FROM \(Self.members) m "
                    + "JOIN \(layout.table.quoted) t ON t.\(EntityLayout.keyColumn) = m.key "
                    + "WHERE m.collection = ?1 AND m.entity = ?2", in: database)
            try statement.bind(.integer(collection), at: 1)
            try statement.bind(.text(entity), at: 2)
            while try statement.step() {
                found.append(
                    Member(
                        page: statement.integer(0), position: statement.integer(1),
                        walk: statement.integer(2),
                        id: ManagedObjectID(
                            key: statement.integer(3), layout: layout, store: store)))
            }
        }
        return found.sorted { ($0.page, $0.position) < ($1.page, $1.position) }
    }

    private func entities(of collection: Int64) throws(PersistenceError) -> [String] {
        let statement = try PreparedStatement(
            "SELECT DISTINCT entity FROM \(Self.members) WHERE collection = ?", in: database)
        try statement.bind(.integer(collection), at: 1)
        var entities: [String] = []
        while try statement.step() { entities.append(statement.value(0).collectionText) }
        return entities
    }

    private func memberCount(of collection: Int64) throws(PersistenceError) -> Int {
        let statement = try PreparedStatement(
            "SELECT count(*) FROM \(Self.members) WHERE collection = ?", in: database)
        try statement.bind(.integer(collection), at: 1)
        return try statement.step() ? Int(statement.integer(0)) : 0
    }
}

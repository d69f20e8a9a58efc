// SPDX-License-Identifier: Apache-2.0

package import Foundation
import GRDB

extension CollectionTable {
    /// The members of a collection whose rows exist.
    package struct Members {
        package var confirmed: [ManagedObjectID] = []
        package var unconfirmed: [ManagedObjectID] = []
        /// The number of members whose rows are missing.
        package var missingCount = 0
    }

    /// A member whose row exists.
    private struct Member {
        let page: Int64
        let key: Int64
        let isConfirmed: Bool
        /// The index of the entity in the model.
        let entity: Int
    }

    /// Returns the members of a collection, in order.
    package func members(
        of row: Row, in model: ManagedObjectModel, _ store: UUID
    ) throws(PersistenceError) -> Members {
        let (found, missingCount) = try storedMembers(of: row, in: model)
        var members = Members()
        members.missingCount = missingCount
        members.confirmed.reserveCapacity(found.count)
        for member in found {
            let id = ManagedObjectID(
                key: member.key, layout: model.layouts[member.entity], store: store)
            if member.isConfirmed {
                members.confirmed.append(id)
            } else {
                members.unconfirmed.append(id)
            }
        }
        return members
    }

    /// Returns the pages of the last walk, in order, with their members.
    package func pages(
        of row: Row, in model: ManagedObjectModel, _ store: UUID
    ) throws(PersistenceError) -> [StoredPage] {
        let members = Dictionary(
            grouping: try storedMembers(of: row, in: model).found.filter(\.isConfirmed),
            by: \.page)
        let statement = try PreparedStatement(
            "SELECT page, url, entity_tag, last_modified, vary, selection, fields, state, size "
                + "FROM \(Self.pages) WHERE collection = ?1 AND page >= ?2 AND page < ?3 "
                + "ORDER BY page",
            in: database)
        try bind(row.id, row.confirmedPages, to: statement)
        var pages: [StoredPage] = []
        while try statement.step() {
            let index = statement.integer(0)
            let ids = (members[index] ?? []).map {
                ManagedObjectID(key: $0.key, layout: model.layouts[$0.entity], store: store)
            }
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

    /// Returns a Boolean value that indicates whether a page with a URL has validators.
    package func hasValidators(
        _ validators: CollectionValidators, ofPage url: String, of request: CollectionRequest
    ) throws(PersistenceError) -> Bool {
        let statement = try PreparedStatement(
            "SELECT 1 FROM \(Self.name) c JOIN \(Self.pages) p ON p.collection = c.id "
                + "WHERE c.url = ?1 AND c.method = ?2 AND c.user = ?3 AND c.body = ?4 "
                + "AND c.paged = ?5 AND p.url = ?6 AND p.entity_tag IS ?7 "
                + "AND p.last_modified IS ?8", in: database)
        try bind(request, to: statement)
        try statement.bind(.text(url), at: 6)
        try statement.bind(validators.entityTag.map { .data($0) } ?? .null, at: 7)
        try statement.bind(validators.lastModified.map { .data($0) } ?? .null, at: 8)
        return try statement.step()
    }

    /// Returns the members whose rows exist, in order, and the number of the others.
    private func storedMembers(
        of row: Row, in model: ManagedObjectModel
    ) throws(PersistenceError) -> (found: [Member], missingCount: Int) {
        let statement = try PreparedStatement(
            "SELECT m.page, m.page >= ?2 AND m.page < ?3 AND \(Self.isOnPage), m.key, m.entity "
                + "FROM \(Self.members) m WHERE m.collection = ?1 ORDER BY m.page, m.position",
            in: database)
        try bind(row.id, row.confirmedPages, to: statement)
        var found: [Member] = []
        var missingCount = 0
        var entities: Set<Int> = []
        var (name, entity) = (StoredValue.null, nil as Int?)
        while try statement.step() {
            if !statement.value(3, equals: name) {
                name = statement.value(3)
                entity = model.index(of: name.collectionText)
                if let entity { entities.insert(entity) }
            }
            // An entity that is no longer in the model has no rows.
            guard let entity else {
                missingCount += 1
                continue
            }
            found.append(
                Member(
                    page: statement.integer(0), key: statement.integer(2),
                    isConfirmed: statement.integer(1) != 0, entity: entity))
        }
        var missing: Set<Int64> = []
        for entity in entities {
            let keys = found.compactMap { $0.entity == entity ? $0.key : nil }
            missing.formUnion(try missingKeys(of: model.layouts[entity].table, among: keys))
        }
        if !missing.isEmpty {
            found.removeAll { missing.contains($0.key) }
            missingCount += missing.count
        }
        return (found, missingCount)
    }

    /// Binds the key of a collection and some of its pages to the first three parameters.
    func bind(
        _ collection: Int64, _ pages: Range<Int>, to statement: borrowing PreparedStatement
    ) throws(PersistenceError) {
        try statement.bind(.integer(collection), at: 1)
        try statement.bind(.integer(Int64(pages.lowerBound)), at: 2)
        try statement.bind(.integer(Int64(pages.upperBound)), at: 3)
    }

    /// Returns those of some keys for which a table has no row.
    ///
    /// The keys of all rows are read if there are few of them: they are in every index, while a search
    /// for a key reads the page with its row.
    private func missingKeys(
        of table: TableLayout, among keys: [Int64]
    ) throws(PersistenceError) -> Set<Int64> {
        let limit = 4 * Int64(keys.count)
        let count = try PreparedStatement(
            "SELECT count(*) FROM (SELECT 1 FROM \(table.quoted) LIMIT ?1)", in: database)
        try count.bind(.integer(limit), at: 1)
        if try count.step(), count.integer(0) < limit {
            var missing = Set(keys)
            let statement = try PreparedStatement(
                "SELECT \(EntityLayout.keyColumn) FROM \(table.quoted)", in: database)
            while try statement.step() { missing.remove(statement.integer(0)) }
            return missing
        }
        let statement = try PreparedStatement(
            "SELECT k.value FROM json_each(?1) k WHERE NOT EXISTS (SELECT 1 FROM \(table.quoted) t "
                + "WHERE t.\(EntityLayout.keyColumn) = k.value)", in: database)
        try statement.bind(RowQuery.list(keys), at: 1)
        var missing: Set<Int64> = []
        while try statement.step() { missing.insert(statement.integer(0)) }
        return missing
    }
}

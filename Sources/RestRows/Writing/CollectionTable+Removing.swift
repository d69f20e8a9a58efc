// SPDX-License-Identifier: Apache-2.0

package import Foundation
import GRDB

/// The collections that are removed.
package enum CollectionSelection: Sendable {
    /// Those of a user, by its digest.
    case user(String)
    /// Those that the server has neither sent nor confirmed since a time.
    case confirmedBefore(Date)
    /// Those that were confirmed longest ago.
    case oldest(count: Int)
}

extension CollectionTable {
    /// Returns the IDs of selected collections, the one that was confirmed longest ago first.
    package func ids(_ selection: CollectionSelection) throws(PersistenceError) -> [Int64] {
        var (condition, limit, value) = ("true", -1, StoredValue.null)
        switch selection {
        case .user(let user): (condition, value) = ("c.user = ?1", .text(user))
        case .confirmedBefore(let date):
            condition = "\(Self.confirmation) < ?1"
            value = .double(date.timeIntervalSince1970)
        case .oldest(let count): limit = count
        }
        let statement = try PreparedStatement(
            "SELECT c.id FROM \(Self.name) c WHERE \(condition) "
                + "ORDER BY \(Self.confirmation), c.id LIMIT \(limit)", in: database)
        if !value.isNull { try statement.bind(value, at: 1) }
        var ids: [Int64] = []
        while try statement.step() { ids.append(statement.integer(0)) }
        return ids
    }

    /// Returns the members of collections that no other collection has and whose rows exist.
    ///
    /// - Complexity: One query, and one for each entity of the members.
    package func ownMembers(
        of collections: [Int64], in model: ManagedObjectModel, _ store: UUID
    ) throws(PersistenceError) -> [ManagedObjectID] {
        let list = RowQuery.list(collections)
        let names = try PreparedStatement(
            "SELECT DISTINCT entity FROM \(Self.members) "
                + "WHERE collection IN (SELECT value FROM json_each(?1))", in: database)
        try names.bind(list, at: 1)
        var entities: [String] = []
        while try names.step() { entities.append(names.value(0).collectionText) }
        var found: [ManagedObjectID] = []
        for entity in entities {
            // An entity that is no longer in the model has no rows.
            guard let index = model.index(of: entity) else { continue }
            let layout = model.layouts[index]
            let statement = try PreparedStatement(
                """
                SELECT DISTINCT m.key FROM json_each(?1) r \
                CROSS JOIN \(Self.members) m ON m.collection = r.value AND m.entity = ?2 \
                CROSS JOIN \(layout.table.quoted) t ON t.\(EntityLayout.keyColumn) = m.key \
                WHERE NOT EXISTS (SELECT 1 FROM \(Self.members) o WHERE o.key = m.key \
                AND o.collection NOT IN (SELECT value FROM json_each(?1))) ORDER BY m.key
                """, in: database)
            try statement.bind(list, at: 1)
            try statement.bind(.text(entity), at: 2)
            while try statement.step() {
                found.append(
                    ManagedObjectID(key: statement.integer(0), layout: layout, store: store))
            }
        }
        return found
    }

    /// Returns the lists other than one that have some keys as confirmed members, by key.
    ///
    /// The details of a single object are no list. A list has all members of its pages while a walk over it is
    /// unfinished.
    package func confirmingLists(
        of keys: [Int64], except request: CollectionRequest
    ) throws(PersistenceError) -> [Int64: [CollectionRequest]] {
        guard try isPresent else { return [:] }
        let statement = try PreparedStatement(
            """
            SELECT m.key, c.user, c.method, c.url, c.body, c.paged FROM json_each(?6) k \
            CROSS JOIN \(Self.members) m ON m.key = k.value \
            CROSS JOIN \(Self.name) c ON c.id = m.collection AND c.single IS NOT 1 \
            WHERE (\(Self.isConfirmed) OR (NOT c.complete AND \(Self.isOnPage))) \
            AND NOT (c.url = ?1 AND c.method = ?2 AND c.user = ?3 AND c.body = ?4 \
            AND c.paged = ?5) ORDER BY m.key, c.id
            """, in: database)
        try bind(request, to: statement)
        try statement.bind(RowQuery.list(keys), at: 6)
        var lists: [Int64: [CollectionRequest]] = [:]
        while try statement.step() {
            lists[statement.integer(0), default: []].append(
                CollectionRequest(
                    method: statement.value(2).collectionText,
                    url: statement.value(3).collectionText, isPaged: statement.integer(5) != 0,
                    bodyDigest: statement.value(4).collectionText,
                    user: statement.value(1).collectionText))
        }
        return lists
    }
}

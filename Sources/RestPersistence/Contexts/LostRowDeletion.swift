// SPDX-License-Identifier: Apache-2.0

import GRDB
package import RestRows

/// The deletion of rows that the lists of a server have lost.
package struct LostRowDeletion {
    private let context: ManagedObjectContext

    package init(in context: ManagedObjectContext) { self.context = context }

    /// Deletes the rows of an entity with some keys, except those to which rows refer that stay.
    ///
    /// - Parameters:
    ///   - keys: The keys; those of rows that do not exist have no effect.
    ///   - entity: The name of the entity.
    ///   - kept: The keys of rows that stay in any case.
    /// - Returns: The keys of the deleted rows.
    /// - Throws: ``PersistenceError`` with code `unknownEntity`, or of the database.
    package func delete(
        _ keys: [Int64], of entity: String, keeping kept: Set<Int64>
    ) throws(PersistenceError) -> [Int64] {
        let layout = try context.model.layout(named: entity)
        let rows = try context.layered.rows(keys, layout)
        var existing: [ManagedObjectID] = []
        for key in keys where !kept.contains(key) {
            guard let row = rows[key] else { continue }
            let own = try context.model.layout(ofRow: row, in: layout)
            existing.append(
                ManagedObjectID(key: key, layout: own, store: context.database.identity))
        }
        let linked = try linkTargets(among: existing.map(\.key), of: layout)
        let removable = try context.withoutReferredObjects(
            existing.filter { !linked.contains($0.key) }, keeping: kept.union(linked))
        try context.deleteMembers(removable)
        return removable.map(\.key)
    }

    /// Returns those of some rows that are destinations of a join table.
    private func linkTargets(
        among keys: [Int64], of layout: EntityLayout
    ) throws(PersistenceError) -> Set<Int64> {
        var targets: Set<Int64> = []
        let model = context.model
        for link in model.links where model.layouts[link.target].table.index == layout.table.index {
            let sql =
                "SELECT DISTINCT target FROM \(link.quoted) "
                + "WHERE target IN (SELECT value FROM json_each(?1))"
            targets.formUnion(
                try context.rows.read { database in
                    let statement = try PreparedStatement(sql, in: database)
                    try statement.bind(RowQuery.list(keys), at: 1)
                    var found: [Int64] = []
                    while try statement.step() { found.append(statement.integer(0)) }
                    return found
                })
        }
        return targets
    }
}

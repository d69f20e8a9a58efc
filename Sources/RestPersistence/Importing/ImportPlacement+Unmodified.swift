// SPDX-License-Identifier: Apache-2.0

import RestMapping

extension ImportPlacement {
    /// Skips the attributes of objects that have not been modified, and their relationships with the
    /// objects that only they contain.
    func skipUnmodified() throws(PersistenceError) {
        var skipped: [Set<Int>] = batch.entities.map { _ in [] }
        for entity in batch.entities where entity.count > 0 {
            let rules = batch.plan.rules[entity.layout.index]
            guard let column = rules.modification else { continue }
            let rows = try unmodifiedRows(of: entity, column)
            for row in rows { entity.masks[row] = ColumnMask() }
            resolutions[entity.layout.index].markUnmodified(rows)
            if !rules.mapsRelationshipsOfUnmodified {
                skipped[entity.layout.index] = resolutions[entity.layout.index].occurrences(
                    of: rows)
            }
        }
        for resolution in resolutions {
            let rows = skipped[resolution.batch.layout.index]
            skippedOwners.formUnion(rows.compactMap { resolution.key(of: $0) })
        }
        skipRelationships(of: skipped)
    }

    /// Returns the rows of existing objects whose value of the modification attribute is equal to
    /// that of the representation, or not less.
    private func unmodifiedRows(
        of entity: EntityBatch, _ column: Int
    ) throws(PersistenceError) -> Set<Int> {
        let resolution = resolutions[entity.layout.index]
        var existing: [Int64: Int] = [:]
        for row in 0..<entity.count where resolution.canonical[row] == row {
            guard let key = resolution.key(of: row), entity.masks[row].contains(column),
                !entity.value(row, column).isNull
            else { continue }
            existing[key] = row
        }
        guard !existing.isEmpty else { return [] }
        let type = entity.layout.columns[column].type
        var unmodified: Set<Int> = []
        for (key, stored) in try layered.rows(Array(existing.keys), entity.layout) {
            guard let row = existing[key], !stored[column].isNull else { continue }
            if Self.isUnmodified(stored[column], entity.value(row, column), type) {
                unmodified.insert(row)
            }
        }
        return unmodified
    }

    private static func isUnmodified(
        _ stored: StoredValue, _ received: StoredValue, _ type: AttributeType
    ) -> Bool {
        if stored == received { return true }
        switch (type.kind.storage.order, stored, received) {
        case (.none, _, _): return false
        case (.numericText, .text(let stored), .text(let received)):
            return DecimalText.compare(stored, received) >= 0
        case (.numericText, _, _), (.column, _, _): return stored.compare(received) >= 0
        }
    }

    /// Removes the assignments of rows, and drops the rows that nothing else contains.
    private func skipRelationships(of rows: [Set<Int>]) {
        var level = rows
        var dropped: [Set<Int>] = batch.entities.map { _ in [] }
        while level.contains(where: { !$0.isEmpty }) {
            var next: [Set<Int>] = batch.entities.map { _ in [] }
            for relation in batch.relations where !level[relation.entity].isEmpty {
                let removed = relation.removeAssignments(of: level[relation.entity])
                for member in removed.compactMap(\.row) {
                    next[member.entity].insert(member.row)
                    dropped[member.entity].insert(member.row)
                }
            }
            level = next
        }
        for (entity, rows) in dropped.enumerated() where !rows.isEmpty {
            resolutions[entity].drop(occurrences: rows)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import GRDB
import RestOutbox
import RestPersistence

extension OutboxRecorder {
    /// Returns the rows of which a response brings an older image than the row has, with the indices of their tables.
    ///
    /// A replica of the server lags behind. Only entities with a declared version that grows are compared, and
    /// of these only rows whose version the response would change.
    ///
    /// - Complexity: One query for each such entity, if the response changes rows of it.
    func olderImages(
        _ save: ObservedSave, except action: (any OutboxAction)?, in database: Database
    ) throws(PersistenceError) -> [Int64: Int] {
        if save.origin == .local { return [:] }
        var older: [Int64: Int] = [:]
        for declaration in rules.declarations.values where declaration.entity.isMonotonic {
            guard let index = rules.model.index(of: declaration.entity.name),
                let column = declaration.versionProperty.flatMap({
                    rules.model.layouts[index].column(ofProperty: $0)
                })
            else { continue }
            let layout = rules.model.layouts[index]
            let changes = save.changes.tables[layout.table.index]
            var versions: [Int64: Int64] = [:]
            for slot in 0..<changes.count where changes.states[slot] == .updated {
                let key = changes.keys[slot]
                // The answer to an own request is the newest that there is.
                if action?.takesImage == true, action?.object?.key == key { continue }
                guard changes.importedColumns(slot).contains(column),
                    case .integer(let version)? = changes.changedValue(key, column)
                else { continue }
                versions[key] = version
            }
            if versions.isEmpty { continue }
            let query = RowQuery.rows(of: layout, keys: Array(versions.keys))
            try query.run(in: database, width: layout.width) { key, row in
                guard case .integer(let known) = row[column], let version = versions[key],
                    version < known
                else { return }
                older[key] = layout.table.index
            }
        }
        return older
    }
}

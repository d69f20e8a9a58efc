// SPDX-License-Identifier: Apache-2.0

package import GRDB

/// A connection of a context with the context's unsaved changes in temporary tables.
///
/// The connection cannot write to the file. `PRAGMA query_only` would forbid temporary tables.
package final class PendingConnection {
    private let connection: DatabaseQueue
    private let database: StoreDatabase
    private var tables: PendingTables

    package init(_ database: StoreDatabase) throws(PersistenceError) {
        connection = try database.makeReader()
        self.database = database
        tables = PendingTables(model: database.model)
    }

    /// Brings the temporary tables up to date and calls a closure, in one transaction.
    package func read<Result>(
        _ scope: PendingScope, of changes: some PendingChanges,
        _ body: (Database) throws -> Result
    ) throws -> Result {
        try connection.inDatabase { [content = database] database in
            try database.beginTransaction(.deferred)
            do {
                try content.checkContent(in: database)
                try tables.update(scope, changes, in: database)
                let result = try body(database)
                try database.commit()
                return result
            } catch {
                // The rollback undoes the changes of the temporary tables as well.
                try? database.rollback()
                try tables.removeAll(in: database)
                throw error
            }
        }
    }
}

extension FetchPlan {
    /// Returns the tables of the plan that have unsaved changes.
    package func scope(of changes: some PendingChanges) -> PendingScope {
        var scope = PendingScope()
        guard includesPendingChanges else { return scope }
        for index in tables {
            let rows = changes.effectiveChanges(of: index)
            if rows.count == 0 { continue }
            scope.tables.insert(index)
            if rows.hasRemovals { scope.deletions.insert(index) }
        }
        for index in links where !changes.effectiveLinks(of: index).isEmpty {
            scope.links.insert(index)
        }
        return scope
    }
}

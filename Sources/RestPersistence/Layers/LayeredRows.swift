// SPDX-License-Identifier: Apache-2.0

import GRDB

/// The rows of a store with the unsaved changes of a context over them.
///
/// It knows no objects. Whoever changes rows here tells the objects of the context, if it has some; see
/// ``ManagedObjectContext/takeChanges(since:)``.
final class LayeredRows {
    /// The connections that read the rows below the unsaved changes.
    enum Source {
        /// Any connection of the store.
        case store
        /// The connection of a snapshot.
        case snapshot(Database)
        /// The connection of a transaction.
        case transaction(StoreTransaction)
    }

    let database: StoreDatabase
    let source: Source
    /// The unsaved changes.
    var layers: ChangeLayers
    /// The connection with the unsaved changes, opened by the first query that needs it.
    private var pendingConnection: PendingConnection?

    init(_ database: StoreDatabase, _ source: Source, _ layers: consuming ChangeLayers) {
        self.database = database
        self.source = source
        self.layers = layers
    }

    var model: ManagedObjectModel { database.model }

    /// The transaction in which rows are read and changed; `nil` if there is none.
    var transaction: StoreTransaction? {
        if case .transaction(let transaction) = source { transaction } else { nil }
    }

    /// Calls a closure with a connection to the rows, without unsaved changes.
    ///
    /// It is the only way to rows. Statements that the closure prepares must not outlive it.
    func read<Result>(
        _ body: (Database) throws -> Result
    ) throws(PersistenceError) -> Result {
        let connection: Database
        switch source {
        case .store: return try database.read(body)
        case .snapshot(let snapshot): connection = snapshot
        case .transaction(let transaction): connection = transaction.connection
        }
        do { return try body(connection) } catch { throw PersistenceError(wrapping: error) }
    }

    /// Reserves keys for new rows.
    func reserveKeys(_ count: Int) throws(PersistenceError) -> Range<Int64> {
        try database.reserveKeys(count, in: transaction)
    }

    // MARK: Queries

    /// Prepares the query of a plan and calls a closure with it.
    ///
    /// Without relevant changes, any connection of the store runs the plain query. Otherwise a
    /// connection runs it that has the changes in temporary tables.
    func read<Result>(
        _ plan: FetchPlan, _ query: (inout FetchCompiler) -> RowQuery,
        _ body: (borrowing PreparedStatement) throws(PersistenceError) -> Result
    ) throws(PersistenceError) -> Result {
        let scope = plan.scope(of: self)
        var compiler = FetchCompiler(plan, scope)
        let query = query(&compiler)
        if scope.isEmpty { return try read { try body(query.prepare(in: $0)) } }
        switch source {
        case .transaction(let transaction):
            return try transaction.read(scope, of: self) { database throws(PersistenceError) in
                try body(query.prepare(in: database))
            }
        case .snapshot:
            // The connection is shared with others, which must not see the tables.
            return try read { database in
                var tables = PendingTables(model: model)
                defer { try? tables.removeAll(in: database) }
                try tables.update(scope, self, in: database)
                return try body(query.prepare(in: database))
            }
        case .store:
            let connection = try openPendingConnection()
            return try database.access {
                try connection.read(scope, of: self) { try body(query.prepare(in: $0)) }
            }
        }
    }

    private func openPendingConnection() throws(PersistenceError) -> PendingConnection {
        if let pendingConnection { return pendingConnection }
        let connection = try PendingConnection(database)
        pendingConnection = connection
        return connection
    }
}

extension LayeredRows: PendingChanges {
    var changesVersion: Int { layers.journal.version }

    func changedKeys(of table: Int, since version: Int) -> Set<Int64>? {
        layers.journal.keys(of: table, since: version)
    }

    func changedPairs(of link: Int, since version: Int) -> Set<LinkPair>? {
        layers.journal.pairs(of: link, since: version)
    }

    func effectiveChanges(of table: Int) -> TableChanges { layers.effectiveChanges(of: table) }

    func effectiveLinks(of link: Int) -> LinkChanges { layers.effectiveLinks(of: link) }
}

@available(*, unavailable)
extension LayeredRows: Sendable {}

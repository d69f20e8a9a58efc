// SPDX-License-Identifier: Apache-2.0

package import GRDB

/// The collections of a server, and what proves that their rows are those of the responses.
extension StoreDatabase {
    /// Returns the tables of the collections.
    package func collectionTable(_ connection: Database) -> CollectionTable {
        CollectionTable(database: connection, heldWalks: heldWalks)
    }

    /// Adds the columns that the collections of an earlier version do not have.
    func updateCollectionTables() throws(PersistenceError) {
        guard try read({ try collectionTable($0).isOutdated }) else { return }
        try write { try collectionTable($0).create() }
    }

    // MARK: Walks

    /// Notes the walks that are held, before the database is closed.
    func noteWalks() {
        let requests = heldWalks.requests
        if requests.isEmpty { return }
        var changes = ChangeSet(model: model)
        changes.collections = requests.map { .noted($0) }
        // A walk that cannot be noted repeats its last pages.
        _ = try? save(changes, mergePolicy, ContextToken())
    }

    // MARK: Other programs

    /// Reads collections in a snapshot, with the knowledge whether their validators prove anything.
    package func readEvidence<Result: Sendable>(
        _ body: @Sendable (Database, _ isIntact: Bool) throws -> Result
    ) async throws -> Result {
        for _ in 0..<Self.evidenceTrialCount {
            let result: Result? = try await readSnapshot { connection in
                guard let isIntact = try evidence.isIntact(in: connection) else { return nil }
                return try body(connection, isIntact)
            }
            if let result { return result }
        }
        return try await readSnapshot { try body($0, false) }
    }

    /// The number of snapshots that commits at the same time may spoil.
    private static let evidenceTrialCount = 4

    /// Removes all validators of collections in a transaction if another program has written before.
    func settleEvidence(in connection: Database) throws(PersistenceError) {
        try evidence.settle(connection)
    }

    /// Marks that the database is closed, and returns the time that its file gets; `nil` if it has it already.
    func markClosing() -> Int64? {
        if isReadOnly { return nil }
        return try? writeAlone { database in
            let mark = CommitMark(database: database)
            let time = try mark.writeClosing(of: path)
            if time != nil {
                try evidence.settle(database)
                try mark.write()
            }
            return time
        }
    }
}

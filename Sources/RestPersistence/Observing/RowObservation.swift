// SPDX-License-Identifier: Apache-2.0

/// The observation of the rows of a fetch request in one database.
///
/// The commits are subscribed to before the rows are first read, so that none is missed.
struct RowObservation {
    let database: StoreDatabase
    private let request: FetchRequest
    private let tables: Set<Int>
    private let links: Set<Int>
    /// The last commit that was checked.
    private var node: CommitFeed.Node
    private var commits: AsyncStream<StoreCommit>.Iterator

    init(_ request: FetchRequest, in database: StoreDatabase) throws(PersistenceError) {
        let plan = try FetchPlan(request, in: database)
        self.database = database
        self.request = request
        // One element suffices, because the list of commits is read from the last checked one on.
        commits = database.commits(limit: 1).makeAsyncIterator()
        node = database.feed.last
        // The rows include one-to-one relationships that are stored in the destinations.
        let layouts = database.model.layouts
        let inverses = plan.layout.subentities.flatMap { layouts[$0].inverseRelationships }
        tables = plan.tables.union(inverses.map { layouts[$0.destination].table.index })
        links = plan.links
    }

    /// Waits for a commit that may affect the rows.
    ///
    /// - Returns: `false` if the database was closed, or the task cancelled.
    mutating func waitForCommit(isolation actor: isolated (any Actor)?) async -> Bool {
        repeat {
            var isAffected = false
            while let next = node.next {
                node = next
                if let commit = next.commit, affects(commit) { isAffected = true }
            }
            if isAffected { return true }
        } while await commits.next(isolation: actor) != nil
        return false
    }

    private func affects(_ commit: StoreCommit) -> Bool {
        tables.contains { !commit.tables[$0].isEmpty }
            || links.contains { !commit.links[$0].isEmpty }
    }

    /// Reads the rows in one snapshot, as values.
    ///
    /// - Parameters:
    ///   - type: The values of the entity.
    ///   - checksValues: A Boolean value that indicates whether a value that the type of its attribute
    ///     cannot represent is an error.
    /// - Returns: The rows in the order of the request.
    /// - Throws: ``PersistenceError`` of the database, or with code `unreadableValue`.
    func load<Values: ManagedValues>(
        _ type: Values.Type, checksValues: Bool
    ) async throws(PersistenceError) -> [Values] {
        do {
            return try await database.readSnapshot { [request, database] connection in
                let values = try ManagedObjectContext(database, role: .snapshot(connection))
                    .fetchValues(request, as: type)
                if checksValues { for value in values { try value.managedRow.checkValues() } }
                return values
            }
        } catch {
            throw PersistenceError(wrapping: error)
        }
    }
}

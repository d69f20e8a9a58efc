// SPDX-License-Identifier: Apache-2.0

import GRDB

/// The requests that count for the windows of budgets, also in later processes.
extension MirrorTables {
    static let budgets = "restkit_mirror_budget"

    /// Requests that were sent until a time.
    struct StoredRequests: Sendable {
        /// The time in seconds since 1970.
        var date: Double
        var count: Int
    }

    /// Stores requests that are about to be sent, or that have been sent.
    ///
    /// - Parameters:
    ///   - count: The number of requests.
    ///   - budget: The name of the budget.
    ///   - process: The text by which a process finds its own requests.
    ///   - date: The time in seconds since 1970.
    ///   - isOpen: A Boolean value that indicates whether they may be sent later than at this time.
    /// - Returns: The number of the row.
    /// - Throws: The error of the database.
    func addRequests(
        _ count: Int, of budget: String, by process: String, at date: Double, isOpen: Bool
    ) throws -> Int64 {
        try database.cachedStatement(
            sql: "INSERT INTO \(Self.budgets) (budget, process, date, requests, open) "
                + "VALUES (?, ?, ?, ?, ?)"
        ).execute(arguments: [budget, process, date, count, isOpen])
        return database.lastInsertedRowID
    }

    /// Stores how many of the requests of a row were sent, and that the last one was sent until a time.
    func closeRequests(_ row: Int64, count: Int, at date: Double) throws {
        if count == 0 {
            try database.execute(
                sql: "DELETE FROM \(Self.budgets) WHERE id = ?", arguments: [row])
            return
        }
        try database.cachedStatement(
            sql: "UPDATE \(Self.budgets) SET requests = ?, date = ?, open = 0 WHERE id = ?"
        ).execute(arguments: [count, date, row])
    }

    /// Closes the rows of processes that have not closed theirs: each request counts as sent now.
    func closeAbandonedRequests(of budget: String, except process: String, at date: Double) throws {
        try database.execute(
            sql: "UPDATE \(Self.budgets) SET date = ?, open = 0 "
                + "WHERE budget = ? AND open AND process <> ?",
            arguments: [date, budget, process])
    }

    /// Removes requests until a time.
    func removeRequests(of budget: String, until date: Double) throws {
        try database.cachedStatement(
            sql: "DELETE FROM \(Self.budgets) WHERE budget = ? AND NOT open AND date <= ?"
        ).execute(arguments: [budget, date])
    }

    /// Returns the requests of other processes after a time, oldest first.
    func requests(
        of budget: String, except process: String, after date: Double
    ) throws -> [StoredRequests] {
        try Row.fetchAll(
            database,
            sql: "SELECT date, requests FROM \(Self.budgets) "
                + "WHERE budget = ? AND process <> ? AND date > ? ORDER BY date",
            arguments: [budget, process, date]
        ).map { StoredRequests(date: $0["date"], count: $0["requests"]) }
    }

    /// Returns the time in seconds since 1970 before which the server refuses requests; `nil` for none.
    func blockEnd(of budget: String) throws -> Double? {
        try fact("blocked " + budget).flatMap { Double($0) }
    }

    /// Stores the time before which the server refuses requests; an earlier one writes nothing.
    func setBlockEnd(_ date: Double, of budget: String) throws {
        if let known = try blockEnd(of: budget), known >= date { return }
        try setFact("blocked " + budget, "\(date.rounded(.up))")
    }
}

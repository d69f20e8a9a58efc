// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB

/// A run, whose row exists once the run has written something.
struct MirrorRun: Sendable {
    /// The text by which all transactions of a run find its row.
    let token = UUID().uuidString
    let startedAt: Date
    /// The base URL of the API.
    let base: String
}

/// The runs that have written something.
extension MirrorTables {
    static let runs = "restkit_mirror_run"

    /// Returns the number of a run, whose row is inserted by the first transaction that needs it.
    func number(of run: MirrorRun) throws -> Int64 {
        let query = try database.cachedStatement(
            sql: "SELECT id FROM \(Self.runs) WHERE token = ?")
        if let number = try Int64.fetchOne(query, arguments: [run.token]) { return number }
        try database.cachedStatement(
            sql: "INSERT INTO \(Self.runs) (token, base, started_at) VALUES (?, ?, ?)"
        ).execute(arguments: [run.token, run.base, run.startedAt.timeIntervalSince1970])
        return database.lastInsertedRowID
    }

    /// Returns a Boolean value that indicates whether a run has written something.
    func isStored(_ run: MirrorRun) throws -> Bool {
        try Int.fetchOne(
            database, sql: "SELECT 1 FROM \(Self.runs) WHERE token = ?", arguments: [run.token])
            != nil
    }

    /// Stores the result of a run that has written something.
    func finish(_ run: MirrorRun, _ summary: MirrorSummary, at date: Date) throws {
        let rows = summary.rows
        try database.execute(
            sql: """
                UPDATE \(Self.runs) SET finished_at = ?2, complete = ?3, requests = ?4, \
                inserted = ?5, updated = ?6, deleted = ?7 WHERE token = ?1
                """,
            arguments: [
                run.token, date.timeIntervalSince1970, summary.isComplete, summary.requestCount,
                rows.inserted, rows.updated, rows.deleted,
            ])
    }
}

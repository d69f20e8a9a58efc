// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestOutbox
import RestPersistence

/// The lease of the only sender of a file.
///
/// It guards the start of a send. An answer is recorded by whoever has received it.
struct SenderLease: Sendable, Hashable {
    let owner: String
    /// The number that a later owner increases.
    let fence: Int64
    let end: Date
}

extension OutboxTables {
    /// Takes or renews the lease.
    ///
    /// - Returns: The lease; `nil` if another sender has it.
    func acquireLease(
        _ owner: String, for duration: Duration, at date: Date
    ) throws(PersistenceError) -> SenderLease? {
        let statement = try PreparedStatement(
            "SELECT owner, fence, lease_end FROM \(Self.state)", in: database)
        guard try statement.step() else { return nil }
        var fence = statement.integer(1)
        let holder = statement.value(0).isNull ? nil : statement.text(0)
        let end = date.adding(duration)
        if holder != owner {
            // A lease that ends later than any could was taken before the clock was set back.
            if holder != nil, let known = statement.date(2), known > date, known <= end {
                return nil
            }
            fence += 1
        }
        let update = try PreparedStatement(
            "UPDATE \(Self.state) SET owner = ?1, fence = ?2, lease_end = ?3", in: database)
        try run(update, [.text(owner), .integer(fence), end.stored])
        return SenderLease(owner: owner, fence: fence, end: end)
    }

    /// Returns a Boolean value that indicates whether a lease is the present one.
    func holds(_ lease: SenderLease) throws(PersistenceError) -> Bool {
        let statement = try PreparedStatement(
            "SELECT 1 FROM \(Self.state) WHERE owner = ?1 AND fence = ?2", in: database)
        try statement.bind(.text(lease.owner), at: 1)
        try statement.bind(.integer(lease.fence), at: 2)
        return try statement.step()
    }

    func releaseLease(_ owner: String) throws(PersistenceError) {
        let statement = try PreparedStatement(
            "UPDATE \(Self.state) SET owner = NULL, lease_end = NULL WHERE owner = ?1", in: database
        )
        try run(statement, [.text(owner)])
    }

    /// Returns the keys of the objects with entries whose time has passed.
    func expiredKeys(at date: Date) throws(PersistenceError) -> [Int64] {
        let statement = try PreparedStatement(
            "SELECT DISTINCT key FROM \(Self.entries) WHERE expires IS NOT NULL AND expires <= ?1 "
                + "AND state IN ('waiting', 'reading') "
                + "OR state = 'abandoned' AND not_before <= ?1", in: database)
        try statement.bind(date.stored, at: 1)
        var keys: [Int64] = []
        while try statement.step() { keys.append(statement.integer(0)) }
        return keys
    }

    /// Returns the key of the object of an attempt; `nil` if the attempt has ended.
    func key(ofAttempt number: Int64) throws(PersistenceError) -> Int64? {
        let statement = try PreparedStatement(
            "SELECT e.key FROM \(Self.attempts) a JOIN \(Self.entries) e ON e.sequence = a.entry "
                + "WHERE a.number = ?1", in: database)
        try statement.bind(.integer(number), at: 1)
        return try statement.step() ? statement.integer(0) : nil
    }

    /// Returns the keys of the objects whose requests were in progress, without some attempts.
    func sendingKeys(except attempts: Set<Int64>) throws(PersistenceError) -> [Int64] {
        let statement = try PreparedStatement(
            "SELECT e.key FROM \(Self.entries) e LEFT JOIN \(Self.attempts) a ON a.entry = e.sequence "
                + "WHERE e.state = 'sending' "
                + "AND ifnull(a.number, 0) NOT IN (SELECT value FROM json_each(?1))",
            in: database)
        try statement.bind(RowQuery.list(attempts), at: 1)
        var keys: [Int64] = []
        while try statement.step() { keys.append(statement.integer(0)) }
        return keys
    }
}

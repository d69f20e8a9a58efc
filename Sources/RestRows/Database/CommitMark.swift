// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB

/// The mark of the last commit of a store in its file.
///
/// SQLite counts the commits of all connections in the index of the log. Each transaction of a store writes which
/// number its commit will have, so that another number is that of a program without this library. Such a program
/// changes rows without removing the validators of the collections that have brought them.
///
/// The index is built anew by the first connection. The mark is then the last commit if that has written
/// the page of the mark, as the log tells; without a log, if the file has the time of modification that closing
/// it has set. That time is in the past, so that it is not that of a later change.
struct CommitMark {
    static let name = "restkit_commit"

    let database: Database

    /// Creates the table, which has one row, unless it exists.
    static func create(in database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE IF NOT EXISTS \(name) (id INTEGER PRIMARY KEY, \
                number INTEGER NOT NULL, closed_at INTEGER) STRICT; \
                INSERT OR IGNORE INTO \(name) (id, number) VALUES (1, -1)
                """)
    }

    /// The mark; `nil` if the file has none, because it has no collections.
    var value: (number: Int64, closedAt: Int64?)? {
        get throws(PersistenceError) {
            let table = try PreparedStatement(
                "SELECT 1 FROM sqlite_schema WHERE name = '\(Self.name)'", in: database)
            guard try table.step() else { return nil }
            let statement = try PreparedStatement(
                "SELECT number, closed_at FROM \(Self.name)", in: database)
            guard try statement.step() else { return nil }
            let closedAt = statement.value(1)
            return (
                statement.integer(0), closedAt.isNull ? nil : statement.integer(1)
            )
        }
    }

    /// Writes the number of the commit of the transaction, which has the lock of the writer.
    func write() throws(PersistenceError) {
        guard try value != nil else { return }
        // Without an index, no commit is known.
        let number = LogIndex(database).map { Int64($0.commitCount &+ 1) } ?? -1
        try run("UPDATE \(Self.name) SET number = ?1", .integer(number))
    }

    // MARK: The end of all connections

    /// Returns the time that the file gets when it is closed, after writing it; `nil` if it has it already, or
    /// has no mark.
    ///
    /// The transaction then writes the mark.
    func writeClosing(of path: String) throws(PersistenceError) -> Int64? {
        guard let (_, closedAt) = try value else { return nil }
        if LogIndex(database)?.frameCount == 0, let closedAt,
            Self.modificationTime(of: path) == TimeInterval(closedAt)
        {
            return nil
        }
        let time = Int64(Date().timeIntervalSince1970) - 10
        try run("UPDATE \(Self.name) SET closed_at = ?1", .integer(time))
        return time
    }

    /// Sets the time of a file that has no connection any more.
    static func close(_ path: String, at time: Int64) {
        if FileManager.default.fileExists(atPath: path + "-wal") { return }
        let date = Date(timeIntervalSince1970: TimeInterval(time))
        try? FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
    }

    /// Returns a Boolean value that indicates whether the mark is that of the last commit, in a transaction of
    /// the writer in which the file is opened.
    func isLast(
        of path: String, _ index: LogIndex, _ mark: (number: Int64, closedAt: Int64?)
    ) throws(PersistenceError) -> Bool {
        if index.frameCount > 0 {
            let root = try PreparedStatement(
                "SELECT rootpage FROM sqlite_schema WHERE name = '\(Self.name)'", in: database)
            guard try root.step(), let log = WriteAheadLog(ofDatabaseAt: path) else { return false }
            return log.hasLastCommit(
                written: UInt32(root.integer(0)), frameCount: index.frameCount)
        }
        if index.commitCount > 0 { return Int64(index.commitCount) == mark.number }
        return mark.closedAt.map(TimeInterval.init) == Self.modificationTime(of: path)
    }

    private static func modificationTime(of path: String) -> TimeInterval? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.modificationDate] as? Date)?.timeIntervalSince1970
    }

    private func run(_ sql: String, _ value: StoredValue) throws(PersistenceError) {
        let statement = try PreparedStatement(sql, in: database)
        try statement.bind(value, at: 1)
        _ = try statement.run()
    }
}

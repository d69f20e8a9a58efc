// SPDX-License-Identifier: Apache-2.0

import GRDB

/// The knowledge of whether the last commit in a file is one of a store.
///
/// After a commit of another program, no validator of a collection proves anything: the program may have changed
/// each row.
struct CommitEvidence: Sendable {
    /// The mark that the file had when it was opened, and the number of commits in the new index; `nil` if other
    /// programs have written after the mark.
    private let opened: (number: Int64, commitCount: UInt32)?

    private init(opened: (number: Int64, commitCount: UInt32)?) { self.opened = opened }

    /// Creates the knowledge about a file that is opened for reading only.
    static let none = CommitEvidence(opened: nil)

    /// Opens a file in a transaction of the writer, and removes all validators if its last commit is not one of a
    /// store.
    ///
    /// - Parameters:
    ///   - database: The connection.
    ///   - isIntact: The result of ``isIntact(at:_:)`` for the file.
    ///   - prepare: A closure that may write.
    /// - Throws: The error of the closure, or of the database.
    init(
        opening database: Database, isIntact: Bool, preparing prepare: () throws -> Void
    ) throws {
        let mark = CommitMark(database: database)
        guard let value = try mark.value else {
            opened = nil
            try prepare()
            return
        }
        let index = LogIndex(database)
        opened = isIntact ? index.map { (value.number, $0.commitCount) } : nil
        let schema = try Int.fetchOne(database, sql: "PRAGMA schema_version")
        let changes = database.totalChangesCount
        try prepare()
        if !isIntact { try CollectionTable.removeAllValidators(in: database) }
        let isChanged =
            try database.totalChangesCount != changes
            || Int.fetchOne(database, sql: "PRAGMA schema_version") != schema
        if isChanged { try mark.write() }
    }

    /// Returns a Boolean value that indicates whether the last commit in a file is one of a store.
    ///
    /// The file has been validated, and no pool of this store is open: if there is no log, a pool commits an
    /// empty transaction when it is opened, which is none of a store.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - configuration: The configuration of the connection.
    /// - Returns: The value.
    /// - Throws: The error of the database.
    static func isIntact(at path: String, _ configuration: Configuration) throws -> Bool {
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? queue.close() }
        return try queue.write { database in
            let mark = CommitMark(database: database)
            guard let value = try mark.value, let index = LogIndex(database) else { return false }
            return try mark.isLast(of: path, index, value)
        }
    }

    private func isLast(_ number: Int64, _ commitCount: UInt32) -> Bool {
        if Int64(commitCount) == number { return true }
        return opened.map { $0.number == number && $0.commitCount == commitCount } ?? false
    }

    /// Removes all validators in a transaction of the writer if another program has written before.
    ///
    /// It is called before the transaction writes validators.
    func settle(_ database: Database) throws(PersistenceError) {
        guard let (number, _) = try CommitMark(database: database).value else { return }
        if let index = LogIndex(database), isLast(number, index.commitCount) { return }
        do { try CollectionTable.removeAllValidators(in: database) } catch {
            throw PersistenceError(wrapping: error)
        }
    }

    /// Returns a Boolean value that indicates whether the last commit that a snapshot has is one of a store;
    /// `nil` if there are commits at this time.
    ///
    /// It is called before anything else is read in the snapshot.
    func isIntact(in database: Database) throws(PersistenceError) -> Bool? {
        let before = LogIndex(database)?.commitCount
        guard let (number, _) = try CommitMark(database: database).value else { return true }
        guard let before, let after = LogIndex(database)?.commitCount else { return false }
        if before == after { return isLast(number, before) }
        // The snapshot is at least as old as its mark.
        return Int64(after) == number ? true : nil
    }
}

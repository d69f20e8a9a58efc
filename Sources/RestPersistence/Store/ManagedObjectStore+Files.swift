// SPDX-License-Identifier: Apache-2.0

public import Foundation
import GRDB
import Synchronization

extension ManagedObjectStore {
    /// Writes a copy of the database to a new file while the store is in use.
    ///
    /// The copy is made from one snapshot by SQLite's backup interface. Saves continue and are not part
    /// of it. It is a single file, accessible to its owner only, with the ``identity`` and keys of the
    /// store. It can be opened as a store, also in a read-only directory, or be the
    /// ``StoreConfiguration/seed`` of others. If the copy fails, no file remains.
    ///
    /// - Throws: ``PersistenceError`` with code `cannotOpen` if a file exists at the URL,
    ///   `storageFull` or `ioFailure`; `CancellationError` if the task is cancelled.
    /// - Complexity: O(*n*) in the size of the file.
    public func backUp(to url: URL) async throws {
        let path = try PrivateFile.path(of: url)
        try Task.checkCancellation()
        let database = database
        let flag = CancellationFlag()
        do {
            try await withTaskCancellationHandler {
                try await BlockingWork.run { () throws(PersistenceError) in
                    try database.copy(to: path) { try flag.check() }
                }
            } onCancel: {
                flag.set()
            }
        } catch let error as PersistenceError where error.underlying is CancellationError {
            throw CancellationError()
        }
    }

    /// Checks the database.
    ///
    /// - Parameter quickly: A Boolean value that indicates whether the check leaves out that indexes
    ///   match their tables, which takes most of the time.
    /// - Returns: The damages, in English; none if the database is intact.
    /// - Throws: ``PersistenceError`` with code `corrupt` if the damage prevents the check.
    /// - Complexity: O(*n*) in the size of the file; O(*n* log *n*) unless `quickly`.
    public func checkIntegrity(quickly: Bool = false) async throws(PersistenceError) -> [String] {
        let database = database
        return try await BlockingWork.run { () throws(PersistenceError) in
            try database.read { database in
                let check = quickly ? "quick_check" : "integrity_check"
                let damages = try String.fetchAll(database, sql: "PRAGMA \(check)")
                let references = try Row.fetchAll(database, sql: "PRAGMA foreign_key_check")
                return damages.filter { $0 != "ok" }
                    + references.map { row in
                        "row \(row[1] as Int64? ?? 0) of \(row[0] as String) refers to a missing "
                            + "row of \(row[2] as String)"
                    }
            }
        }
    }

    /// Removes a database with its side files, such as one that is corrupt.
    ///
    /// No store may be open on it. Missing files are ignored.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - discardsUnsentEdits: A Boolean value that indicates whether the edits of an outbox that were not sent
    ///     yet are lost as well, refused ones included; `false` by default. A damaged file has none.
    /// - Throws: ``PersistenceError`` with code `unsentEdits` if there are such edits, `cannotOpen` if a file cannot
    ///   be removed.
    public static func removeFiles(
        at url: URL, discardsUnsentEdits: Bool = false
    ) async throws(PersistenceError) {
        try await BlockingWork.run { () throws(PersistenceError) in
            let path = try PrivateFile.path(of: url)
            if !discardsUnsentEdits { try UnsentEdits.check(UnsentEdits.entryCount(at: path)) }
            do {
                try PrivateFile.removeDatabase(path)
                // A symbolic link, which could not be opened again without its target.
                try PrivateFile.removeDatabase(url.path(percentEncoded: false))
            } catch {
                throw PersistenceError(wrapping: error, at: path)
            }
        }
    }
}

/// A flag that a cancelled task sets for blocking work.
private final class CancellationFlag: Sendable {
    private let isSet = Mutex(false)

    func set() { isSet.withLock { $0 = true } }

    func check() throws {
        if isSet.withLock(\.self) { throw CancellationError() }
    }
}

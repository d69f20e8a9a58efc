// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB

/// A complete copy of a database in one file.
enum DatabaseCopy {
    private static let pagesPerStep: CInt = 1_024
    private static let bytesPerStep = 1_048_576

    /// Copies a database by SQLite's backup interface, from one snapshot.
    ///
    /// The copy has no write-ahead log, so that it can be opened in a read-only directory too.
    ///
    /// - Parameters:
    ///   - source: The database.
    ///   - path: The path of the copy, where no file may exist.
    ///   - check: A closure that refuses a copy by throwing.
    ///   - checkCancellation: A closure that is called between steps and aborts the copy by throwing.
    /// - Throws: An error of the database or of the closures.
    static func write(
        _ source: some DatabaseReader, to path: String, check: (Database) throws -> Void = { _ in },
        checkCancellation: @escaping () throws -> Void = {}
    ) throws {
        try create(path) {
            let destination = try DatabaseQueue(path: path)
            try source.backup(to: destination, pagesPerStep: pagesPerStep) { _ in
                try checkCancellation()
            }
            try checkCancellation()
            try destination.writeWithoutTransaction { database in
                try check(database)
                try database.execute(sql: "PRAGMA journal_mode = DELETE")
            }
            try destination.close()
        }
    }

    /// Copies the seed of a store.
    ///
    /// SQLite reads a seed with a log or journal, which contains a part of its content and may be in
    /// use. A seed without them is not being written. Its bytes are copied, as SQLite could not open a
    /// database with a log in a read-only directory, and would leave empty side files in others.
    static func writeSeed(_ seed: URL, to path: String, _ configuration: Configuration) throws {
        do {
            let source = try PrivateFile.path(of: seed)
            if try PrivateFile.isMissing(source) {
                throw PersistenceError(.cannotOpen, details: ["there is no file"])
            }
            let isInUse = ["-wal", "-journal"].contains {
                FileManager.default.fileExists(atPath: source + $0)
            }
            guard isInUse else { return try copyBytes(of: source, to: path) }
            var reading = configuration
            reading.readonly = true
            let queue = try DatabaseQueue(path: source, configuration: reading)
            try write(queue, to: path)
            try queue.close()
        } catch {
            var error = PersistenceError(
                wrapping: error, at: seed.path(percentEncoded: false))
            error.details.insert("the seed cannot be copied", at: 0)
            throw error
        }
    }

    private static func copyBytes(of source: String, to path: String) throws {
        try create(path) {
            do {
                let input = try FileHandle(forReadingFrom: URL(filePath: source))
                let output = try FileHandle(forWritingTo: URL(filePath: path))
                while let bytes = try input.read(upToCount: bytesPerStep), !bytes.isEmpty {
                    try output.write(contentsOf: bytes)
                }
                try output.synchronize()
                try output.close()
                try input.close()
            } catch let error as CocoaError {
                let code: PersistenceError.Code =
                    error.code == .fileWriteOutOfSpace
                    ? .storageFull
                    : PrivateFile.hasTooManyOpenFiles ? .tooManyOpenFiles : .cannotOpen
                throw PersistenceError(code, underlying: error)
            }
        }
    }

    /// Creates a private file and fills it; removes it if filling it fails.
    private static func create(_ path: String, _ fill: () throws -> Void) throws {
        guard try PrivateFile.create(path) else {
            let error = PersistenceError(
                .cannotOpen, details: ["a file exists at the destination"])
            throw PersistenceError(wrapping: error, at: path)
        }
        do {
            try fill()
        } catch {
            try? PrivateFile.removeDatabase(path)
            throw PersistenceError(wrapping: error, at: path)
        }
    }
}

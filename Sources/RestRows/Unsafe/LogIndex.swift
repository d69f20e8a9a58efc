// SPDX-License-Identifier: Apache-2.0

import GRDB
import GRDBSQLite

/// The header of the index of the write-ahead log, which all connections to a file share.
///
/// - Source: "WAL-mode File Format" of SQLite, "The WAL-Index File Format".
struct LogIndex {
    /// The number of commits of all connections since the index was built, modulo 2³².
    let commitCount: UInt32
    /// The number of frames in the log, up to the last commit.
    let frameCount: Int

    /// Reads the header; `nil` if the connection has no index.
    init?(_ database: Database) {
        var file: UnsafeMutablePointer<sqlite3_file>?
        // Invariant: the connection is valid in its own access, and its file, and the region that SQLite has
        // mapped for it, as long as the connection.
        let code = unsafe withUnsafeMutablePointer(to: &file) { pointer in
            unsafe sqlite3_file_control(
                database.sqliteConnection, "main", SQLITE_FCNTL_FILE_POINTER, pointer)
        }
        guard code == SQLITE_OK, let file = unsafe file, let methods = unsafe file.pointee.pMethods,
            unsafe methods.pointee.iVersion >= 2, let map = unsafe methods.pointee.xShmMap
        else { return nil }
        var region: UnsafeMutableRawPointer?
        let mapped = unsafe map(file, 0, Self.regionSize, 0, &region)
        guard mapped == SQLITE_OK || mapped == SQLITE_READONLY, let region = unsafe region
        else { return nil }
        // The numbers are aligned, in the order of the machine's bytes.
        commitCount = unsafe region.load(fromByteOffset: 8, as: UInt32.self)
        frameCount = Int(unsafe region.load(fromByteOffset: 16, as: UInt32.self))
    }

    /// The size of the regions of the index.
    private static let regionSize: Int32 = 32_768
}

// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The file of a write-ahead log, which has the pages that each commit has written.
///
/// - Source: "WAL-mode File Format" of SQLite, "The WAL File Format".
struct WriteAheadLog {
    private let file: FileHandle
    private let pageSize: UInt64

    /// Opens the log of a database; `nil` if there is none.
    init?(ofDatabaseAt path: String) {
        guard let file = FileHandle(forReadingAtPath: path + "-wal"),
            let size = Self.number(at: 8, in: file)
        else { return nil }
        self.file = file
        // A size of 65,536 is written as 1.
        pageSize = size == 1 ? 65_536 : UInt64(size)
    }

    /// Returns a Boolean value that indicates whether the last commit has written a page.
    ///
    /// - Parameters:
    ///   - page: The number of the page.
    ///   - frameCount: The number of frames up to the last commit.
    /// - Returns: The value; `false` if the log cannot be read.
    func hasLastCommit(written page: UInt32, frameCount: Int) -> Bool {
        for frame in stride(from: frameCount - 1, through: 0, by: -1) {
            let offset = Self.headerSize + UInt64(frame) * (Self.frameHeaderSize + pageSize)
            guard let written = Self.number(at: offset, in: file),
                let committedSize = Self.number(at: offset + 4, in: file)
            else { return false }
            // The last frame of a commit has the size of the database.
            if frame < frameCount - 1, committedSize != 0 { return false }
            if written == page { return true }
        }
        return false
    }

    private static let headerSize: UInt64 = 32
    private static let frameHeaderSize: UInt64 = 24

    /// Returns a number of four bytes, the most significant first; `nil` if it cannot be read.
    private static func number(at offset: UInt64, in file: FileHandle) -> UInt32? {
        guard (try? file.seek(toOffset: offset)) != nil,
            let bytes = try? file.read(upToCount: 4), bytes.count == 4
        else { return nil }
        return bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }
}

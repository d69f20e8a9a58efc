// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Where the demonstration's database is.
struct DatabaseFile: Sendable {
    let url: URL
    /// Whether it is there after the demonstration.
    let isKept: Bool

    /// Its path, safe to show.
    var path: String { TerminalText.escaped(url.path(percentEncoded: false)) }

    /// Names a file while the body runs: the one at a path, or one in a temporary directory that is
    /// removed afterwards, whatever happens.
    ///
    /// - Throws: ``ToolError`` with code `fileFailed` if no temporary directory can be made, and
    ///   what the body throws.
    static func with<Result>(
        path: String?, _ body: (DatabaseFile) async throws -> Result
    ) async throws -> Result {
        if let path {
            return try await body(DatabaseFile(url: URL(filePath: path), isKept: true))
        }
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "rest-demo-\(UUID().uuidString)", directoryHint: .isDirectory)
        do {
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
        } catch {
            throw ToolError(
                .fileFailed, "cannot make the temporary directory \(directory.path())",
                advice: "set TMPDIR to a directory that can be written, or use --database",
                underlying: error)
        }
        defer { try? FileManager.default.removeItem(at: directory) }
        return try await body(
            DatabaseFile(url: directory.appending(path: "airports.db"), isKept: false))
    }

    /// All bytes of the database; any transaction that writes changes them.
    ///
    /// Those of the file itself, and of the log with what SQLite has not moved there yet.
    func content() throws -> [Data] {
        try ["", "-wal"].map { suffix in
            let path = url.path(percentEncoded: false) + suffix
            guard FileManager.default.fileExists(atPath: path) else { return Data() }
            do {
                return try Data(contentsOf: URL(filePath: path))
            } catch {
                throw ToolError(
                    .fileFailed, "cannot read the database \(path)",
                    advice: "check its permissions", underlying: error)
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestCommands

/// The location of the demonstration's database.
struct DatabaseFile: Sendable {
    let url: URL
    /// A Boolean value that indicates whether the file is kept after the demonstration.
    let isKept: Bool

    /// The path, escaped for a terminal.
    var path: String { TerminalText.escaped(url.path(percentEncoded: false)) }

    /// Calls a closure with the file at a path, or with one in a temporary directory that is removed
    /// when the closure returns or throws.
    ///
    /// - Throws: ``ToolError`` with code `fileFailed` if no temporary directory can be created,
    ///   and the errors of the closure.
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
                .fileFailed, "cannot create the temporary directory \(directory.path())",
                advice: "set TMPDIR to a writable directory, or use --database",
                underlying: error)
        }
        defer { try? FileManager.default.removeItem(at: directory) }
        return try await body(
            DatabaseFile(url: directory.appending(path: "airports.db"), isKept: false))
    }
}

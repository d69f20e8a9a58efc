// SPDX-License-Identifier: Apache-2.0

#if os(Linux) || os(macOS)
import Foundation
import Testing

/// The program `sqlite3`, which knows nothing of this library.
enum SQLiteShell {
    /// Runs statements and returns the lines of the result, in which `|` separates columns.
    ///
    /// - Throws: An error if the program is missing or a statement fails.
    static func run(_ sql: String, in file: URL) throws -> [String] {
        let shell = Process()
        shell.executableURL = URL(filePath: "/usr/bin/env")
        shell.arguments = [
            "sqlite3", "-batch", "-bail", "-init", "/dev/null", file.path(percentEncoded: false),
            sql,
        ]
        let output = Pipe()
        shell.standardOutput = output
        shell.standardInput = FileHandle.nullDevice
        try shell.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        shell.waitUntilExit()
        try #require(
            shell.terminationStatus == 0, "sqlite3 failed; scripts/setup tests installs it")
        return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
#endif

// SPDX-License-Identifier: Apache-2.0

import Foundation

@testable import RestCommands

/// The captured output of a console.
enum OutputCapture {
    /// Calls a closure with a console that writes both outputs to one file, and returns the file's text.
    static func run(
        colour: Bool = false, progress: Bool = false, width: Int = 80,
        _ body: (Console) async throws -> Void
    ) async throws -> String {
        let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try Data().write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        let file = try FileHandle(forWritingTo: url)
        defer { try? file.close() }
        try await body(
            Console(
                output: file, diagnostics: file, usesColour: colour, showsProgress: progress,
                width: width))
        return try String(contentsOf: url, encoding: .utf8)
    }
}

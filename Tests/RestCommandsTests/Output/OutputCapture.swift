// SPDX-License-Identifier: Apache-2.0

import Foundation

@testable import RestCommands

/// What a console writes, as text.
enum OutputCapture {
    /// Gives the body a console whose two outputs go to one file, and returns what is in it.
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

// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Files in a folder of their own, which exists during a call.
enum TemporaryFiles {
    /// Calls a closure with the path of a folder that contains files.
    static func with(
        _ files: [String: String], _ body: (String) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, text) in files {
            let file = folder.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        try await body(folder.path)
    }
}

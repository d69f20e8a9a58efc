// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Takes many turns at a server that `scripts/soak` starts, which also watches what is kept.
@main struct Soak {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 4, let library = Library(rawValue: arguments[1]),
            let count = Int(arguments[3])
        else {
            let names = Library.allCases.map(\.rawValue).joined(separator: "|")
            FileHandle.standardError.write(
                Data("usage: Soak \(names) <address> <turns> <directory>\n".utf8))
            exit(64)
        }
        let directory = URL(filePath: arguments[4], directoryHint: .isDirectory)
        let life = try await Life(
            at: arguments[2], over: library.transport(), in: directory)
        try await life.run(count)
        // Whoever watches may still be looking.
        while readLine() != nil {}
    }
}

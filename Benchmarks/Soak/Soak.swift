// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The soak test: many turns against a server that `scripts/soak` starts and monitors.
@main struct Soak {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 4, let library = Library(rawValue: arguments[1]),
            let count = Int(arguments[3])
        else {
            let names = Library.allCases.map(\.rawValue).joined(separator: "|")
            leave(64, saying: "usage: Soak \(names) <address> <turns> <directory>")
        }
        do {
            let directory = URL(filePath: arguments[4], directoryHint: .isDirectory)
            let life = try await Life(at: arguments[2], over: library.transport(), in: directory)
            try await life.run(count)
        } catch {
            leave(1, saying: "soak: \(error)")
        }
        // The monitoring script may still read the process's figures.
        while readLine() != nil {}
    }

    private static func leave(_ status: Int32, saying text: String) -> Never {
        FileHandle.standardError.write(Data("\(text)\n".utf8))
        exit(status)
    }
}

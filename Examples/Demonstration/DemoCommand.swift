// SPDX-License-Identifier: Apache-2.0

#if Macros
import ArgumentParser
import Foundation
import RestCommands

/// The demonstration.
package enum DemoProgram {
    /// Runs the command by the process arguments, and exits with its code if it fails.
    package static func run() async { await DemoCommand.main() }
}

/// The program `rest-demo`.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rest-demo",
        abstract: "Demonstrates the way from a REST API into SQLite and back.",
        discussion: """
            Starts a small REST server of airports, terminals, flights and notices in this \
            process, reads it over a real socket, page by page, into a database, prints tables \
            made from it, and searches it. Creates a notice, changes it without a connection, \
            sends the change later, and deletes it. Saves changes in a process that is killed \
            before it can send them, sends them after a restart, and merges them with those of \
            another client. Loads everything again to show that nothing is written twice, and \
            checks every row.

            EXIT CODES: 0 if every step succeeds, 1 if one fails, 64 for invalid arguments, 130 \
            after Ctrl-C.

            EXAMPLES:
              rest-demo
              rest-demo --database airports.db
              sqlite3 airports.db 'SELECT name FROM Terminal'
              rest-demo --json | tail -n 1 | python3 -m json.tool
            """)

    @Flag(help: "Print a summary as one JSON object on the last line.")
    var json = false

    @Option(help: "Keep the database at this path. (default: a temporary file)")
    var database: String?

    @Option(help: "Port of 127.0.0.1 for the server; 0 for any free port.")
    var port: UInt16 = 0

    @Option(help: .hidden)
    var editOffline: String?

    func run() async throws {
        if let baseURL = editOffline, let database {
            return try await DatabaseFile.with(path: database) { file in
                try await OfflineEditor.run(in: file, baseURL)
            }
        }
        let console = Console.standard()
        let demo = Demo(steps: DemoStep.all, port: port, console: console)
        let summary: DemoSummary
        do {
            summary = try await Interruption.guarding { [database] in
                try await DatabaseFile.with(path: database) { file in
                    try await demo.run(with: file)
                }
            }
        } catch let interruption as Interruption {
            console.report("interrupted; a kept database contains complete transactions only")
            throw ExitCode(interruption.exitCode)
        }
        if json { console.print(try summary.line()) }
        if !summary.ok { throw ExitCode.failure }
    }
}
#endif

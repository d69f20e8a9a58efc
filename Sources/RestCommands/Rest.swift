// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// What the program `rest` runs.
package enum CommandLineTool {
    /// Does what the arguments of the process say, and ends the process if that fails.
    package static func run() async { await Rest.main() }
}

/// The root of all commands.
struct Rest: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rest",
        abstract: "Moves REST resources into an SQLite database.",
        discussion: """
            EXAMPLES:
              rest demo                          shows it, with a server of its own
              rest demo --database airports.db   and keeps the database
              rest http                          sends requests through a cache
              rest help demo                     says more about a command
            """,
        version: "0.1.0",
        subcommands: subcommands)

    private static var subcommands: [any ParsableCommand.Type] {
        #if Macros && Persistence
        [DemoCommand.self, HTTPCommand.self]
        #else
        // The demonstration needs both; a build without them is for working on other parts.
        [HTTPCommand.self]
        #endif
    }
}

// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The command-line tool.
@main
struct Rest: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rest",
        abstract: "Moves REST resources into an SQLite database.",
        discussion: """
            EXAMPLES:
              rest demo                          shows it, with a server of its own
              rest demo --database airports.db   and keeps the database
              rest help demo                     says more about a command
            """,
        version: "0.1.0",
        subcommands: subcommands)

    private static var subcommands: [any ParsableCommand.Type] {
        #if Macros && Persistence
        [DemoCommand.self]
        #else
        // The demonstration needs both; a build without them is for working on other parts.
        []
        #endif
    }
}

// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The entry point of the program `rest`.
package enum CommandLineTool {
    /// Runs the command that the process arguments name, and exits with its code if it fails.
    package static func run() async { await Rest.main() }
}

/// The root of all commands.
struct Rest: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rest",
        abstract: "Moves REST resources into an SQLite database.",
        discussion: """
            EXAMPLES:
              rest http                          sends requests through a private cache
              rest help http                     describes a command
            """,
        version: "0.1.0",
        subcommands: [HTTPCommand.self])
}

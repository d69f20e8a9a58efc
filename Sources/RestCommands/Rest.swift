// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation

/// The entry point of the program `rest`.
package enum CommandLineTool {
    /// Runs the command that the process arguments name, and exits with its code if it fails.
    ///
    /// Invalid arguments end the process with code 2, or with 64 for `rest http`.
    package static func run() async {
        do {
            var command = try Rest.parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            let isUsage = Rest.exitCode(for: error) == .validationFailure
            if isUsage,
                CommandLine.arguments.dropFirst().first != HTTPCommand.configuration.commandName
            {
                FileHandle.standardError.write(Data((Rest.fullMessage(for: error) + "\n").utf8))
                exit(2)
            }
            Rest.exit(withError: error)
        }
    }
}

/// The root of all commands.
struct Rest: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rest",
        abstract: "Moves REST resources into an SQLite database.",
        discussion: """
            EXAMPLES:
              rest mirror https://api.github.com/orgs/swiftlang/repos github.db
                                                 reads a list, without a definition
              rest sync github.yaml github.db    runs a definition
              rest plan github.yaml github.db    says what a run will do
              rest explain github.db Repo 1296269
                                                 says where a row came from
              rest init openapi.yaml             writes a definition
              rest check github.yaml             checks a definition
              rest status github.db              says what a mirror has
              rest http                          sends requests through a private cache
              rest help http                     describes a command

            COMPLETIONS: rest --generate-completion-script bash (or zsh, fish) prints a script for the shell.
            """,
        version: "0.1.0",
        subcommands: [
            MirrorCommand.self, SyncCommand.self, PlanCommand.self, InitCommand.self,
            CheckCommand.self, StatusCommand.self, ExplainCommand.self, QueryCommand.self,
            HTTPCommand.self,
        ])
}

// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import RestDefinition
import RestMirror

/// `rest sync`.
struct SyncCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Runs a definition: reads the resources of an API into an SQLite file.",
        discussion: """
            Rows and state are in one file. A run that ends at any moment is continued by the next one. \
            Pages that the server confirms to be unchanged are not read, and rows that are unchanged \
            are not written.

            EXIT CODES: 0 if everything was read, 1 if the definition cannot be run, 2 for invalid \
            arguments and a file that cannot be read, 3 if a resource is incomplete, 130 after Ctrl-C.

            EXAMPLES:
              rest sync github.yaml github.db
              rest sync github.yaml github.db --json > events.jsonl
              rest sync github.yaml github.db --maximum-requests 500
            """)

    @Argument(help: "The definition, in YAML or JSON.")
    var definition: String

    @Argument(help: "The SQLite file, which is created if it does not exist.")
    var file: String

    @OptionGroup var options: RunOptions

    func run() async throws {
        let console = Console.standard()
        let url = URL(filePath: definition)
        let read = try DefinitionInput(path: definition).definition(reportingTo: console)
        for (path, name) in APIMirror.namedPaginations(of: read.definition) {
            let place = read.location(of: path).map { ":\($0)" } ?? ""
            console.report(
                TerminalText.escaped(
                    "\(definition)\(place): the rule “\(name)” is code, which the tool does not have; run the "
                        + "definition by a program with APIMirror, or write another type"))
        }
        if !APIMirror.namedPaginations(of: read.definition).isEmpty { throw ExitCode(1) }
        try await options.run(
            read.definition, into: URL(filePath: file), folder: url.deletingLastPathComponent(),
            on: console)
    }
}

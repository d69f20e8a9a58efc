// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import RestDefinition
import RestKit
import RestMirror
import RestYAML

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
            arguments, 3 if a resource is incomplete, 130 after Ctrl-C.

            EXAMPLES:
              rest sync github.yaml github.db
              rest sync github.yaml github.db --json > events.jsonl
            """)

    @Argument(help: "The definition, in YAML or JSON.")
    var definition: String

    @Argument(help: "The SQLite file, which is created if it does not exist.")
    var file: String

    @OptionGroup var options: RunOptions

    func run() async throws {
        let console = Console.standard()
        let url = URL(filePath: definition)
        let text: Data
        do {
            text = try Data(contentsOf: url)
        } catch {
            console.report("cannot read \(TerminalText.escaped(definition))")
            throw ExitCode(1)
        }
        let definition: Definition
        do {
            definition = try DefinitionFile(
                reading: SourceValue(parsingYAML: String(decoding: text, as: UTF8.self))
            ).definition
        } catch {
            console.report(TerminalText.escaped("\(error)"))
            throw ExitCode(1)
        }
        try await options.run(
            definition, into: URL(filePath: file), folder: url.deletingLastPathComponent(),
            on: console)
    }
}

/// The options of commands that run a definition.
struct RunOptions: ParsableArguments {
    /// The number of times that a run changes the schema and reads all pages again.
    private static let evolutionCount = 3

    @Flag(help: "Print events as lines of JSON on standard output.")
    var json = false

    /// Runs a definition and prints its progress and its result.
    ///
    /// - Throws: `ExitCode`.
    func run(
        _ definition: Definition, into file: URL, from origin: String? = nil, folder: URL?,
        on console: Console
    ) async throws {
        let reporter = MirrorReporter(console, printsJSON: json)
        let summary: MirrorSummary
        do {
            let client = try HTTPClient(baseURL: definition.api.base)
            let secrets = SecretReader(
                environment: ProcessInfo.processInfo.environment, folder: folder)
            summary = try await Interruption.guarding {
                var current = definition
                if origin == nil {
                    current = try await DefinitionCompletion(
                        of: definition, over: client.transport, secrets: secrets
                    ).completed(for: file)
                }
                var rest = Self.evolutionCount
                while true {
                    let mirror = try await APIMirror(
                        current, at: file, from: origin,
                        completing: origin == nil ? definition : nil, over: client.transport,
                        secrets: secrets)
                    let summary = try await mirror.run { reporter.report($0) }
                    let evolved = mirror.evolvedDefinition
                    try mirror.close()
                    guard let evolved, rest > 0, !summary.isCancelled else { return summary }
                    rest -= 1
                    reporter.report(evolutionOf: current, to: evolved)
                    current = evolved
                }
            }
        } catch let interruption as Interruption {
            reporter.finish()
            throw ExitCode(interruption.exitCode)
        } catch {
            reporter.finish()
            console.report(TerminalText.escaped("\(error)"))
            throw ExitCode(1)
        }
        reporter.finish()
        if !json { print(summary, file, on: console) }
        if summary.isCancelled { throw ExitCode(130) }
        if !summary.isComplete { throw ExitCode(3) }
    }

    private func print(_ summary: MirrorSummary, _ file: URL, on console: Console) {
        let rows = summary.rows
        console.print(
            "\(file.lastPathComponent): \(rows.inserted) new, \(rows.updated) changed, "
                + "\(rows.deleted) deleted, \(rows.unchanged) compared and unchanged; "
                + "\(summary.requestCount) requests")
        if summary.isComplete { return }
        let names =
            summary.resources.filter { $0.failure != nil }.map(\.resource)
            + summary.warnings.filter(\.isIncomplete).map(\.resource)
        console.report(
            "incomplete: \(Set(names).sorted().joined(separator: ", ")); "
                + "run the same command again to go on")
    }
}

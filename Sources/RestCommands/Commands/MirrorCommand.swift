// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import RestDefinition
import RestInference
import RestKit
import RestMirror

/// `rest mirror`.
struct MirrorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mirror",
        abstract: "Reads a list of any REST API into an SQLite file, without a definition.",
        discussion: """
            The first run infers entities, identities, relations and pages from the first responses, says \
            what it has inferred in five lines, and stores that in the file. Then it reads every page. \
            Later runs use what is stored: pages that the server confirms to be unchanged are not read, \
            rows that are unchanged are not written, and rows that the server does not have any more are \
            deleted.

            EXIT CODES: 0 if everything was read, 1 if nothing can be inferred, 2 for invalid arguments, \
            3 if the list is incomplete, 130 after Ctrl-C.

            EXAMPLES:
              rest mirror https://api.github.com/orgs/swiftlang/repos github.db
              rest mirror https://api.example.com/items items.db --token EXAMPLE_TOKEN
            """)

    @Argument(help: "The URL of the list.")
    var url: String

    @Argument(help: "The SQLite file, which is created if it does not exist.")
    var file: String

    @Option(
        help: ArgumentHelp(
            "Send the bearer token of this variable of the environment.", valueName: "variable"))
    var token: String?

    @OptionGroup var options: RunOptions

    func validate() throws {
        let parsed = try? HTTPURL(parsing: url)
        guard parsed != nil else {
            let isWithoutScheme =
                !url.contains("://") && (try? HTTPURL(parsing: "https://" + url)) != nil
            throw ValidationError(
                "\(TerminalText.escaped(url)) is not an http or https URL"
                    + (isWithoutScheme ? "; write https://\(TerminalText.escaped(url))." : "."))
        }
        if let token, token.contains(where: { !($0.isLetter || $0.isNumber || $0 == "_") }) {
            throw ValidationError(
                "--token is the name of a variable of the environment, not the token, which every user of "
                    + "this machine could read.")
        }
    }

    func run() async throws {
        let console = Console.standard()
        let file = URL(filePath: file)
        let allowance = RequestAllowance(RequestLimit(options.maximumRequests))
        let definition: Definition
        do {
            if let known = try stored(in: file) {
                definition = known
            } else {
                definition = try await inferred(within: allowance, on: console)
            }
        } catch let interruption as Interruption {
            throw ExitCode(interruption.exitCode)
        } catch {
            console.report(TerminalText.escaped("\(error)"))
            throw ExitCode(1)
        }
        try await options.run(
            definition, into: file, from: url, folder: nil, within: allowance, on: console)
    }

    /// Returns the definition that an earlier run has stored.
    private func stored(in file: URL) throws -> Definition? {
        guard let definition = try MirrorStatus.definition(storedIn: file) else { return nil }
        let origin = try MirrorStatus.origin(of: file)
        guard origin == url else {
            throw MirrorError(
                .otherDefinition,
                details: [
                    "\(file.lastPathComponent) is the mirror of "
                        + (origin == nil ? "a definition" : "another URL") + "; name another file"
                ])
        }
        return definition
    }

    /// Infers the definition from the first responses, and prints it in five lines.
    private func inferred(
        within allowance: RequestAllowance, on console: Console
    ) async throws -> Definition {
        let url = url
        let authentication: AuthenticationDefinition =
            token.map { .bearer([.environment($0)]) } ?? .none
        let transport = try HTTPClient(baseURL: "http://localhost/").transport
        let inferred = try await Interruption.guarding {
            try await MirrorDiscovery(
                of: url, over: transport, authentication: authentication,
                secrets: SecretReader(environment: ProcessInfo.processInfo.environment),
                allowance: allowance
            ).definition()
        }
        for line in inferred.summary { console.report(TerminalText.escaped(line)) }
        return inferred.definition
    }
}

// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import RestDefinition
import RestInference
import RestKit
import RestMirror

/// `rest init`.
struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Writes a definition for an API, with the reasons as comments.",
        discussion: """
            The source is the URL of a list, an OpenAPI document of version 3.0 or 3.1, recorded traffic in \
            a HAR file, a JSON document, or a folder of them, such as users/1.json. Secrets in the source \
            are dropped; the definition names variables of the environment instead.

            EXIT CODES: 0 if a definition was written, 1 if nothing can be inferred, 2 for invalid \
            arguments, 130 after Ctrl-C.

            EXAMPLES:
              rest init https://api.github.com/orgs/swiftlang/repos --output github.yaml
              rest init openapi.yaml > api.yaml
              rest init traffic.har --output api.yaml
            """)

    @Argument(help: "A URL, an OpenAPI document, a HAR file, a JSON document or a folder of them.")
    var source: String

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Write into this file, which must not exist, in place of standard output.",
            valueName: "path"))
    var output: String?

    @Option(
        help: ArgumentHelp(
            "Send the bearer token of this variable of the environment.", valueName: "variable"))
    var token: String?

    private var isURL: Bool {
        source.lowercased().hasPrefix("http://") || source.lowercased().hasPrefix("https://")
    }

    func validate() throws {
        if let token, token.contains(where: { !($0.isLetter || $0.isNumber || $0 == "_") }) {
            throw ValidationError(
                "--token is the name of a variable of the environment, not the token, which every user of "
                    + "this machine could read.")
        }
        if token != nil, !isURL {
            throw ValidationError("--token is for a URL; a file is read without it.")
        }
        if let output, FileManager.default.fileExists(atPath: output) {
            throw ValidationError("\(output) exists: name another file, or remove it.")
        }
    }

    func run() async throws {
        let code = try await run(on: .standard())
        if code != 0 { throw ExitCode(code) }
    }

    /// Writes the definition and returns the exit code.
    func run(on console: Console) async throws -> Int32 {
        let inferred: InferredDefinition
        do {
            inferred = isURL ? try await discovered() : try DefinitionInput(path: source).inferred()
        } catch let interruption as Interruption {
            return interruption.exitCode
        } catch let error as ToolError {
            console.report("\(error)")
            return 2
        } catch {
            console.report(TerminalText.escaped("\(error)"))
            return 1
        }
        if let output {
            do {
                try inferred.yaml().write(
                    to: URL(filePath: output), atomically: true, encoding: .utf8)
            } catch {
                console.report("cannot write \(TerminalText.escaped(output))")
                return 2
            }
        } else {
            console.print(inferred.yaml())
        }
        for line in inferred.summary { console.report(TerminalText.escaped(line)) }
        for diagnostic in inferred.definition.diagnostics() {
            console.report("to complete: \(TerminalText.escaped(diagnostic.description))")
        }
        return 0
    }

    private func discovered() async throws -> InferredDefinition {
        let url = source
        let authentication: AuthenticationDefinition =
            token.map { .bearer([.environment($0)]) } ?? .none
        let transport = try HTTPClient(baseURL: "http://localhost/").transport
        return try await Interruption.guarding {
            try await MirrorDiscovery(
                of: url, over: transport, authentication: authentication,
                secrets: SecretReader(environment: ProcessInfo.processInfo.environment)
            ).definition()
        }
    }
}

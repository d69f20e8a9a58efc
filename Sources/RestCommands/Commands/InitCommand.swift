// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import RestDefinition
import RestInference
import RestKit
import RestMirror
import RestYAML

/// `rest init`.
struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Writes a definition for an API, with the reasons as comments.",
        discussion: """
            The source is the URL of a list, an OpenAPI document of version 3.0 or 3.1, recorded traffic in \
            a HAR file, a JSON document, or a folder of them, such as users/1.json. Secrets in the source \
            are dropped; the definition names variables of the environment instead.

            Run it again to bring a definition up to date. Beside api.yaml it keeps api.inferred.yaml, what it \
            has inferred: with it, your edits are told from changes of the API. Edits stay, with comments \
            and layout; a setting that both have changed is said with its line and with what to write.

            EXIT CODES: 0 if a definition was written, 1 if nothing can be inferred, 2 for invalid \
            arguments, 3 if edits and the inference contradict each other, 130 after Ctrl-C.

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
            "Write into this file in place of standard output, or merge with the edits in it.",
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
        if let output, FileManager.default.fileExists(atPath: output),
            !FileManager.default.fileExists(atPath: Self.base(of: output))
        {
            throw ValidationError(
                "\(output) exists, and there is no \(Self.base(of: output)) to tell edits from what was inferred: "
                    + "name another file, or remove it.")
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
        var conflicts: [DefinitionMerge.Conflict] = []
        if let output {
            do {
                conflicts = try write(inferred, to: output, on: console)
            } catch {
                console.report(TerminalText.escaped("cannot write \(output): \(error)"))
                return 2
            }
        } else {
            console.print(inferred.yaml())
        }
        for line in inferred.summary { console.report(TerminalText.escaped(line)) }
        for diagnostic in inferred.definition.diagnostics() {
            console.report("to complete: \(TerminalText.escaped(diagnostic.description))")
        }
        for conflict in conflicts {
            console.report(TerminalText.escaped("conflict: \(output ?? ""):\(conflict)"))
        }
        return conflicts.isEmpty ? 0 : 3
    }

    /// Returns the path of the file with what was inferred, such as `api.inferred.yaml` of `api.yaml`.
    static func base(of output: String) -> String {
        let url = URL(filePath: output)
        let name = url.deletingPathExtension().lastPathComponent + ".inferred.yaml"
        return url.deletingLastPathComponent().appending(path: name).path(percentEncoded: false)
    }

    /// Writes the definition and its base, or merges the inference into an edited file.
    ///
    /// - Returns: The settings that the edits and the inference have changed differently.
    private func write(
        _ inferred: InferredDefinition, to output: String, on console: Console
    ) throws -> [DefinitionMerge.Conflict] {
        let text = inferred.yaml()
        var conflicts: [DefinitionMerge.Conflict] = []
        var merged = text
        let base = URL(filePath: Self.base(of: output))
        if FileManager.default.fileExists(atPath: output) {
            func source(_ url: URL) throws -> DefinitionMerge.Source {
                let text = try String(contentsOf: url, encoding: .utf8)
                return DefinitionMerge.Source(text, try SourceValue(parsingYAML: text))
            }
            let merge = DefinitionMerge(
                base: try source(base), edited: try source(URL(filePath: output)),
                inferred: try SourceValue(parsingYAML: text),
                comments: inferred.evidence.mapValues(\.description))
            merged = merge.text
            conflicts = merge.conflicts
            for path in merge.changes {
                console.report(TerminalText.escaped("changed: \(path)"))
            }
        }
        try Data(merged.utf8).write(to: URL(filePath: output), options: .atomic)
        try Data(text.utf8).write(to: base, options: .atomic)
        return conflicts
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

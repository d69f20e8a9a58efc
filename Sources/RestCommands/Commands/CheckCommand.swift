// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import RestDefinition
import RestDocument
import RestKit
import RestMirror

/// `rest check`.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Checks definitions without sending a request.",
        discussion: """
            Every mistake is reported at once, as FILE:LINE:COLUMN with what to write. A setting without \
            effect is a mistake.

            EXIT CODES: 0 if the definitions are valid, 1 if they are not, 2 for invalid arguments and for \
            files that cannot be read.

            EXAMPLES:
              rest check github.yaml
              rest check --schema > definition.schema.json
            """)

    @Argument(help: "The definitions, in YAML or JSON.")
    var files: [String] = []

    @Flag(help: "Print the JSON Schema of definitions, for editors.")
    var schema = false

    @Flag(help: "Print all keys of definitions, as an article in Markdown.")
    var keys = false

    func validate() throws {
        if (schema || keys) != files.isEmpty {
            throw ValidationError(
                schema || keys
                    ? "--schema and --keys take no files." : "Name a definition, or write --schema."
            )
        }
    }

    func run() throws {
        let code = run(on: .standard())
        if code != 0 { throw ExitCode(code) }
    }

    /// Checks the files and returns the exit code.
    func run(on console: Console) -> Int32 {
        if schema {
            console.print(JSONWriter.pretty.text(of: Definition.jsonSchema()))
            return 0
        }
        if keys {
            console.print(Definition.keyReference())
            return 0
        }
        return files.map { check($0, on: console) }.max() ?? 0
    }

    private func check(_ file: String, on console: Console) -> Int32 {
        let name = TerminalText.escaped(file)
        let read: DefinitionFile
        do throws(ExitCode) {
            read = try DefinitionInput(path: file).definition(reportingTo: console)
        } catch {
            return error.rawValue
        }
        let definition = read.definition
        console.print(
            "\(name): valid, \(definition.resources.count) resources and "
                + "\(definition.entities.count) entities")
        for (path, rule) in APIMirror.namedPaginations(of: definition) {
            let place = read.location(of: path).map { ":\($0)" } ?? ""
            console.report(
                "\(name)\(place): the rule “\(TerminalText.escaped(rule))” is code: a program passes it to "
                    + "APIMirror, and `rest sync` does not have it")
        }
        return 0
    }
}

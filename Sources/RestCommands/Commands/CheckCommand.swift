// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import RestDefinition
import RestDocument
import RestKit

/// `rest check`.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Checks definitions without sending a request.",
        discussion: """
            Every mistake is reported at once, as FILE:LINE:COLUMN with what to write. A setting without \
            effect is a mistake.

            EXIT CODES: 0 if the definitions are valid, 1 if they are not, 2 for invalid arguments.

            EXAMPLES:
              rest check github.yaml
              rest check --schema > definition.schema.json
            """)

    @Argument(help: "The definitions, in YAML or JSON.")
    var files: [String] = []

    @Flag(help: "Print the JSON Schema of definitions, for editors.")
    var schema = false

    func validate() throws {
        if schema != files.isEmpty {
            throw ValidationError(
                schema ? "--schema takes no files." : "Name a definition, or write --schema.")
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
        return files.map { check($0, on: console) }.max() ?? 0
    }

    private func check(_ file: String, on console: Console) -> Int32 {
        let name = TerminalText.escaped(file)
        do {
            let definition = try DefinitionFile(reading: DefinitionInput(path: file).source())
                .definition
            console.print(
                "\(name): valid, \(definition.resources.count) resources and "
                    + "\(definition.entities.count) entities")
            return 0
        } catch let error as DefinitionError {
            for diagnostic in error.diagnostics {
                console.report("\(name):\(TerminalText.escaped(diagnostic.description))")
            }
            return 1
        } catch {
            console.report("\(error)")
            return 2
        }
    }
}

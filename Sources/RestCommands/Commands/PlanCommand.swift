// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import RestDefinition
import RestKit
import RestMirror

/// `rest plan`.
struct PlanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Says what a run of a definition will do, without sending a request.",
        discussion: """
            Prints each effective setting with its origin: LINE:COLUMN of the definition, `api` for what a \
            resource inherits, `default`, or `inferred` for what earlier runs have found in records. Then \
            it prints the requests that the run is expected to send, by the pages of the last run and the \
            present parents, and the ceiling above which a run asks.

            EXIT CODES: 0, 1 if the definition cannot be run, 2 for invalid arguments and a \
            definition that cannot be read, 3 if the requests exceed the ceiling.

            EXAMPLES:
              rest plan github.yaml
              rest plan github.yaml github.db --json
            """)

    @Argument(help: "The definition, in YAML or JSON.")
    var definition: String

    @Argument(help: "The SQLite file of earlier runs, which need not exist.")
    var file: String?

    @Flag(help: "Print the plan as JSON.")
    var json = false

    func run() throws {
        let code = run(on: .standard())
        if code != 0 { throw ExitCode(code) }
    }

    /// Prints the plan and returns the exit code.
    func run(on console: Console) -> Int32 {
        let plan: MirrorPlan
        do {
            plan = try MirrorPlan(
                of: DefinitionInput(path: definition).definition(reportingTo: console),
                storedIn: file.map { URL(filePath: $0) })
        } catch let code as ExitCode {
            return code.rawValue
        } catch {
            console.report(TerminalText.escaped("\(error)"))
            return 1
        }
        if json {
            console.print(JSONWriter.compact.text(of: plan.document))
        } else {
            print(plan, on: console)
        }
        guard let ceiling = plan.ceiling, plan.requestCount > ceiling else { return 0 }
        console.report(
            "the run needs --yes, or --maximum-requests \(plan.requestCount): its ceiling is "
                + "\(ceiling) requests")
        return 3
    }

    private func print(_ plan: MirrorPlan, on console: Console) {
        var settings = TextTable(.text("setting"), .text("value"), .text("from"))
        for setting in plan.settings {
            settings.add("\(setting.path)", setting.value ?? "–", "\(setting.origin)")
        }
        for line in settings.lines(on: console) { console.print(line) }
        var requests = TextTable(
            .text("resource"), .number("lists"), .number("requests"), .text("because"))
        for expectation in plan.expectations {
            requests.add(
                expectation.resource, "\(expectation.listCount)",
                Self.number(expectation.requestCount, expectation.isMinimum), expectation.basis)
        }
        for line in requests.lines(on: console) { console.print(line) }
        let ceiling = plan.ceiling.map { "\($0)" } ?? "none"
        console.print(
            "requests: \(Self.number(plan.requestCount, plan.isMinimum)); ceiling: \(ceiling)")
    }

    private static func number(_ count: Int, _ isMinimum: Bool) -> String {
        isMinimum ? "≥ \(count)" : "\(count)"
    }
}

extension MirrorPlan {
    /// The plan as a JSON document.
    fileprivate var document: Document {
        .object([
            (
                "settings",
                .array(
                    settings.map { setting in
                        .object([
                            ("path", .string("\(setting.path)")),
                            ("value", setting.value.map { .string($0) } ?? nil),
                            ("from", .string("\(setting.origin)")),
                        ])
                    })
            ),
            (
                "resources",
                .array(
                    expectations.map { expectation in
                        .object([
                            ("name", .string(expectation.resource)),
                            ("lists", .number(expectation.listCount)),
                            ("requests", .number(expectation.requestCount)),
                            ("minimum", .bool(expectation.isMinimum)),
                            ("because", .string(expectation.basis)),
                        ])
                    })
            ),
            ("requests", .number(requestCount)), ("minimum", .bool(isMinimum)),
            ("ceiling", ceiling.map { .number($0) } ?? nil),
        ])
    }
}

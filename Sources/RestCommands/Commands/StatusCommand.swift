// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import RestDefinition
import RestKit
import RestMirror

/// `rest status`.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Says what a mirror has and what it lacks.",
        discussion: """
            Reads the file only, also while a run writes it.

            EXIT CODES: 0 if every resource has been read to its end, 1 if the file is no mirror, 2 for \
            invalid arguments, 3 if a resource is incomplete.
            """)

    @Argument(help: "The SQLite file.")
    var file: String

    @Flag(help: "Print the status as JSON.")
    var json = false

    func run() async throws {
        let console = Console.standard()
        let status: MirrorStatus
        do {
            status = try MirrorStatus(of: URL(filePath: file))
        } catch {
            console.report(TerminalText.escaped("\(error)"))
            throw ExitCode(1)
        }
        if json {
            console.print(JSONWriter.compact.text(of: status.document))
        } else {
            print(status, on: console)
        }
        if !status.isComplete { throw ExitCode(3) }
    }

    private func print(_ status: MirrorStatus, on console: Console) {
        console.print("\(TerminalText.escaped(status.definition.api.base))")
        var resources = TextTable(
            .text("resource"), .text("state"), .number("lists"), .number("pages"),
            .number("records"), .text("cursor"))
        for resource in status.resources {
            let state =
                resource.listCount == 0
                ? "not read"
                : resource.interruptedListCount > 0
                    || resource.completeListCount < resource.listCount
                    ? "incomplete" : "complete"
            resources.add(
                resource.name, state, "\(resource.listCount)", "\(resource.pageCount)",
                "\(resource.recordCount)", resource.cursor ?? "")
        }
        for line in resources.lines(on: console) { console.print(line) }
        var entities = TextTable(.text("table"), .number("rows"))
        for entity in status.entities { entities.add(entity.name, "\(entity.rowCount)") }
        for line in entities.lines(on: console) { console.print(line) }
        if status.pendingReferenceCount > 0 {
            console.print("\(status.pendingReferenceCount) references wait for their rows")
        }
        let missing = status.resources.reduce(0) { $0 + $1.missingCount }
        if missing > 0 {
            console.print("\(missing) rows are in no list any more and not deleted yet")
        }
        for resource in status.resources where resource.quarantinedCount > 0 {
            console.print(
                "\(resource.quarantinedCount) values of \(TerminalText.escaped(resource.name)) do not fit: "
                    + "SELECT * FROM restkit_quarantine")
        }
    }
}

extension MirrorStatus {
    /// The status as a JSON document.
    fileprivate var document: Document {
        .object([
            ("base", .string(definition.api.base)), ("complete", .bool(isComplete)),
            (
                "resources",
                .array(
                    resources.map { resource in
                        .object([
                            ("name", .string(resource.name)),
                            ("lists", .number(resource.listCount)),
                            ("complete_lists", .number(resource.completeListCount)),
                            ("interrupted_lists", .number(resource.interruptedListCount)),
                            ("pages", .number(resource.pageCount)),
                            ("records", .number(resource.recordCount)),
                            ("cursor", resource.cursor.map { .string($0) } ?? nil),
                            ("missing_rows", .number(resource.missingCount)),
                            ("quarantined_values", .number(resource.quarantinedCount)),
                        ])
                    })
            ),
            (
                "tables",
                .object(entities.map { ($0.name, .number($0.rowCount)) })
            ),
            ("pending_references", .number(pendingReferenceCount)),
        ])
    }
}

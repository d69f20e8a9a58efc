// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import RestKit
import RestMirror

/// `rest explain`.
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Says where a row of a mirror came from.",
        discussion: """
            Prints the pages that list the row, and the request, the time and the run that have written \
            it and each value that has changed since. Runs with --no-explain record only the pages.

            EXIT CODES: 0, 1 if there is no such row, 2 for invalid arguments.

            EXAMPLES:
              rest explain github.db Repository 44838949
              rest explain orders.db OrderLine 17 3 --json
            """)

    @Argument(help: "The SQLite file.")
    var file: String

    @Argument(help: "The name of the entity.")
    var entity: String

    @Argument(help: "The values that identify the row, in the order of the definition.")
    var identity: [String]

    @Flag(help: "Print the origin as JSON.")
    var json = false

    func run() throws {
        let code = run(on: .standard())
        if code != 0 { throw ExitCode(code) }
    }

    /// Prints the origin and returns the exit code.
    func run(on console: Console) -> Int32 {
        let origin: RowOrigin
        do {
            origin = try RowOrigin(of: entity, identity: identity, in: URL(filePath: file))
        } catch {
            console.report(TerminalText.escaped("\(error)"))
            return 1
        }
        if json {
            console.print(JSONWriter.compact.text(of: origin.document))
        } else {
            print(origin, on: console)
        }
        return 0
    }

    private func print(_ origin: RowOrigin, on console: Console) {
        func print(_ line: String) { console.print(TerminalText.escaped(line)) }
        let identity = origin.identity.map { "\($0.name) \($0.value)" }.joined(separator: ", ")
        print("\(origin.entity) \(identity)")
        for page in origin.pages {
            let parent = page.parent.isEmpty ? "" : " of \(page.parent)"
            let place = page.number.map { "page \($0) of" } ?? "a walk of changes of"
            print("  listed by \(place) \(page.resource)\(parent), run \(Self.text(of: page.run))")
            if let url = page.url { print("    \(url)") }
        }
        if origin.pages.isEmpty { print("  no page lists it: it is a part of other records") }
        if let insertion = origin.insertion {
            print("  inserted by \(Self.text(of: insertion))")
        } else if origin.changes.isEmpty {
            print("  the responses are not recorded: run without --no-explain")
        }
        for (name, write) in origin.changes.sorted(by: { $0.key < $1.key }) {
            print("  \(name) by \(Self.text(of: write))")
        }
    }

    private static func text(of run: RowOrigin.Run?) -> String {
        run.map { "\($0.number) of \($0.start.formatted(.iso8601))" } ?? "unknown"
    }

    private static func text(of write: RowOrigin.Write) -> String {
        guard let method = write.method, let url = write.url else {
            return "a change of the tool, \(write.date.formatted(.iso8601))"
        }
        return "\(method) \(url) (\(write.status ?? 0)), \(write.date.formatted(.iso8601)), run "
            + text(of: write.run)
    }
}

extension RowOrigin {
    /// The origin as a JSON document.
    fileprivate var document: Document {
        .object([
            ("entity", .string(entity)), ("key", .number(key)),
            ("identity", .object(identity.map { ($0.name, .string($0.value)) })),
            (
                "pages",
                .array(
                    pages.map { page in
                        .object([
                            ("resource", .string(page.resource)),
                            ("parent", .string(page.parent)),
                            ("page", page.number.map { .number($0) } ?? nil),
                            ("url", page.url.map { .string($0) } ?? nil),
                            ("run", page.run?.document ?? nil),
                        ])
                    })
            ),
            ("insertion", insertion?.document ?? nil),
            (
                "changes",
                .object(
                    changes.sorted { $0.key < $1.key }.map { ($0.key, $0.value.document) })
            ),
        ])
    }
}

extension RowOrigin.Run {
    fileprivate var document: Document {
        .object([
            ("number", .number(number)), ("start", .string(start.formatted(.iso8601))),
        ])
    }
}

extension RowOrigin.Write {
    fileprivate var document: Document {
        .object([
            ("method", method.map { .string($0) } ?? nil), ("url", url.map { .string($0) } ?? nil),
            ("status", status.map { .number($0) } ?? nil),
            ("date", .string(date.formatted(.iso8601))), ("run", run?.document ?? nil),
        ])
    }
}
